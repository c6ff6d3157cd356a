import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { LoadClient, type Outcome, type Shot } from './load-client.ts'

export interface LoadOptions {
  /** The server's URL; only protocol, host and port are used. */
  readonly url: URL
  /** Number of requests at a time, each on a connection of its own. */
  readonly concurrency: number
  /** Returns the request with this number, from 0. */
  readonly shot: (index: number) => Shot
  /** Maximum number of requests. Default: unlimited. */
  readonly requests?: number
  /** No request is started after this time; open ones may finish. Default: unlimited. */
  readonly durationMs?: number
  /** The start of the connections is spread over this time, so that paced streams are not synchronized. Default 0. */
  readonly spreadMs?: number
  /** Per request. Default 120,000. */
  readonly timeoutMs?: number
  /** Called with the bytes of every event. */
  readonly onEvent?: (event: Buffer) => void
  /** When aborted, no request is started, and open ones are aborted and not counted. */
  readonly signal?: AbortSignal
}

/** Milliseconds. */
export interface Times {
  readonly mean: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
}

export interface LoadReport {
  /** Completed and failed requests, including those in `cancelled`. */
  readonly requests: number
  readonly cancelled: number
  readonly failures: Readonly<Record<string, number>>
  readonly seconds: number
  readonly requestsPerSecond: number
  readonly events: number
  readonly bytes: number
  /** For requests that did not fail. Undefined if there are no values. */
  readonly firstByteMs: Times | undefined
  readonly firstEventMs: Times | undefined
  readonly firstTokenMs: Times | undefined
  readonly wholeMs: Times | undefined
  /** Between consecutive events. */
  readonly eventGapMs: Times | undefined
}

const timeoutMsUsual = 120_000

/** Sends requests over the given number of connections and measures the responses. */
export async function runLoad(options: LoadOptions): Promise<LoadReport> {
  const { requests = Number.POSITIVE_INFINITY, durationMs = Number.POSITIVE_INFINITY } = options
  const { url, timeoutMs = timeoutMsUsual, concurrency, spreadMs = 0, signal } = options
  await using client = await LoadClient.open({ url, timeoutMs, connections: concurrency })
  const cancel = () => client.cancel()
  signal?.addEventListener('abort', cancel, { once: true })
  const tally = createTally()
  const onEvent = (event: Buffer, gapMs: number | undefined) => {
    tally.gap(gapMs)
    options.onEvent?.(event)
  }
  const startedAt = performance.now()
  const endsAt = startedAt + durationMs
  let started = 0

  async function work(worker: number): Promise<void> {
    await pause((spreadMs * worker) / concurrency)
    while (started < requests && performance.now() < endsAt && !signal?.aborted) {
      const outcome = await client.exchange(options.shot(started++), onEvent)
      if (signal?.aborted) break
      tally.add(outcome)
      // Otherwise a server that refuses connections would be called in a tight loop.
      if (outcome.status === 0) await pause(refusedPauseMs)
    }
  }

  await Promise.all(Array.from({ length: concurrency }, (_, worker) => work(worker)))
  signal?.removeEventListener('abort', cancel)
  return tally.report((performance.now() - startedAt) / 1000)
}

const refusedPauseMs = 10

function pause(ms: number): Promise<void> | undefined {
  return ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : undefined
}

function createTally() {
  const times = {
    firstByteMs: createHistogram(),
    firstEventMs: createHistogram(),
    firstTokenMs: createHistogram(),
    wholeMs: createHistogram(),
    eventGapMs: createHistogram(),
  }
  const failures: Record<string, number> = {}
  let requests = 0
  let cancelled = 0
  let events = 0
  let bytes = 0

  return {
    gap: (ms: number | undefined) => record(times.eventGapMs, ms),
    add(outcome: Outcome) {
      requests += 1
      events += outcome.events
      bytes += outcome.bytes
      if (outcome.cancelled) cancelled += 1
      if (outcome.failure !== undefined) {
        failures[outcome.failure] = (failures[outcome.failure] ?? 0) + 1
        return
      }
      record(times.firstByteMs, outcome.firstByteMs)
      record(times.firstEventMs, outcome.firstEventMs)
      record(times.firstTokenMs, outcome.firstTokenMs)
      if (!outcome.cancelled) record(times.wholeMs, outcome.endMs)
    },
    report: (seconds: number): LoadReport => ({
      requests,
      cancelled,
      failures,
      seconds,
      requestsPerSecond: requests / seconds,
      events,
      bytes,
      firstByteMs: timesOf(times.firstByteMs),
      firstEventMs: timesOf(times.firstEventMs),
      firstTokenMs: timesOf(times.firstTokenMs),
      wholeMs: timesOf(times.wholeMs),
      eventGapMs: timesOf(times.eventGapMs),
    }),
  }
}

/** A histogram holds integers from 1, so it counts microseconds. */
function record(histogram: RecordableHistogram, ms: number | undefined): void {
  if (ms !== undefined) histogram.record(Math.max(1, Math.round(ms * 1000)))
}

function timesOf(histogram: RecordableHistogram): Times | undefined {
  if (histogram.count === 0) return undefined
  const percentile = (share: number) => histogram.percentile(share) / 1000
  return {
    mean: histogram.mean / 1000,
    p50: percentile(50),
    p90: percentile(90),
    p99: percentile(99),
    max: histogram.max / 1000,
  }
}
