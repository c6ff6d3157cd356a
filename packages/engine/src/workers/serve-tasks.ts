import { parentPort } from 'node:worker_threads'
import { GatewayError } from '@sluice/contract'
import type { JobMessage, TaskTable, WorkerMessage } from './task.ts'

/** The worker's side of a pool: answers jobs from the main thread with the tasks of the table, one at a time. */
export function serveTasks(table: TaskTable): void {
  const port = parentPort
  if (port === null) throw new Error('serveTasks runs in a worker thread only')
  const post = (message: WorkerMessage): void => port.postMessage(message)
  port.on('message', (job: JobMessage) => {
    void runJob(table, job, post).then(post)
  })
}

async function runJob(
  table: TaskTable,
  job: JobMessage,
  post: (message: WorkerMessage) => void,
): Promise<WorkerMessage> {
  try {
    const load = table[job.task]
    if (load === undefined) throw new Error(`No task is named ${job.task}`)
    const task = await load()
    // The pool's run() takes the input type of the very task it names, so what arrives here is that type.
    const result = await task(job.input as never, {
      progress: (done) => post({ kind: 'progress', done }),
    })
    return { kind: 'done', result }
  } catch (thrown) {
    return failureMessage(thrown)
  }
}

function failureMessage(thrown: unknown): WorkerMessage {
  if (thrown instanceof GatewayError) {
    const { code, message, details } = thrown
    const { param } = details
    return { kind: 'refused', code, message, ...(param === undefined ? {} : { param }) }
  }
  if (!(thrown instanceof Error)) return { kind: 'failed', message: String(thrown) }
  const { message, stack } = thrown
  return { kind: 'failed', message, ...(stack === undefined ? {} : { stack }) }
}
