import { CounterFamily, type FamilySnapshot, HistogramFamily } from './families.ts'
import {
  durationBuckets,
  firstTokenBuckets,
  genAiMetrics,
  perTokenBuckets,
  tokenBuckets,
} from './gen-ai.ts'

/** The metrics of calls and attempts. */
export class CallFamilies {
  readonly requests = new CounterFamily([
    'sluice_requests',
    'Requests that are over, by what became of them.',
  ])
  readonly errors = new CounterFamily([
    'sluice_errors',
    'Errors that callers were told, by their row in the table of errors.',
  ])
  readonly refusals = new CounterFamily([
    'sluice_limiter_refusals',
    'Requests that a limit has refused.',
  ])
  readonly attempts = new CounterFamily([
    'sluice_attempts',
    'Attempts at upstreams that are over, by what became of them.',
  ])
  readonly tokens = new CounterFamily([
    'sluice_tokens',
    'Tokens of all attempts. cached_input and cache_write are parts of input, reasoning is a part of output.',
  ])
  readonly cost = new CounterFamily([
    'sluice_cost_usd',
    'What attempts have cost, in US dollars, where it is known.',
  ])
  readonly unknownCosts = new CounterFamily([
    'sluice_unknown_costs',
    'Attempts whose cost nobody knows.',
  ])
  readonly duration = new HistogramFamily(
    ['sluice_request_duration_seconds', 'From the request to the end of its answer.', 's'],
    durationBuckets,
  )
  readonly firstToken = new HistogramFamily(
    [
      'sluice_time_to_first_token_seconds',
      'Of streams: from the request to the first content of the answer.',
      's',
    ],
    firstTokenBuckets,
  )
  readonly perToken = new HistogramFamily(
    [
      'sluice_time_per_output_token_seconds',
      'Of streams: time for each token after the first.',
      's',
    ],
    perTokenBuckets,
  )
  readonly tokenUsage = new HistogramFamily(
    [genAiMetrics.tokenUsage, 'Number of input and output tokens used.', '{token}'],
    tokenBuckets,
  )
  readonly operationDuration = new HistogramFamily(
    [genAiMetrics.operationDuration, 'GenAI operation duration.', 's'],
    durationBuckets,
  )
  readonly serverFirstToken = new HistogramFamily(
    [
      genAiMetrics.timeToFirstToken,
      'Time to generate the first token of successful responses.',
      's',
    ],
    firstTokenBuckets,
  )
  readonly serverPerToken = new HistogramFamily(
    [
      genAiMetrics.timePerOutputToken,
      'Time per output token generated after the first token, of successful responses.',
      's',
    ],
    perTokenBuckets,
  )

  snapshots(): readonly FamilySnapshot[] {
    return Object.values(this).map((family: CounterFamily | HistogramFamily) => family.snapshot())
  }
}
