import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sampleUsage } from '../../../../test/support/store-samples.ts'
import type { UsageRecord } from '../../../contract/src/core/usage.ts'
import type { Store } from '../../../gateway/src/ports/store.ts'
import type { UsageQuestion } from '../../../gateway/src/ports/usage-store.ts'
import {
  answered,
  december,
  everything,
  expected,
  foldAll,
  manyRecords,
  march,
} from './many-records.ts'
import type { StoreUnderTest } from './store.ts'

const hour = 3_600_000
const day = 24 * hour

/** Tells records of one test apart, whoever they belong to. */
function identityOf({ callId, attempt }: UsageRecord): string {
  return `${callId} ${attempt}`
}

/** The meaning of UsageStore. Each implementation of Store runs it. */
export function describeUsageStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`the usage store of ${name}`, () => {
    let subject: StoreUnderTest
    let store: Store
    beforeEach(async () => {
      subject = await open()
      store = subject.store
    })
    afterEach(() => subject.remove())

    async function keep(records: readonly UsageRecord[]): Promise<void> {
      for (const record of records) store.recordUsage(record)
      await store.flush()
    }
    const monthOf = (at: number) =>
      Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth())
    const none = ''

    test('sums every record once, by any one or two dimensions', async () => {
      const records = manyRecords(2_500)
      await keep(records)
      await foldAll(store)
      await foldAll(store)
      const check = async (by: UsageQuestion['by'], keysOf: Parameters<typeof expected>[1]) =>
        expect(await answered(store, { by }), by.join()).toEqual(expected(records, keysOf))
      await check(['day'], ({ startedAt }) => [[startedAt - (startedAt % day)]])
      await check(['hour', 'model'], ({ startedAt, model }) => [
        [startedAt - (startedAt % hour), model],
      ])
      await check(['month', 'user'], ({ startedAt, userId }) => [
        [monthOf(startedAt), userId ?? none],
      ])
      await check(['key'], ({ keyId }) => [[keyId]])
      await check(['team', 'provider'], ({ teamId, provider }) => [[teamId ?? none, provider]])
      await check(['organization', 'operation'], (r) => [[r.organizationId ?? none, r.operation]])
      await check(['key', 'model'], ({ keyId, model }) => [[keyId, model]])
      await check(['tag'], ({ tags = [] }) => tags.map((tag) => [tag]))
      await check(['tag', 'user'], ({ tags = [], userId }) =>
        tags.map((tag) => [tag, userId ?? none]),
      )
      await check(['tag', 'model'], ({ tags = [], model }) => tags.map((tag) => [tag, model]))
      await check(['outcome'], ({ outcome }) => [[outcome]])
      await check(['outcome', 'model'], ({ outcome, model }) => [[outcome, model]])
      await check(['outcome', 'key'], ({ outcome, keyId }) => [[outcome, keyId]])
      await check(['tag', 'outcome'], ({ tags = [], outcome }) => tags.map((tag) => [tag, outcome]))
      const { total, groups } = await store.usage.sums({ ...everything, by: ['tag'] })
      expect(total.attempts).toBe(2_500)
      expect(groups.reduce((sum, { sums }) => sum + sums.attempts, 0)).toBeGreaterThan(2_500)
    })

    test('counts within a time range, to the hour, by every period', async () => {
      const records = manyRecords(600)
      await keep(records)
      await foldAll(store)
      const from = december + 5 * hour
      for (const to of [
        from + hour,
        from + day,
        december + 3 * day + 2 * hour,
        march + 2 * day + hour,
      ]) {
        const within = records.filter(({ startedAt }) => startedAt >= from && startedAt < to)
        const starts = {
          hour: (at: number) => at - (at % hour),
          day: (at: number) => at - (at % day),
          month: monthOf,
        }
        for (const [period, startOf] of Object.entries(starts) as [
          'hour' | 'day' | 'month',
          (at: number) => number,
        ][])
          expect(await answered(store, { from, to, by: [period] }), `${period} ${to}`).toEqual(
            expected(within, ({ startedAt }) => [[startOf(startedAt)]]),
          )
        const { total } = await store.usage.sums({ ...everything, from, to, by: [] })
        expect(total.attempts).toBe(within.length)
      }
    })

    test('counts only records that match the filter, including absent values', async () => {
      const records = manyRecords(600)
      await keep(records)
      await foldAll(store)
      const check = async (
        only: UsageQuestion['only'],
        isAsked: (record: UsageRecord) => boolean,
      ) => {
        const found = records.filter(isAsked)
        expect(found.length).toBeGreaterThan(0)
        expect(await answered(store, { by: ['model'], only })).toEqual(
          expected(found, ({ model }) => [[model]]),
        )
        const listed = await store.usage.records({ ...everything, only })
        expect(listed.map(({ record }) => record.callId).toSorted()).toEqual(
          found.map(({ callId }) => callId).toSorted(),
        )
      }
      await check(
        { user: 'user_1', provider: 'p0' },
        (r) => r.userId === 'user_1' && r.provider === 'p0',
      )
      await check({ user: '' }, ({ userId }) => userId === undefined)
      await check(
        { outcome: 'failed', key: 'key_3', model: 'm1' },
        (r) => r.outcome === 'failed' && r.keyId === 'key_3' && r.model === 'm1',
      )
      await check(
        { outcome: 'cancelled', user: 'user_2', tag: 'red' },
        (r) =>
          r.outcome === 'cancelled' && r.userId === 'user_2' && r.tags?.includes('red') === true,
      )
      await check(
        { tag: 'a"b', key: 'key_2' },
        (r) => r.tags?.includes('a"b') === true && r.keyId === 'key_2',
      )
    })

    test('pages groups without gaps or duplicates', async () => {
      const records = manyRecords(500)
      await keep(records)
      await foldAll(store)
      const whole = await store.usage.sums({ ...everything, by: ['day', 'key'] })
      const seen: unknown[] = []
      let after: readonly (string | number)[] | undefined
      for (;;) {
        const page = await store.usage.sums({
          ...everything,
          by: ['day', 'key'],
          limit: 7,
          ...(after && { after }),
        })
        seen.push(...page.groups)
        expect(page.total).toEqual(whole.total)
        after = page.groups.at(-1)?.of
        if (!page.hasMore) break
      }
      expect(seen).toEqual(whole.groups)
    })

    test('counts each record once under concurrent folds', async () => {
      const records = manyRecords(3_000)
      const others = [await subject.openAnother(), await subject.openAnother()]
      const folders = [store, ...others].map(async (each) => {
        for (let quiet = 0; quiet < 20; ) quiet = (await each.usage.fold()) === 0 ? quiet + 1 : 0
      })
      await keep(records)
      await Promise.all(folders)
      await foldAll(store)
      expect(await answered(store, { by: ['key', 'model'] })).toEqual(
        expected(records, ({ keyId, model }) => [[keyId, model]]),
      )
    })

    test('reports the number of pending records', async () => {
      await keep(manyRecords(1_500))
      const before = await store.usage.sums({ ...everything, by: [] })
      expect([before.pending, before.total.attempts]).toEqual([1_500, 0])
      await store.usage.fold()
      const between = await store.usage.sums({ ...everything, by: [] })
      expect(between.pending + between.total.attempts).toBe(1_500)
    })

    test('rebuilds from records and keeps sums whose records are deleted', async () => {
      const records = manyRecords(2_000)
      await keep(records)
      await foldAll(store)
      const before = await answered(store, { by: ['day', 'key'] })
      const months = await answered(store, { by: ['month'] })
      // In the middle of March.
      while ((await store.usage.forget(march + 2 * day + 7 * hour)).hasMore);
      const left = await store.usage.records({ ...everything, limit: 5_000 })
      const kept = records.filter(({ startedAt }) => startedAt >= march + 2 * day)
      // The newest stays, whatever its age.
      expect(left.length - kept.length).toBeLessThanOrEqual(1)
      expect(await answered(store, { by: ['day', 'key'] })).toEqual(before)
      for (let times = 0; times < 2; times++) {
        await store.usage.rebuild()
        await foldAll(store)
        expect(await answered(store, { by: ['day', 'key'] })).toEqual(before)
        expect(await answered(store, { by: ['month'] })).toEqual(months)
      }
      await keep([sampleUsage({ keyId: 'late', startedAt: december })])
      await foldAll(store)
      expect(await answered(store, { only: { key: 'late' }, by: ['key'] })).toMatchObject({
        '["late"]': { attempts: 1 },
      })
    })

    test('rebuilds when more records are deleted than one step takes', async () => {
      await keep(Array.from({ length: 4_500 }, () => sampleUsage({ startedAt: december })))
      await keep([sampleUsage({ startedAt: march })])
      await foldAll(store)
      while ((await store.usage.forget(march)).hasMore);
      await store.usage.rebuild()
      await foldAll(store)
      const { total, pending } = await store.usage.sums({ ...everything, by: [] })
      expect([total.attempts, pending]).toEqual([4_501, 0])
    })

    test('erases the owner from records and sums, and keeps the usage', async () => {
      const records = manyRecords(800)
      await keep(records)
      await foldAll(store)
      // Not in the sums yet when it is erased.
      const later = [
        sampleUsage({
          callId: 'later',
          keyId: 'key_9',
          userId: 'user_1',
          teamId: 'team_1',
          requestId: 'mine',
          clientAddress: '192.0.2.9',
          startedAt: march,
        }),
      ]
      await keep(later)
      const mine = [...records, ...later].filter(({ userId }) => userId === 'user_1')
      const { replacement, records: count } = await store.usage.erase({
        kind: 'user',
        id: 'user_1',
      })
      expect(count).toBe(mine.length)
      await foldAll(store)
      const all = [...records, ...later].map((record) =>
        record.userId === 'user_1'
          ? { ...record, userId: replacement, keyId: replacement }
          : record,
      )
      expect(await answered(store, { by: ['user', 'key'] })).toEqual(
        expected(all, ({ userId, keyId }) => [[userId ?? '', keyId]]),
      )
      expect(await answered(store, { by: ['tag', 'user'] })).toEqual(
        expected(all, ({ tags = [], userId }) => tags.map((tag) => [tag, userId ?? ''])),
      )
      const listed = await store.usage.records(everything)
      const erased = listed.filter(({ record }) => record.userId === replacement)
      expect(erased).toHaveLength(mine.length)
      const known = new Map([...records, ...later].map((record) => [identityOf(record), record]))
      for (const { record } of erased) {
        // Nothing else is changed, and no field is left that says who it was.
        const { requestId: _, clientAddress: __, ...rest } = known.get(identityOf(record)) ?? {}
        expect(record).toEqual({ ...rest, userId: replacement, keyId: replacement })
      }
      expect(listed.filter(({ record }) => record.userId === 'user_1')).toEqual([])
      expect(await store.usage.erase({ kind: 'user', id: 'user_1' })).toMatchObject({ records: 0 })

      await store.usage.erase({ kind: 'key', id: 'key_2' })
      const keys = await answered(store, { by: ['key'] })
      expect(Object.keys(keys)).not.toContain('["key_2"]')
    })

    test('returns the last use of each key, also of deleted records', async () => {
      const use = (keyId: string, startedAt: number) => keep([sampleUsage({ keyId, startedAt })])
      await use('key_a', march + 5)
      await foldAll(store)
      await use('key_b', march + 1)
      await use('key_a', march + 3)
      const known = new Map([
        ['key_a', march + 5],
        ['key_b', march + 1],
      ])
      expect(await store.lastUse()).toEqual(known)
      await foldAll(store)
      while ((await store.usage.forget(march + 2 * day)).hasMore);
      expect(await store.lastUse()).toEqual(known)
      await store.usage.rebuild()
      expect(await store.lastUse()).toEqual(known)
    })
  })
}
