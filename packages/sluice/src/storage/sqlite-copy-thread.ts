import { once } from 'node:events'
import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { unfinishedCopy } from './sqlite-copy.ts'

export interface CopyOptions {
  readonly source: string
  readonly copy: string
  /** Told how many bytes are written, and how many there will be at most: at the beginning, then every 100 ms. */
  readonly at: (bytes: number, most: number) => void
}

const lookEveryMs = 100

/** copyDatabase in a thread of its own, so that it can be told how far it is. Rejects with what it fails with. */
export async function copyInThread({ source, copy, at }: CopyOptions): Promise<void> {
  const entry = new URL('./sqlite-copy-thread-entry.ts', import.meta.url)
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
