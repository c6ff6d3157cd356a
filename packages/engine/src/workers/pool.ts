import { Worker } from 'node:worker_threads'
import { errorCodes, GatewayError } from '@sluice/contract'
import type { JobMessage, TaskInput, TaskResult, TaskTable, WorkerMessage } from './task.ts'
import type { tasks } from './tasks.ts'

export type EngineTasks = typeof tasks

export interface RunOptions {
  /** Ends the job: a queued one never starts, a running one is stopped with its thread. */
  readonly signal?: AbortSignal
  /** How long the job may run once it has started, in milliseconds. */
  readonly timeoutMs: number
  /** Called with the part done, 0 to 1, as the task reports it. */
  readonly onProgress?: (done: number) => void
}

/** Runs the engine's heavy work outside the main thread. Disposing stops every job. */
export interface WorkerPool<Table extends TaskTable = EngineTasks> extends AsyncDisposable {
  /**
   * Runs one task. Rejects with the task's own GatewayError; `overloaded` when the queue is full, the time limit is
   * reached or the pool is stopping; `cancelled` on abort; `internal` when the task or its thread broke.
   */
  run<Name extends keyof Table & string>(
    task: Name,
    input: TaskInput<Table, Name>,
    options: RunOptions,
  ): Promise<TaskResult<Table, Name>>
}

export interface WorkerPoolOptions {
  /** Threads at most, each started when first needed; default 2, so that a long job leaves one for short ones. */
  readonly size?: number
  /** Jobs that may wait; default 256. One more is refused as `overloaded`. */
  readonly queueMax?: number
  /** JavaScript heap of one thread, in MiB; default 1,024. Only the job that exceeds it fails. */
  readonly heapMaxMb?: number
  /** An unused thread ends after this long, to give its memory back; default 60,000. */
  readonly idleMs?: number
  /** The module that calls serveTasks with the table; default: the engine's own tasks. */
  readonly entry?: URL
}

export function openWorkerPool<Table extends TaskTable = EngineTasks>(
  options: WorkerPoolOptions = {},
): WorkerPool<Table> {
  return new ThreadPool<Table>(options)
}

interface Job {
  readonly message: JobMessage
  readonly options: RunOptions
  readonly resolve: (result: unknown) => void
  readonly reject: (error: GatewayError) => void
}

interface Thread {
  readonly worker: Worker
  job: Job | undefined
  /** The time limit of the job, or the end of idleness. */
  timer: NodeJS.Timeout | undefined
}

class ThreadPool<Table extends TaskTable> implements WorkerPool<Table> {
  readonly #settings: Required<WorkerPoolOptions>
  readonly #threads = new Set<Thread>()
  readonly #ending = new Set<Promise<unknown>>()
  readonly #queue: Job[] = []
  #disposed = false

