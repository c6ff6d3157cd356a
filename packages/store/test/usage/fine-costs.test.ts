// Costs below a millionth of a dollar, beside programs that know none of them.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { onEachDatabase } from '../../../../test/support/servers/databases.ts'
import { openOlderUsage } from '../../../../test/support/servers/older-ledger.ts'
import '../../../../test/support/property-limits.ts'
import type { UsageRecord } from '../../../contract/src/core/usage.ts'
import type { Store } from '../../../gateway/src/ports/store.ts'
import { answered, expected, foldAll, manyRecords, rounded } from '../contract/many-records.ts'

const records = manyRecords(300)

const questions = [
  [['key'], ({ keyId }) => [[keyId]]],
  [['outcome'], ({ outcome }) => [[outcome]]],
  [['tag', 'model'], ({ tags = [], model }) => tags.map((tag) => [tag, model])],
] as const satisfies readonly (readonly [
  readonly string[],
  (record: UsageRecord) => (string | number)[][],
])[]

async function checkSums(store: Store, kept: readonly UsageRecord[]): Promise<void> {
  for (const [by, keysOf] of questions)
    expect(await answered(store, { by })).toEqual(expected(kept, keysOf))
}

type Step = 'records' | 'older records' | 'fold' | 'older fold' | 'rebuild' | 'older rebuild'
const steps = fc.array(
  fc.constantFrom<Step>(
    ...(['records', 'older records', 'fold', 'older fold', 'fold', 'older fold'] as const),
    ...(['rebuild', 'older rebuild'] as const),
  ),
  { minLength: 4, maxLength: 10 },
)

onEachDatabase((newData) => {
  test('property: sums stay exact when versions with and without fine costs record, sum and rebuild in any order', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        await using data = await newData()
        await using store = await data.openStore()
        await using older = await openOlderUsage(data)
        const kept: UsageRecord[] = []
        const keep = async (change: (record: UsageRecord) => UsageRecord) => {
          const some = records.slice(kept.length, kept.length + 40).map(change)
          for (const record of some) store.recordUsage(record)
          await store.flush()
          kept.push(...some)
        }
        const acts: Readonly<Record<Step, () => Promise<unknown>>> = {
          records: () => keep((record) => record),
          'older records': () => keep(rounded),
          fold: () => store.usage.fold(),
          'older fold': () => older.fold(),
          rebuild: () => store.usage.rebuild(),
          async 'older rebuild'() {
            await older.clear()
            await older.fold()
            // Sees it before as many are summed again as were before; a gateway looks every two seconds.
            await store.usage.fold()
          },
        }
        await acts.records()
        for (const step of taken) await acts[step]()
        await foldAll(store)
        await checkSums(store, kept)
      }),
      {
        numRuns: 4,
        examples: [
          [['older fold', 'records', 'older fold', 'older records', 'fold', 'records']],
          [['older fold', 'older fold', 'fold', 'records', 'older rebuild', 'older fold', 'fold']],
        ],
      },
    )
  }, 120_000)
})
