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

export type EngineTasks = typeof tasks

export interface RunOptions {
  /** Whom the job is for: keys take turns, and each has its share. Default: nobody in particular. */
  readonly key?: string
  /** Ends the job: a queued one never starts, a running one is stopped with its process. */
  readonly signal?: AbortSignal
  /** How long the job may run once it has started, in milliseconds. */
  readonly timeoutMs: number
  /**
   * The path of the field that the job is about. A refusal that names no field then names this one, and a job that takes
   * more time or memory than it may is the field's mistake and not the gateway's.
   */
  readonly param?: string
  /** A further part of work that has begun: it waits however much waits already. */
  readonly isFurtherPart?: boolean
  /** Called with the part done, 0 to 1, as the task reports it. */
  readonly onProgress?: (done: number) => void
}

export interface WorkerPoolOptions {
  /** Processes at most, each started when first needed; default 3. */
  readonly size?: number
  /** How many of them one key may hold; default one less than there are, so that a long job never waits for another's. */
  readonly perKeyMax?: number
  /** Jobs that may wait; default 256. */
  readonly waitingMax?: number
  /** Jobs of one key that may wait; default 32. */
  readonly waitingPerKeyMax?: number
  /** Memory of one process, in MiB; default 1,024. Only the job that exceeds it fails. */
  readonly memoryMaxMb?: number
  /** An unused process ends after this long, to give its memory back; default 60,000. */
  readonly idleMs?: number
  /** The module that calls serveTasks with the table; default: the engine's own tasks. */
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
  /** The time limit of the job, or the end of idleness. */
  timer: NodeJS.Timeout | undefined
}

/**
 * Runs the engine's heavy work in processes of their own: whatever it does to threads and memory it does to itself, and
 * it can be ended at any moment. Costs nothing until the first job. Disposing stops every job.
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
   * Runs one task. Rejects with the task's own GatewayError; `rate_limited` when the key has enough waiting,
   * `overloaded` when too much waits, a limit of time or memory is reached or the pool is stopping; `cancelled` on
   * abort; `internal` when the task or its process broke.
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
      // serveTasks answers with what the task of this very name returned.
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
      // No process could be opened, or the input cannot leave this one.
      for (const process of this.#processes) if (process.job === job) this.#release(process)
      job.reject(broken(thrown))
    }
  }

  #openProcess(): Process {
    const child = fork(this.#options.entry, [String(this.#options.memoryMaxMb)], {
      // Neither the settings nor the keys of the gateway are for work on what strangers send.
      env: {},
      // The process's own flags (an inspector, --input-type) are not for it. Its memory as a whole is watched.
      execArgv: [`--max-old-space-size=${2 * this.#options.memoryMaxMb}`],
      serialization: 'advanced',
      // What decoders print about a file is no line of the gateway's log.
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

  /** Stops a process for good; its job, if any, fails with the error, and waiting jobs go to a fresh process. */
  #end(process: Process, error: GatewayError): void {
    if (!this.#processes.delete(process)) return
    clearTimeout(process.timer)
    const { child } = process
    const isOver = child.pid === undefined || child.exitCode !== null || child.signalCode !== null
    if (!isOver) {
      const exited = new Promise((resolve) => child.once('exit', resolve))
      const ended = exited.finally(() => this.#ending.delete(ended))
      this.#ending.add(ended)
      // An idle one lets this process end; that it is gone has to be heard of all the same.
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
  if (message.kind === 'failed') {
    const cause = new Error(message.message)
    if (message.stack !== undefined) cause.stack = message.stack
    return broken(cause)
  }
  const code = errorCodes.find((known) => known === message.code) ?? 'internal'
  const param = message.param ?? options.param
  return new GatewayError(code, message.message, param === undefined ? {} : { param })
}

/** A process that was killed, and not from here, took more memory than it may: it is watched, and by the system too. */
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
