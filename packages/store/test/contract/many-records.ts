import { expect } from 'vitest'
import { sampleUsage } from '../../../../test/support/store-samples.ts'
import { costOf, splitMoney } from '../../../contract/src/core/money.ts'
import type { UsageRecord } from '../../../contract/src/core/usage.ts'
import type { Store } from '../../../gateway/src/ports/store.ts'
import type { UsageQuestion } from '../../../gateway/src/ports/usage-store.ts'

const day = 24 * 3_600_000
/** A day in the middle of a month, and one around the end of a year. */
export const march = Date.UTC(2026, 2, 10)
export const december = Date.UTC(2025, 11, 30)
export const everything = {
  from: Date.UTC(2025, 0, 1),
  to: Date.UTC(2027, 0, 1),
  only: {},
  limit: 1_000,
}

/** Records of every kind over some days, always the same. */
export function manyRecords(count: number): readonly UsageRecord[] {
  let seed = 7
  const draw = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  const outcomes = ['completed', 'failed', 'cancelled', 'incomplete'] as const
  return Array.from({ length: count }, (_, n) => {
    const user = draw(4)
    const tags = [['blue'], ['blue', 'red'], ['red', 'a"b'], undefined][draw(4)]
    const cost = draw(3)
    // Up to a tenth of a cent to the picodollar, and a few so large that their sums are beyond what a number can say.
    const amount = BigInt(draw(1_000_000_000)) + (draw(50) ? 0n : 10n ** 18n)
    return sampleUsage({
      callId: `call_${n}`,
      requestId: `mine_${n}`,
      clientAddress: `192.0.2.${n % 256}`,
      attempt: 1 + draw(2),
      keyId: `key_${draw(6)}`,
      ...(user > 0 && { userId: `user_${user}`, teamId: `team_${user % 2}` }),
      ...(user === 1 && { organizationId: 'org_1' }),
      ...(tags && { tags }),
      operation: draw(2) ? 'chat' : 'embed',
      provider: `p${draw(2)}`,
      model: `m${draw(3)}`,
      outcome: outcomes[draw(4)] ?? 'completed',
      reported: draw(2) === 1,
      ...(draw(3) === 0 && { estimated: true }),
      ...(draw(9) === 0 && { unsettled: true }),
      ...(cost > 0 ? costIn(amount) : reservedIn(amount)),
      startedAt: (draw(2) ? march : december) + draw(5 * day),
      inputTokens: draw(100),
      outputTokens: draw(100),
      cachedInputTokens: draw(10),
      ...(draw(5) === 0 && { seconds: draw(100) / 4 }),
      ...(n % 5 === 0 && { requestedModel: 'fast' }),
    })
  })
}

function costIn(amount: bigint) {
  const [costMicroUsd, costRestPicoUsd] = splitMoney(amount)
  return { costMicroUsd, costRestPicoUsd }
}

function reservedIn(amount: bigint) {
  const [reservedMicroUsd, reservedRestPicoUsd] = splitMoney(amount)
  return { reservedMicroUsd, reservedRestPicoUsd }
}

/** As a program writes it that rounds each cost to whole millionths of a dollar. */
export function rounded(record: UsageRecord): UsageRecord {
  const { costRestPicoUsd: _, reservedRestPicoUsd: __, ...whole } = record
  return whole
}

/** What the sums have to be, one record after the other. */
export function expected(
  records: readonly UsageRecord[],
  keysOf: (record: UsageRecord) => (string | number)[][],
) {
  const sums = new Map<
    string,
    {
      attempts: number
      calls: number
      cost: bigint
      unknown: number
      tokens: number
      seconds: number
      estimated: number
      unsettled: number
      failed: number
    }
  >()
  for (const record of records)
    for (const key of keysOf(record)) {
      const name = JSON.stringify(key)
      const sum = sums.get(name) ?? {
        attempts: 0,
        calls: 0,
        cost: 0n,
        unknown: 0,
        tokens: 0,
        seconds: 0,
        estimated: 0,
        unsettled: 0,
        failed: 0,
      }
      sum.attempts += 1
      sum.calls += record.attempt === 1 ? 1 : 0
      sum.cost += costOf(record) ?? 0n
      sum.unknown += record.costMicroUsd === undefined ? 1 : 0
      sum.tokens += record.inputTokens + record.outputTokens
      sum.seconds += record.seconds ?? 0
      sum.estimated += record.estimated === true ? 1 : 0
      sum.unsettled += record.unsettled === true ? 1 : 0
      sum.failed += record.outcome === 'failed' ? 1 : 0
      sums.set(name, sum)
    }
  return Object.fromEntries([...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

export async function answered({ usage }: Store, question: Partial<UsageQuestion>) {
  const { groups, hasMore, pending } = await usage.sums({ ...everything, by: [], ...question })
  expect({ hasMore, pending }).toEqual({ hasMore: false, pending: 0 })
  const sums = groups.map(
    ({ of, sums: s }) =>
      [
        JSON.stringify(of),
        {
          attempts: s.attempts,
          calls: s.calls,
          cost: s.cost,
          unknown: s.unknownCosts,
          tokens: s.inputTokens + s.outputTokens,
          seconds: s.seconds,
          estimated: s.estimated,
          unsettled: s.unsettled,
          failed: s.failed,
        },
      ] as const,
  )
  return Object.fromEntries(sums.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

export async function foldAll({ usage }: Store): Promise<void> {
  while ((await usage.fold()) > 0);
}
