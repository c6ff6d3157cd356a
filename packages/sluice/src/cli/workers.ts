import cluster, { type Worker } from 'node:cluster'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { createSlotQueue } from '@sluice/store/limits/memory-slot-queue.ts'
import { serveSlotQueues } from '@sluice/store/limits/remote-slot-queue.ts'
import { SlotQueues } from '@sluice/store/limits/slot-queues.ts'
import { createLimiterServer } from '@sluice/store/limits/remote-limiter.ts'
import { ProcessLink } from '@sluice/store/limits/process-link.ts'
import { CommandError } from './command-error.ts'
import type { OpenLog } from './open-log.ts'
import type { Listening } from './run-gateway.ts'
import { WorkerMetrics } from './worker-metrics.ts'
import { WorkerSharing } from './worker-sharing.ts'
import { stopLimitMs, watchHanded, watchWorker } from './worker-watch.ts'

export interface WorkersInput {
  readonly config: Config
  readonly log: OpenLog
  readonly count: number
  /** Called once all workers listen. */
  readonly listening: (found: Listening) => void
  /** Resolves with the signal to stop. */
  readonly stopping: Promise<NodeJS.Signals>
}

/** The first delay before a dead worker is restarted, in milliseconds; it doubles with each death. */
const firstWaitMs = 100
const waitMsMax = 30_000
/** A worker that lives this long is considered healthy, and the delays start over, in milliseconds. */
const healthyMs = 60_000

/**
 * Runs several processes that serve one port (https://nodejs.org/api/cluster.html) and holds the limits of all of them. Dead
 * processes are restarted. Returns the exit code once all have stopped.
 *
 * @throws CommandError if a worker cannot be started initially.
 */
export async function superviseWorkers(input: WorkersInput): Promise<number> {
  const { config, log, count, stopping } = input
  const supervisor = new Supervisor(input)
  cluster.setupPrimary({ stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const slots = Array.from({ length: count }, (_, at) => supervisor.keep(at + 1))
  const failed = supervisor.started.then(
    () => undefined,
    (error: unknown) => error,
  )
  const failure = await Promise.race([failed, stopping.then(() => undefined)])
  if (failure === undefined) {
    const signal = await stopping
    log.info({ signal, workers: count }, 'stopping')
  }
  supervisor.stop()
  const limit = setTimeout(() => supervisor.kill(), stopLimitMs(config.server))
  await Promise.all(slots)
  clearTimeout(limit)
  if (failure !== undefined) throw failure
  return 0
}

interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

class Supervisor {
  readonly #input: WorkersInput
  readonly #limiter = createLimiterServer()
  readonly #slotQueues = new SlotQueues(() => createSlotQueue())
  readonly #metrics = new WorkerMetrics()
  readonly #sharing = new WorkerSharing()
  readonly #workers = new Map<Worker, ProcessLink>()
  readonly #stopping = new AbortController()
  readonly #started = Promise.withResolvers<void>()
  #listening = 0
  #hasStarted = false

  constructor(input: WorkersInput) {
    this.#input = input
  }

  /** Resolves when all workers listen for the first time; rejects if one cannot. */
  get started(): Promise<void> {
    return this.#started.promise
  }

  /** Keeps a worker with this number running until the end. */
  async keep(number: number): Promise<void> {
    const { signal } = this.#stopping
    let waitMs = firstWaitMs
    while (!signal.aborted) {
      const startedAt = performance.now()
      const ended = await this.#run(number)
      if (signal.aborted) return
      if (performance.now() - startedAt > healthyMs) waitMs = firstWaitMs
      this.#input.log.error(
        { worker: number, ...ended, waitMs },
        'a worker has ended: it is started again',
      )
      if (!this.#hasStarted)
        this.#started.reject(new CommandError(`Worker ${number} ended before it listened`))
      await wait(waitMs, undefined, { signal }).catch(() => {})
      waitMs = Math.min(2 * waitMs, waitMsMax)
    }
  }

  /** Not by a signal: a terminal or process manager has already sent one to each worker. */
  stop(): void {
    this.#stopping.abort()
    for (const link of this.#workers.values()) link.tell('worker.stop', null)
  }

  kill(): void {
    for (const worker of this.#workers.keys()) worker.process.kill('SIGKILL')
  }

  /** Runs one worker from start to end. */
  async #run(number: number): Promise<object> {
    const { count, log, config } = this.#input
    cluster.setupPrimary({ args: ['worker', String(number), String(count)] })
    const worker = cluster.fork()
    const handed = watchHanded(worker.process)
    const link = new ProcessLink((batch) => worker.send(batch, () => {}))
    this.#workers.set(worker, link)
    worker.on('message', (batch: unknown) => link.receive(batch))
    this.#limiter.serve(link)
    serveSlotQueues((name) => this.#slotQueues.of(name), link)
    this.#metrics.serve(link)
    this.#sharing.serve(link)
    link.serve('worker.listening', (found) => this.#listens(found as Listening))
    link.serve('worker.failed', (message) =>
      this.#started.reject(new CommandError(String(message))),
    )
    watchWorker(link, config.server.workerTimeoutMs, () => {
      log.error({ worker: number }, 'a worker does not answer: it is killed')
      worker.process.kill('SIGKILL')
    })
    const logged = forwardLines(worker, log)
    const { code, signal } = await this.#exit(worker, number)
    link.close()
    handed.close()
    await logged
    this.#workers.delete(worker)
    return signal === null ? { code } : { signal }
  }

  /** Resolves when the worker has ended. Sending to a worker that is ending fails, which must not end this process. */
  #exit(worker: Worker, number: number): Promise<Exit> {
    return new Promise((resolve) => {
      worker.on('exit', (code: number | null, signal: string | null) => resolve({ code, signal }))
      worker.on('error', (error) => {
        this.#input.log.warn({ worker: number, reason: error.message }, 'a worker was not reached')
        // The process was never started, so no exit event follows.
        if (worker.process.pid === undefined) resolve({ code: null, signal: null })
      })
    })
  }

  #listens(found: Listening): void {
    this.#listening += 1
    if (this.#listening < this.#input.count || this.#hasStarted) return
    this.#hasStarted = true
    this.#started.resolve()
    this.#input.listening(found)
  }
}

/** Copies a worker's lines to this process's log as whole lines: several processes writing to one pipe would mix them. */
async function forwardLines({ process: { stdout } }: Worker, log: OpenLog): Promise<void> {
  if (!stdout) return
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const piece of stdout) {
    const text = rest + decoder.write(piece as Buffer)
    const end = text.lastIndexOf('\n') + 1
    if (end > 0) log.forward(text.slice(0, end))
    rest = text.slice(end)
  }
  if (rest !== '') log.forward(`${rest}\n`)
}
