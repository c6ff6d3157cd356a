import { statSync } from 'node:fs'
import { openThread } from '../threads/call-thread.ts'
import { unfinishedCopy } from './copy-database.ts'

interface Files {
  readonly source: string
  readonly copy: string
}

export interface CopyMethods {
  copy(files: Files): void
}

export interface CopyOptions extends Files {
  /** Called with the bytes written and the maximum expected: at the start, then every 100 ms. */
  readonly at: (bytes: number, most: number) => void
}

const reportEveryMs = 100

/** Runs copyDatabase in a thread, so that its progress can be reported. Rejects with its error. */
export async function copyInThread({ source, copy, at }: CopyOptions): Promise<void> {
  const entry = new URL('./copy-thread-entry.ts', import.meta.url)
  await using thread = openThread<CopyMethods>(entry, { task: 'copies the database' })
  const report = () => {
    const written = statSync(unfinishedCopy(copy), { throwIfNoEntry: false })?.size ?? 0
    at(written, statSync(source).size)
  }
  report()
  const timer = setInterval(report, reportEveryMs)
  try {
    await thread.call('copy', { source, copy })
  } finally {
    clearInterval(timer)
  }
}
