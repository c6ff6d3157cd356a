// What the metrics of calls and attempts hold: amounts and units, beside the counts.
import { expect, test } from 'vitest'
import { moneyOfNanoUsd } from '../../../contract/src/core/money.ts'
import type { CallEnd } from '../../../gateway/src/call/call.ts'
import type { AttemptEnd } from '../../../gateway/src/observe/observers.ts'
import { CallMetrics } from '../../src/telemetry/call-metrics.ts'

const usage = {
  inputTokens: 7,
  outputTokens: 5,
  cachedInputTokens: 4,
  cacheWriteTokens: 2,
  reasoningTokens: 3,
  audioInputTokens: 1,
  audioOutputTokens: 6,
}

/** A stream of 2.5 seconds whose first content came after half a second; its attempt began 100 ms later. */
const call = {
  stream: true,
  trail: {
    provider: 'up',
    model: 'm',
    outcome: 'completed',
    attempts: 1,
    firstContentMs: 500,
    usage,
  },
}
const ended = {
  call,
  key: { id: 'key_1' },
  format: { id: 'chat', operation: 'chat' },
  status: 200,
  durationMs: 2_500,
  disconnected: false,
} as unknown as CallEnd
const attemptEnded = {
  call,
  begun: { operation: 'chat', provider: 'up', model: 'm', keyId: 'key_1' },
  ended: { outcome: 'completed', durationMs: 2_400, costMicroUsd: 44, ...usage },
  cost: moneyOfNanoUsd(44_000),
  firstContentMs: 400,
} as unknown as AttemptEnd

/** Unit, count and sum of each histogram, and the value of each counter, by its labels of interest. */
function told(times: number): Readonly<Record<string, unknown>> {
  const metrics = new CallMetrics(false, (provider) => provider)
  for (let time = 0; time < times; time += 1) {
    metrics.attemptEnded(attemptEnded)
    metrics.ended(ended)
  }
  const rounded = (value: number) => Number(value.toPrecision(12))
  return Object.fromEntries(
    metrics.snapshots().flatMap((family): (readonly [string, unknown])[] =>
      family.kind === 'histogram'
        ? family.points.map(({ labels, counts, sum }) => {
            const place = counts.findIndex((count) => count > 0)
            const bounds = [family.bounds[place - 1] ?? 0, family.bounds[place] ?? Infinity]
            const count = counts.reduce((all, one) => all + one, 0)
            const name = [family.name, labels['gen_ai.token.type'] ?? []].flat().join(' ')
            // All values are the same, so their bucket holds their mean.
            const mean = sum / count
            expect([name, mean > bounds[0]! && mean <= bounds[1]!]).toEqual([name, true])
            return [name, [family.unit, count, rounded(sum)]]
          })
        : family.points.map(({ labels, value }) => [
            [family.name, labels['type'] ?? []].flat().join(' '),
            rounded(value),
          ]),
    ),
  )
}

test.each([1, 2])('metrics of %i calls', (times) => {
  expect(told(times)).toEqual({
    sluice_requests: times,
    sluice_attempts: times,
    sluice_cost_usd: 0.000044 * times,
    sluice_unknown_costs: 0,
    ...Object.fromEntries(
      Object.entries({
        input: 7,
        output: 5,
        cached_input: 4,
        cache_write: 2,
        reasoning: 3,
        audio_input: 1,
        audio_output: 6,
      }).map(([type, count]) => [`sluice_tokens ${type}`, count * times]),
    ),
    sluice_request_duration_seconds: ['s', times, 2.5 * times],
    sluice_time_to_first_token_seconds: ['s', times, 0.5 * times],
    sluice_time_per_output_token_seconds: ['s', times, 0.5 * times],
    'gen_ai.client.token.usage input': ['{token}', times, 7 * times],
    'gen_ai.client.token.usage output': ['{token}', times, 5 * times],
    'gen_ai.client.operation.duration': ['s', times, 2.4 * times],
    'gen_ai.server.time_to_first_token': ['s', times, 0.4 * times],
    'gen_ai.server.time_per_output_token': ['s', times, 0.5 * times],
  })
})
