import { setTimeout as wait } from 'node:timers/promises'
import type { ProcessLink } from '@sluice/store/limits/process-link.ts'
import { addedSnapshots, lastingSnapshots } from '../telemetry/added-snapshots.ts'
import type { FamilySnapshot } from '../telemetry/families.ts'
import type { OtherProcesses } from '../telemetry/open-telemetry.ts'

/** Timeout for a worker's metrics, in milliseconds; a late worker counts with its last values. */
const answerMs = 2_000

type Families = readonly FamilySnapshot[]

/**
 * The combined metrics of all workers, held in the primary process. The last counters of a worker are kept when it ends,
 * because a counter must never decrease.
 */
export class WorkerMetrics {
  readonly #last = new Map<ProcessLink, Families>()
  #ended: Families = []

  serve(link: ProcessLink): void {
    this.#last.set(link, [])
    link.serve('metrics.all', (own) => this.#all(link, own as Families))
    link.whenClosed(() => {
      const last = lastingSnapshots(this.#last.get(link) ?? [])
      this.#last.delete(link)
      this.#ended = addedSnapshots([this.#ended, last])
    })
  }

  /** Combines all metrics at the request of one worker, which sends its own. */
  async #all(asking: ProcessLink, own: Families): Promise<Families> {
    this.#last.set(asking, own)
    const others = [...this.#last.keys()].filter((link) => link !== asking)
    await Promise.all(others.map((link) => this.#ask(link)))
    return addedSnapshots([...this.#last.values(), this.#ended])
  }

  async #ask(link: ProcessLink): Promise<void> {
    const asked = link.ask('metrics.own', undefined).then(
      (metrics) => metrics as Families,
      () => undefined,
    )
    const metrics = await Promise.race([asked, wait(answerMs, undefined, { ref: false })])
    if (metrics && this.#last.has(link)) this.#last.set(link, metrics)
  }
}

/** The worker's side of WorkerMetrics. */
export function measuredElsewhere(link: ProcessLink): OtherProcesses {
  return {
    // The other side returns what it was sent.
    addTo: async (own) => (await link.ask('metrics.all', own)) as Families,
    serve(own) {
      link.serve('metrics.own', own)
    },
  }
}
