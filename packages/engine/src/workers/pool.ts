import { type ChildProcess, fork } from 'node:child_process'
import { errorCodes, FairQueue, GatewayError, invalidRequest } from '@sluice/contract'
import type {
  JobMessage,
  Outcome,
  TaskInput,
  TaskResult,
  TaskTable,
  WorkerMessage,
} from './task.ts'
import type { tasks } from './tasks.ts'

type EngineTasks = typeof tasks

export interface RunOptions {
  /** The key that the job belongs to: keys take turns, and each has its share. Default: no particular one. */
  readonly key?: string
  /** Ends the job: a queued one never starts, a running one is stopped with its process. */
  readonly signal?: AbortSignal
  /** Time limit for the job once it has started, in milliseconds. */
  readonly timeoutMs: number
  /**
   * The path of the field that the job is about. It is added to an error that names no field, and a job that exceeds its time
   * or memory is then the caller's error and not the gateway's.
   */
  readonly param?: string
  /** Whether it is a further part of work that has begun: it is queued even if too much waits already. */
  readonly isFurtherPart?: boolean
  /** Called with the share that is done, 0 to 1, as the task reports it. */
  readonly onProgress?: (done: number) => void
}

export interface WorkerPoolOptions {
  /** Maximum processes; each one is started when first needed. Default 3. */
  readonly size?: number
  /** Maximum processes for one key: by default one less than `size`, so that its long jobs leave one to the others. */
  readonly perKeyMax?: number
  /** Maximum jobs that may wait. Default 256. */
  readonly waitingMax?: number
  /** Maximum jobs of one key that may wait. Default 32. */
  readonly waitingPerKeyMax?: number
  /** Maximum memory of one process, in MiB. Default 1,024. Only the job that exceeds it fails. */
  readonly memoryMaxMb?: number
  /** Time after which an unused process ends to release its memory, in milliseconds. Default 60,000. */
  readonly idleMs?: number
  /** The module that calls serveTasks with the table. Default: the engine's own tasks. */
  readonly entry?: URL
}

const usual = {
  size: 3,
  waitingMax: 256,
  waitingPerKeyMax: 32,
  memoryMaxMb: 1024,
  idleMs: 60_000,
  entry: new URL('./worker.ts', import.meta.url),
}

interface Job {
  readonly message: JobMessage
  readonly key: string
  readonly options: RunOptions
  readonly resolve: (result: unknown) => void
  readonly reject: (error: GatewayError) => void
}

interface Process {
  readonly child: ChildProcess
  job: Job | undefined
  /** The time limit of the job, or of being idle. */
  timer: NodeJS.Timeout | undefined
}

/**
 * Runs the engine's heavy work in separate processes: a task that crashes or exhausts memory affects only its own process,
 * which can be ended at any moment. Starts nothing before the first job. Disposing stops every job.
 */
export class WorkerPool<Table extends TaskTable = EngineTasks> implements AsyncDisposable {
  readonly #options
  readonly #waiting: FairQueue<Job>
  readonly #processes = new Set<Process>()
  readonly #ending = new Set<Promise<unknown>>()
  #disposed = false

  constructor(options: WorkerPoolOptions = {}) {
    const size = options.size ?? usual.size
    this.#options = { ...usual, perKeyMax: Math.max(1, size - 1), ...options }
    this.#waiting = new FairQueue({ of: 'requests', ...this.#options })
  }

