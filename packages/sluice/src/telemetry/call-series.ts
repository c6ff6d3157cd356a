import type { UsageRecord } from '@sluice/contract'
import { type Counter, CounterFamily, type FamilySnapshot, HistogramFamily } from './families.ts'
import {
  durationBuckets,
  firstTokenBuckets,
  genAi,
  genAiMetrics,
  perTokenBuckets,
  tokenBuckets,
} from './gen-ai.ts'

/** The metrics of calls and attempts. */
export class CallFamilies {
  readonly requests = new CounterFamily(
    'sluice_requests',
    'Requests that are over, by what became of them.',
  )
  readonly errors = new CounterFamily(
    'sluice_errors',
    'Errors that callers were told, by their row in the table of errors.',
  )
  readonly refusals = new CounterFamily(
    'sluice_limiter_refusals',
    'Requests that a limit has refused.',
  )
  readonly attempts = new CounterFamily(
    'sluice_attempts',
    'Attempts at upstreams that are over, by what became of them.',
  )
  readonly tokens = new CounterFamily(
    'sluice_tokens',
    'Tokens of all attempts. cached_input and cache_write are parts of input, reasoning is a part of output.',
  )
  readonly cost = new CounterFamily(
    'sluice_cost_usd',
    'What attempts have cost, in US dollars, where it is known.',
  )
  readonly unknownCosts = new CounterFamily(
    'sluice_unknown_costs',
    'Attempts whose cost nobody knows.',
  )
  readonly duration = new HistogramFamily(
    {
      name: 'sluice_request_duration_seconds',
      description: 'From the request to the end of its answer.',
      unit: 's',
    },
    durationBuckets,
  )
  readonly firstToken = new HistogramFamily(
    {
      name: 'sluice_time_to_first_token_seconds',
      description: 'Of streams: from the request to the first content of the answer.',
      unit: 's',
    },
    firstTokenBuckets,
  )
  readonly perToken = new HistogramFamily(
    {
      name: 'sluice_time_per_output_token_seconds',
      description: 'Of streams: time for each token after the first.',
      unit: 's',
    },
    perTokenBuckets,
  )
  readonly tokenUsage = new HistogramFamily(
    {
      name: genAiMetrics.tokenUsage,
      description: 'Number of input and output tokens used.',
      unit: '{token}',
    },
    tokenBuckets,
  )
  readonly operationDuration = new HistogramFamily(
    {
      name: genAiMetrics.operationDuration,
      description: 'GenAI operation duration.',
      unit: 's',
    },
    durationBuckets,
  )
  readonly serverFirstToken = new HistogramFamily(
    {
      name: genAiMetrics.timeToFirstToken,
      description: 'Time to generate the first token of successful responses.',
      unit: 's',
    },
    firstTokenBuckets,
  )
  readonly serverPerToken = new HistogramFamily(
    {
      name: genAiMetrics.timePerOutputToken,
      description:
        'Time per output token generated after the first token, of successful responses.',
      unit: 's',
    },
    perTokenBuckets,
  )

  snapshots(): readonly FamilySnapshot[] {
    return Object.values(this).map((family: CounterFamily | HistogramFamily) => family.snapshot())
  }
}

/** The series of one kind of call, created for the first of them. */
export interface CallLabels {
  readonly operation: string
  readonly format: string
  readonly provider: string
  readonly model: string
  /** The key id, if series are kept by key. */
  readonly key?: string
}

export class CallSeries {
  readonly duration
  readonly firstToken
  readonly perToken
  readonly #families: CallFamilies
  readonly #labels: CallLabels
  readonly #requests = new Map<string, Counter>()

  constructor(families: CallFamilies, labels: CallLabels) {
    const { operation, provider, model } = labels
    const timed = { operation, provider, model }
    this.#families = families
    this.#labels = labels
    this.duration = families.duration.with(timed)
    this.firstToken = families.firstToken.with(timed)
    this.perToken = families.perToken.with(timed)
  }

  request(outcome: string, status: number): Counter {
    const name = `${outcome}${Math.floor(status / 100)}`
    const known = this.#requests.get(name)
    if (known) return known
    const made = this.#families.requests.with({
      ...this.#labels,
      outcome,
      status: `${Math.floor(status / 100)}xx`,
    })
    this.#requests.set(name, made)
    return made
  }
}

/** The same for attempts at one target. */
export class AttemptSeries {
  readonly cost
  readonly unknownCosts
  readonly inputUsage
  readonly outputUsage
  readonly operationDuration
  readonly firstToken
  readonly perToken
  readonly #families: CallFamilies
  readonly #labels: Omit<CallLabels, 'format'>
  readonly #counted = new Map<string, Counter>()

  constructor(
    families: CallFamilies,
    labels: Omit<CallLabels, 'format'>,
    words: { readonly operation: string; readonly provider: string },
  ) {
    const { provider, model } = labels
    const conventional = {
      [genAi.operation]: words.operation,
      [genAi.provider]: words.provider,
      [genAi.requestModel]: model,
    }
    this.#families = families
    this.#labels = labels
    this.cost = families.cost.with(labels)
    this.unknownCosts = families.unknownCosts.with({ provider, model })
    this.inputUsage = families.tokenUsage.with({ ...conventional, [genAi.tokenType]: 'input' })
    this.outputUsage = families.tokenUsage.with({ ...conventional, [genAi.tokenType]: 'output' })
    this.operationDuration = families.operationDuration.with(conventional)
    this.firstToken = families.serverFirstToken.with(conventional)
    this.perToken = families.serverPerToken.with(conventional)
  }

  ended(outcome: UsageRecord['outcome'], reason: string): Counter {
    return this.#counter(`${outcome} ${reason}`, () => {
      const { operation, provider, model } = this.#labels
      return this.#families.attempts.with({ operation, provider, model, outcome, reason })
    })
  }

  tokens(type: string): Counter {
    return this.#counter(type, () => this.#families.tokens.with({ ...this.#labels, type }))
  }

  #counter(name: string, make: () => Counter): Counter {
    const known = this.#counted.get(name)
    if (known) return known
    const made = make()
    this.#counted.set(name, made)
    return made
  }
}
