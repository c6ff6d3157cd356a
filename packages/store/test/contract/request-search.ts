import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { UsageRecord } from '../../../contract/src/core/usage.ts'
import type { Store } from '../../../gateway/src/ports/store.ts'
import type { RequestScope } from '../../../gateway/src/ports/usage-store.ts'
import type { StoreUnderTest } from './store.ts'
import { everything, foldAll, manyRecords, march } from './many-records.ts'

const hour = 3_600_000
const records = manyRecords(1_200)

/** Each is looked for before anything is summed, while some of it is, and after all of it is. */
const questions: readonly (readonly [
  name: string,
  asked: Partial<RequestScope>,
  is: (record: UsageRecord) => boolean,
])[] = [
  ['all', {}, () => true],
  ['of a key', { only: { key: 'key_3' } }, ({ keyId }) => keyId === 'key_3'],
  ['of nobody’s key', { only: { key: 'key_99' } }, () => false],
  ['without a user', { only: { user: '' } }, ({ userId }) => userId === undefined],
  [
    'of a team and a model',
    { only: { team: 'team_1', model: 'm2' } },
    ({ teamId, model }) => teamId === 'team_1' && model === 'm2',
  ],
  ['with a tag', { only: { tag: 'a"b' } }, ({ tags = [] }) => tags.includes('a"b')],
  [
    'of a key that failed',
    { only: { key: 'key_1', outcome: 'failed' } },
    ({ keyId, outcome }) => keyId === 'key_1' && outcome === 'failed',
  ],
  [
    'of a provider within hours',
    { only: { provider: 'p1' }, from: march + hour / 2, to: march + 30.5 * hour },
    ({ provider, startedAt }) =>
      provider === 'p1' && startedAt >= march + hour / 2 && startedAt < march + 30.5 * hour,
  ],
  [
    'that asked for a name',
    { requestedModel: 'fast' },
    ({ requestedModel }) => requestedModel === 'fast',
  ],
  [
    'that asked for a target',
    { requestedModel: 'p1/m2', only: { key: 'key_3' } },
    ({ requestedModel, provider, model, keyId }) =>
      requestedModel === undefined && provider === 'p1' && model === 'm2' && keyId === 'key_3',
  ],
  [
    'that asked for a model, whoever has it',
    { requestedModel: 'm1' },
    ({ requestedModel, model }) => requestedModel === undefined && model === 'm1',
  ],
  [
    'by an id, of a team',
    { only: { team: 'team_1' }, id: 'mine_7' },
    ({ teamId, requestId }) => teamId === 'team_1' && requestId === 'mine_7',
  ],
]

/** All pages of a search. */
async function found({ usage }: Store, asked: Partial<RequestScope>): Promise<readonly string[]> {
  const ids: string[] = []
  for (let before: { startedAt: number; sequence: number } | undefined; ; ) {
    const page = await usage.requests({
      ...everything,
      ...asked,
      limit: 37,
      ...(before && { before }),
    })
    ids.push(...page.map(({ attempts }) => attempts[0]?.callId ?? ''))
    if (page.length < 37) return ids
    before = page.at(-1)
  }
}

/** The meaning of a search for calls. Each implementation of Store runs it. */
export function describeRequestSearch(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`the search of ${name}`, () => {
    let subject: StoreUnderTest
    beforeEach(async () => {
      subject = await open()
    })
    afterEach(() => subject.remove())

    test('finds the same whatever is summed', async () => {
      const { store } = subject
      const checked = async (): Promise<void> => {
        for (const [asked, question, is] of questions) {
          const expected = records
            .filter(is)
            .toReversed()
            .toSorted((a, b) => b.startedAt - a.startedAt)
            .map(({ callId }) => callId)
          expect([asked, ...(await found(store, question))]).toEqual([asked, ...expected])
        }
      }
      for (const record of records.slice(0, 800)) store.recordUsage(record)
      await store.flush()
      await foldAll(store)
      for (const record of records.slice(800)) store.recordUsage(record)
      await store.flush()
      await checked()
      await foldAll(store)
      await checked()
      await store.usage.rebuild()
      await checked()
    })
  })
}