  /** How many jobs wait for a process. */
  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Runs one task. Rejects with the task's own GatewayError; `rate_limited` when the key has too many jobs waiting;
   * `overloaded` when too many wait in total, a limit of time or memory is reached or the pool is stopping; `cancelled` on
   * abort; `internal` when the task or its process failed.
   */
  async run<Name extends keyof Table & string>(
    task: Name,
    input: TaskInput<Table, Name>,
    options: RunOptions,
  ): Promise<TaskResult<Table, Name>> {
    const { key = '', signal } = options
    if (this.#disposed) throw stopping()
    if (signal?.aborted === true) throw cancelled()
    if (options.isFurtherPart !== true) this.#waiting.assertRoom(key)
    const leaving = new AbortController()
    try {
      const result = await new Promise((resolve, reject) => {
        const job: Job = { message: { task, input }, key, options, resolve, reject }
        this.#waiting.add(key, job)
        signal?.addEventListener('abort', () => this.#cancel(job), { signal: leaving.signal })
        this.#startNext()
      })
      // serveTasks returns the result of the task with this name.
      return result as TaskResult<Table, Name>
    } finally {
      leaving.abort()
    }
  }

  #cancel(job: Job): void {
    if (this.#waiting.remove(job)) return job.reject(cancelled())
    for (const process of this.#processes)
      if (process.job === job) return this.#end(process, cancelled())
  }

  #startNext(): void {
    while (this.#waiting.size > 0) {
      const running = [...this.#processes].flatMap(({ job }) => job?.key ?? [])
      if (running.length >= this.#options.size) return
      const job = this.#waiting.take(
        (key) => running.filter((other) => other === key).length < this.#options.perKeyMax,
      )
      if (job === undefined) return
      this.#start(job)
    }
  }

  #start(job: Job): void {
    try {
      const process =
        [...this.#processes].find(({ job: other }) => other === undefined) ?? this.#openProcess()
      clearTimeout(process.timer)
      process.job = job
      const { timeoutMs } = job.options
      process.timer = setTimeout(() => {
        const text = `The work did not finish within its limit of ${Math.round(timeoutMs / 1000)} seconds`
        this.#end(process, exceeded(text, job))
      }, timeoutMs)
      process.child.ref()
      process.child.channel?.ref()
      process.child.send(job.message, (error) => {
        if (error !== null) this.#end(process, broken(error))
      })
    } catch (thrown) {
      // No process could be started, or the input cannot be sent.
      for (const process of this.#processes) if (process.job === job) this.#release(process)
      job.reject(broken(thrown))
    }
  }

  #openProcess(): Process {
    const child = fork(this.#options.entry, [String(this.#options.memoryMaxMb)], {
      // Work on data from strangers must not have the gateway's settings or keys.
      env: {},
      // The gateway process's own flags (an inspector, --input-type) are not passed on. The total memory of the process is
      // watched.
      execArgv: [`--max-old-space-size=${2 * this.#options.memoryMaxMb}`],
      serialization: 'advanced',
      // What decoders print about a file does not belong in the gateway's log.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const process: Process = { child, job: undefined, timer: undefined }
    this.#processes.add(process)
    child.on('message', (message) => this.#receive(process, message as WorkerMessage))
    child.on('error', (error) => this.#end(process, broken(error)))
    child.on('exit', (code, signal) => this.#end(process, gone(process.job, code, signal)))
    return process
  }

  #receive(process: Process, message: WorkerMessage): void {
    const { job } = process
    if (job === undefined) return
    if (message.kind === 'progress') return job.options.onProgress?.(message.done)
    this.#release(process)
    if (message.isSpent) this.#end(process, stopping())
    if (message.kind === 'done') job.resolve(message.result)
    else job.reject(errorOf(message, job))
    this.#startNext()
  }

  #release(process: Process): void {
    clearTimeout(process.timer)
    process.job = undefined
    process.child.unref()
    process.child.channel?.unref()
    process.timer = setTimeout(() => this.#end(process, stopping()), this.#options.idleMs)
    process.timer.unref()
  }

  /** Ends a process. Its job, if any, fails with the error, and waiting jobs go to a new process. */
  #end(process: Process, error: GatewayError): void {
    if (!this.#processes.delete(process)) return
    clearTimeout(process.timer)
    const { child } = process
    const isOver = child.pid === undefined || child.exitCode !== null || child.signalCode !== null
    if (!isOver) {
      const exited = new Promise((resolve) => child.once('exit', resolve))
      const ended = exited.finally(() => this.#ending.delete(ended))
      this.#ending.add(ended)
      // An idle child does not keep this process alive, but its exit must still be waited for.
      child.ref()
      child.kill('SIGKILL')
    }
    process.job?.reject(error)
    process.job = undefined
    this.#startNext()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true
    for (const job of this.#waiting.clear()) job.reject(stopping())
    for (const process of this.#processes) this.#end(process, stopping())
    await Promise.allSettled(this.#ending)
  }
}

function errorOf(message: Exclude<Outcome, { kind: 'done' }>, { options }: Job): GatewayError {
  if (message.kind === 'failed')
    return broken(Object.assign(new Error(message.message), { stack: message.stack }))
  const code = errorCodes.find((known) => known === message.code) ?? 'internal'
  const param = message.param ?? options.param
  return new GatewayError(code, message.message, param === undefined ? {} : { param })
}

/** A process that was killed, but not by this pool, exceeded its memory: its own watcher or the system killed it. */
function gone(job: Job | undefined, code: number | null, signal: string | null): GatewayError {
  if (signal === 'SIGKILL') return exceeded('The work took more memory than it may', job)
  return broken(new Error(`A worker process exited with ${signal ?? code}`))
}

function exceeded(text: string, job: Job | undefined): GatewayError {
  const { param } = job?.options ?? {}
  if (param === undefined) return new GatewayError('overloaded', text)
  return invalidRequest(text, param)
}

function broken(cause: unknown): GatewayError {
  return new GatewayError('internal', 'The built-in engine failed', { cause })
}

const cancelled = () => new GatewayError('cancelled', 'The caller went away')
const stopping = () => new GatewayError('overloaded', 'The gateway is stopping')
