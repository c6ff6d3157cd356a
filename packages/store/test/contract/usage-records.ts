import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { costOf, joinMoney } from '../../../contract/src/core/money.ts'
import type { UsageRecord } from '../../../contract/src/core/usage.ts'
import type { Store } from '../../../gateway/src/ports/store.ts'
import type { SpentGroup, UsageQuestion } from '../../../gateway/src/ports/usage-store.ts'
import type { StoreUnderTest } from './store.ts'
import { everything, foldAll, manyRecords, march } from './many-records.ts'

const hour = 3_600_000
const has = ({ tags }: UsageRecord, tag: string) => tags?.includes(tag) === true

const cases: readonly (readonly [UsageQuestion['only'], (record: UsageRecord) => boolean])[] = [
  [{}, () => true],
  [{ key: 'key_3' }, ({ keyId }) => keyId === 'key_3'],
  [{ key: 'key_none' }, () => false],
  [{ user: '' }, ({ userId }) => userId === undefined],
  [{ team: 'team_1', tag: 'red' }, (r) => r.teamId === 'team_1' && has(r, 'red')],
  [{ tag: '' }, ({ tags }) => tags === undefined],
  [{ outcome: 'failed', model: 'm1' }, (r) => r.outcome === 'failed' && r.model === 'm1'],
]

async function keep(store: Store, records: readonly UsageRecord[]): Promise<void> {
  for (const record of records) store.recordUsage(record)
  await store.flush()
}

async function listed({ usage }: Store, only: UsageQuestion['only']): Promise<readonly string[]> {
  const ids: string[] = []
  let after: { startedAt: number; sequence: number } | undefined
  for (;;) {
    const page = await usage.records({ ...everything, only, limit: 61, ...(after && { after }) })
    ids.push(...page.map(({ record }) => record.callId))
    const last = page.at(-1)
    if (!last) return ids
    after = { startedAt: last.record.startedAt, sequence: last.sequence }
  }
}

/** What a record counts in budgets: its cost or, if that is unknown, what was reserved. */
function countedOf(record: UsageRecord): bigint {
  const { reservedMicroUsd = 0, reservedRestPicoUsd } = record
  return costOf(record) ?? joinMoney(reservedMicroUsd, reservedRestPicoUsd)
}

const sumOf = (groups: readonly SpentGroup[]) => groups.reduce((sum, { money }) => sum + money, 0n)

/** What the usage store says of single records. Each implementation of Store runs it. */
export function describeUsageRecords(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`the records of ${name}`, () => {
    let subject: StoreUnderTest
    beforeEach(async () => {
      subject = await open()
    })
    afterEach(() => subject.remove())

    test('are paged without gaps or duplicates with their cost, whatever is summed', async () => {
      const { store } = subject
      const records = manyRecords(900)
      const from = march + 7 * hour + 1
      const checked = async (): Promise<void> => {
        for (const [only, is] of cases) {
          const found = records.filter(is).toSorted((a, b) => a.startedAt - b.startedAt)
          expect(await listed(store, only)).toEqual(found.map(({ callId }) => callId))
          const cost = found
            .filter(({ startedAt }) => startedAt >= from)
            .reduce((sum, record) => sum + countedOf(record), 0n)
          const spent = await store.usage.spent({ from, only })
          expect(sumOf(spent)).toBe(cost)
          const unknown = await store.usage.spent({ from, only, isUnknown: true })
          const ofUnknown = found.filter(
            (each) => each.startedAt >= from && each.costMicroUsd === undefined,
          )
          expect(unknown.length > 0).toBe(ofUnknown.length > 0)
          expect(sumOf(unknown)).toBe(
            ofUnknown.reduce((sum, record) => sum + countedOf(record), 0n),
          )
        }
      }
      await keep(store, records.slice(0, 700))
      await foldAll(store)
      await keep(store, records.slice(700))
      await checked()
      await foldAll(store)
      await checked()
      await store.usage.rebuild()
      await checked()
    })
  })
}
