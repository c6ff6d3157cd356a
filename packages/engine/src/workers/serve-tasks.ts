import { Worker } from 'node:worker_threads'
import { GatewayError } from '@sluice/contract'
import type { JobMessage, Outcome, TaskTable, WorkerMessage } from './task.ts'

/** The worker's side of a pool: runs jobs from the gateway's process with the tasks of the table, one at a time. */
export function serveTasks(table: TaskTable): void {
  const post = (message: WorkerMessage): void => void process.send?.(message)
  const [memoryMaxMb = '1024'] = process.argv.slice(2)
  const bytesMax = Number(memoryMaxMb) * 1024 * 1024
  // Runs in a thread of its own, since a task may block this one for any time.
  const watch = new Worker(new URL('./watch-process.ts', import.meta.url), {
    workerData: { parent: process.ppid, bytesMax },
  })
  watch.unref()
  process.on('disconnect', () => process.exit())
  process.on('message', (job: JobMessage) => {
    void runJob(table, job, post).then((outcome) =>
      post({ ...outcome, isSpent: process.memoryUsage.rss() > bytesMax / 2 }),
    )
  })
}

async function runJob(
  table: TaskTable,
  job: JobMessage,
  post: (message: WorkerMessage) => void,
): Promise<Outcome> {
  try {
    const load = table[job.task]
    if (load === undefined) throw new Error(`No task is named ${job.task}`)
    const task = await load()
    // The pool's run() accepts only the input type of the task that it names, so the input has that type.
    const result = await task(job.input as never, {
      progress: (done) => post({ kind: 'progress', done }),
    })
    return { kind: 'done', result }
  } catch (thrown) {
    return failureMessage(thrown)
  }
}

function failureMessage(thrown: unknown): Outcome {
  if (thrown instanceof GatewayError) {
    const { code, message, details } = thrown
    return { kind: 'refused', code, message, param: details.param }
  }
  const { message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown))
  return { kind: 'failed', message, stack }
}
