import type { OutputMaximum } from '@sluice/protocols/output-limit.ts'
import type { UpstreamTarget } from './routing.ts'

/** The maxima that upstreams have told by refusing a greater limit, by base URL and model. */
export interface LearnedMaxima {
  learn(target: UpstreamTarget, maximum: OutputMaximum): void
  of(target: UpstreamTarget): OutputMaximum | undefined
}

/** Callers choose the model's name; the one learned first is removed first. */
const targetsMax = 10_000
/** After this time the upstream is asked again, because maxima are raised. */
const validMs = 3_600_000

export function createLearnedMaxima(now: () => number): LearnedMaxima {
  const learned = new Map<string, { readonly maximum: OutputMaximum; readonly until: number }>()
  return {
    learn({ upstream, model }, maximum) {
      const name = `${upstream.baseUrl} ${model}`
      learned.delete(name)
      const [oldest] = learned.size < targetsMax ? [] : learned.keys()
      if (oldest !== undefined) learned.delete(oldest)
      learned.set(name, { maximum, until: now() + validMs })
    },
    of({ upstream, model }) {
      if (learned.size === 0) return undefined
      const found = learned.get(`${upstream.baseUrl} ${model}`)
      return found && found.until > now() ? found.maximum : undefined
    },
  }
}
