import { once } from 'node:events'
import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { unfinishedCopy } from './copy-database.ts'

export interface CopyOptions {
  readonly source: string
  readonly copy: string
  /** Called with the bytes written and the maximum expected: at the start, then every 100 ms. */
  readonly at: (bytes: number, most: number) => void
}

const lookEveryMs = 100

/** Runs copyDatabase in a thread, so that its progress can be reported. Rejects with its error. */
export async function copyInThread({ source, copy, at }: CopyOptions): Promise<void> {
  const entry = new URL('./copy-thread-entry.ts', import.meta.url)
  const worker = new Worker(entry, { workerData: { source, copy } })
  const look = () => {
    const written = statSync(unfinishedCopy(copy), { throwIfNoEntry: false })?.size ?? 0
    at(written, statSync(source).size)
  }
  look()
  const timer = setInterval(look, lookEveryMs)
  try {
    await once(worker, 'exit')
  } finally {
    clearInterval(timer)
  }
}
