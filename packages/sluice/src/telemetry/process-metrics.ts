import { monitorEventLoopDelay } from 'node:perf_hooks'
import { programVersion } from '@sluice/gateway/settings/version.ts'
import { type FamilySnapshot, gauge, type ValuePoint } from './families.ts'

/** What a gateway is currently working on. */
export interface UnderWay {
  /** Requests in progress. */
  readonly requests: () => number
  /** Waiting work, by the name of its queue. */
  readonly queues: () => Readonly<Record<string, number>>
  /** Calls in progress where their number is limited, by provider or target. */
  readonly upstreams: () => Readonly<Record<string, number>>
  /** How long the ledger's records have waited for the database, in milliseconds. */
  readonly journalLagMs: () => number
}

/** How often the event loop is sampled, in milliseconds. */
const resolutionMs = 20

/** Metrics of this process. Disposing stops the sampling of the event loop. */
export class ProcessMetrics implements Disposable {
  readonly #underWay: UnderWay
  readonly #delay: ReturnType<typeof monitorEventLoopDelay>
  readonly #startedAt = Date.now() / 1000 - process.uptime()
  readonly #build = { version: programVersion(), node: process.version }

  constructor(underWay: UnderWay) {
    this.#underWay = underWay
    this.#delay = monitorEventLoopDelay({ resolution: resolutionMs })
    this.#delay.enable()
  }

  snapshots(): readonly FamilySnapshot[] {
    const { requests, queues, upstreams, journalLagMs } = this.#underWay
    const { rss, heapUsed, external } = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    return [
      gauge(['sluice_requests_in_flight', 'Requests that are being answered.'], one(requests())),
      gauge(
        ['sluice_queue_length', 'What waits, by the name of its queue.'],
        Object.entries(queues()).map(([queue, value]) => ({ labels: { queue }, value })),
      ),
      gauge(
        [
          'sluice_upstream_calls_in_flight',
          'Calls under way at providers and targets that take only so many at a time.',
        ],
        Object.entries(upstreams()).map(([upstream, value]) => ({ labels: { upstream }, value })),
      ),
      gauge(
        [
          'sluice_journal_lag_seconds',
          'For how long records of usage have waited for the database: 0 while it takes them.',
          's',
        ],
        one(journalLagMs() / 1000),
        'most',
      ),
      this.#eventLoop(),
      gauge(
        ['sluice_build_info', 'The version of this program and of Node.'],
        [{ labels: this.#build, value: 1 }],
        'most',
      ),
      gauge(['sluice_processes', 'Processes that answer requests.'], one(1)),
      {
        name: 'process_cpu_seconds',
        description: 'Processor time of all threads.',
        unit: 's',
        kind: 'counter',
        points: one((user + system) / 1_000_000),
      },
      gauge(['process_resident_memory_bytes', 'Resident memory.', 'By'], one(rss)),
      gauge(['process_start_time_seconds', 'When it started.', 's'], one(this.#startedAt), 'least'),
      gauge(['nodejs_heap_used_bytes', 'Heap of JavaScript in use.', 'By'], one(heapUsed)),
      gauge(['nodejs_external_memory_bytes', 'Memory of buffers.', 'By'], one(external)),
    ]
  }

  [Symbol.dispose](): void {
    this.#delay.disable()
  }

  /** Since the last read. */
  #eventLoop(): FamilySnapshot {
    const delay = this.#delay
    const of = (quantile: string, nanoseconds: number) => ({
      labels: { quantile },
      // The histogram includes the interval itself, and is NaN if nothing was measured.
      value: Number.isFinite(nanoseconds)
        ? Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000)
        : 0,
    })
    const points = [
      of('0.5', delay.percentile(50)),
      of('0.99', delay.percentile(99)),
      of('1', delay.max),
    ]
    delay.reset()
    return gauge(
      [
        'sluice_event_loop_delay_seconds',
        'How late the event loop was since the last scrape.',
        's',
      ],
      points,
      'most',
    )
  }
}

function one(value: number): readonly ValuePoint[] {
  return [{ labels: {}, value }]
}