  constructor(options: WorkerPoolOptions) {
    this.#settings = {
      size: options.size ?? 2,
      queueMax: options.queueMax ?? 256,
      heapMaxMb: options.heapMaxMb ?? 1024,
      idleMs: options.idleMs ?? 60_000,
      entry: options.entry ?? new URL('./worker.ts', import.meta.url),
    }
  }

  async run<Name extends keyof Table & string>(
    task: Name,
    input: TaskInput<Table, Name>,
    options: RunOptions,
  ): Promise<TaskResult<Table, Name>> {
    if (this.#disposed) throw stopping()
    if (options.signal?.aborted === true) throw cancelled()
    if (this.#queue.length >= this.#settings.queueMax)
      throw new GatewayError('overloaded', 'Too much work is waiting; try again later')
    const leaving = new AbortController()
    try {
      const result = await new Promise((resolve, reject) => {
        this.#queue.push({ message: { task, input }, options, resolve, reject })
        const abort = (): void => this.#cancel(resolve)
        options.signal?.addEventListener('abort', abort, { signal: leaving.signal })
        this.#startNext()
      })
      // serveTasks answers with what the task of this very name returned.
      return result as TaskResult<Table, Name>
    } finally {
      leaving.abort()
    }
  }

  /** Jobs are told apart by their resolve function, which each has of its own. */
  #cancel(resolve: Job['resolve']): void {
    const index = this.#queue.findIndex((job) => job.resolve === resolve)
    if (index >= 0) return this.#queue.splice(index, 1)[0]?.reject(cancelled())
    for (const thread of this.#threads)
      if (thread.job?.resolve === resolve) this.#end(thread, cancelled())
  }

  #startNext(): void {
    while (this.#queue.length > 0) {
      const thread = this.#freeThread()
      const job = thread === undefined ? undefined : this.#queue.shift()
      if (thread === undefined || job === undefined) return
      this.#start(thread, job)
    }
  }

  #freeThread(): Thread | undefined {
    for (const thread of this.#threads) if (thread.job === undefined) return thread
    return this.#threads.size < this.#settings.size ? this.#openThread() : undefined
  }

  #openThread(): Thread {
    const worker = new Worker(this.#settings.entry, {
      name: 'sluice-engine',
      // The process's own flags (an inspector, --input-type) are not for threads.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#settings.heapMaxMb },
    })
    const thread: Thread = { worker, job: undefined, timer: undefined }
    this.#threads.add(thread)
    worker.on('message', (message: WorkerMessage) => this.#receive(thread, message))
    worker.on('error', (error) => this.#end(thread, broken(error)))
    worker.on('exit', (code) => this.#end(thread, broken(new Error(`Worker exited with ${code}`))))
    return thread
  }

  #start(thread: Thread, job: Job): void {
    clearTimeout(thread.timer)
    const { timeoutMs } = job.options
    thread.job = job
    thread.timer = setTimeout(() => {
      const seconds = Math.round(timeoutMs / 1000)
      const text = `The work did not finish within its limit of ${seconds} seconds`
      this.#end(thread, new GatewayError('overloaded', text))
    }, timeoutMs)
    thread.worker.ref()
    try {
      thread.worker.postMessage(job.message)
    } catch (thrown) {
      this.#release(thread)
      job.reject(broken(thrown))
    }
  }

  #receive(thread: Thread, message: WorkerMessage): void {
    const { job } = thread
    if (job === undefined) return
    if (message.kind === 'progress') return job.options.onProgress?.(message.done)
    this.#release(thread)
    if (message.kind === 'done') job.resolve(message.result)
    else job.reject(errorOf(message))
    this.#startNext()
  }

  #release(thread: Thread): void {
    clearTimeout(thread.timer)
    thread.job = undefined
    thread.worker.unref()
    thread.timer = setTimeout(() => this.#end(thread, stopping()), this.#settings.idleMs)
    thread.timer.unref()
  }

  /** Stops a thread for good; its job, if any, fails with the error, and waiting jobs go to a fresh thread. */
  #end(thread: Thread, error: GatewayError): void {
    if (!this.#threads.delete(thread)) return
    clearTimeout(thread.timer)
    const ended = thread.worker.terminate().finally(() => this.#ending.delete(ended))
    this.#ending.add(ended)
    thread.job?.reject(error)
    thread.job = undefined
    this.#startNext()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true
    for (const job of this.#queue.splice(0)) job.reject(stopping())
    for (const thread of this.#threads) this.#end(thread, stopping())
    await Promise.allSettled(this.#ending)
  }
}

function errorOf(message: WorkerMessage & { kind: 'refused' | 'failed' }): GatewayError {
  if (message.kind === 'failed') {
    const cause = new Error(message.message)
    if (message.stack !== undefined) cause.stack = message.stack
    return broken(cause)
  }
  const code = errorCodes.find((known) => known === message.code) ?? 'internal'
  const { param } = message
  return new GatewayError(code, message.message, param === undefined ? {} : { param })
}

function broken(cause: unknown): GatewayError {
  return new GatewayError('internal', 'The built-in engine failed at this work', { cause })
}

function cancelled(): GatewayError {
  return new GatewayError('cancelled', 'The caller went away')
}

function stopping(): GatewayError {
  return new GatewayError('overloaded', 'The gateway is stopping')
}
