import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  sampleJob,
  sampleKey,
  sampleResponse,
  sampleUsage,
} from '../../../../test/support/store-samples.ts'
import type { Store } from '../../../gateway/src/ports/store.ts'
import { describeAccounts } from './store-accounts.ts'
import { describeAlerts } from './store-alerts.ts'
import { describeRefusals } from './store-refusals.ts'
import { describeClaims } from './store-claims.ts'
import { describeConversations } from './store-conversations.ts'
import { describeFiles } from './store-files.ts'
import { describeKept } from './store-kept.ts'
import { describeSettings } from './store-settings.ts'

/** What the contract needs of an implementation. */
export interface StoreUnderTest {
  readonly store: Store
  /** Closes the store and opens another one on the same data. */
  reopen(): Promise<Store>
  /** Opens a second store on the same data, as another process would. */
  openAnother(): Promise<Store>
  /** Closes everything and removes the data. */
  remove(): Promise<void>
}

/** The meaning of every method of Store. Each implementation runs it. */
export function describeStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`the store ${name}`, () => {
    let subject: StoreUnderTest
    let store: Store

    beforeEach(async () => {
      subject = await open()
      store = subject.store
    })
    afterEach(() => subject.remove())

    describe('keys', () => {
      test('a key is returned as added, with and without optional fields', async () => {
        const plain = sampleKey({ id: 'key_a', createdAt: 1 })
        const full = sampleKey({
          id: 'key_b',
          role: 'administrator',
          requestsPerMinute: 60,
          models: ['gpt-4o', 'acme/*'],
          createdAt: 2,
          expiresAt: 9_007_199_254_740_991,
        })
        await store.addKey(full)
        await store.addKey(plain)
        expect(await store.listKeys()).toEqual([plain, full])
      })

      test('an empty list of models differs from none', async () => {
        await store.addKey(sampleKey({ models: [] }))
        expect(await store.listKeys()).toEqual([sampleKey({ models: [] })])
      })

      test('a duplicate id or hash is a conflict and changes nothing', async () => {
        await store.addKey(sampleKey({ id: 'key_a', hash: 'h' }))
        await expect(store.addKey(sampleKey({ id: 'key_a', hash: 'i' }))).rejects.toMatchObject({
          code: 'conflict',
        })
        await expect(store.addKey(sampleKey({ id: 'key_b', hash: 'h' }))).rejects.toMatchObject({
          code: 'conflict',
        })
        expect(await store.listKeys()).toHaveLength(1)
      })

      test('a key is revoked once and stays in the list', async () => {
        await store.addKey(sampleKey())
        expect(await store.revokeKey('key_1', 5)).toBe(true)
        expect(await store.revokeKey('key_1', 6)).toBe(false)
        expect(await store.revokeKey('key_2', 6)).toBe(false)
        expect(await store.listKeys()).toEqual([sampleKey({ revokedAt: 5 })])
      })

      test('the version changes exactly when a process changes keys', async () => {
        const another = await subject.openAnother()
        const versions = [await store.keysVersion()]
        expect(await store.keysVersion()).toBe(versions[0])
        await store.addKey(sampleKey())
        versions.push(await store.keysVersion())
        await another.revokeKey('key_1', 5)
        versions.push(await store.keysVersion())
        await another.addKey(sampleKey({ id: 'key_2', hash: 'h' }))
        versions.push(await store.keysVersion())
        await store.revokeKey('key_2', 6)
        versions.push(await store.keysVersion())
        expect(new Set(versions).size).toBe(5)
        expect(await store.keysVersion()).toBe(versions.at(-1))
        expect((await store.listKeys()).map(({ revokedAt }) => revokedAt)).toEqual([5, 6])
      })

      test('one of several processes that add the same key succeeds', async () => {
        const another = await subject.openAnother()
        const answers = await Promise.allSettled(
          Array.from({ length: 10 }, (_, n) => (n % 2 ? store : another).addKey(sampleKey())),
        )
        const refused = answers.filter(({ status }) => status === 'rejected')
        expect(refused).toHaveLength(9)
        for (const answer of refused) expect(answer).toMatchObject({ reason: { code: 'conflict' } })
        expect(await store.listKeys()).toEqual([sampleKey()])
      })

      test('keys survive a restart', async () => {
        await store.addKey(sampleKey())
        store = await subject.reopen()
        expect(await store.listKeys()).toEqual([sampleKey()])
      })
    })

    describeAccounts(() => subject)
    describeAlerts(() => subject)
    describeRefusals(() => subject)

    describe('video jobs', () => {
      test('a job is returned as added, with and without optional fields', async () => {
        const plain = sampleJob({ id: 'video_a' })
        const full = sampleJob({
          id: 'video_b',
          upstreamId: 'theirs',
          status: 'failed',
          progress: 40,
          error: { code: 'broken', message: 'It “broke”' },
          contentFile: 'videos/b.mp4',
          completedAt: 1_700_000_100,
          expiresAt: 1_700_000_200,
          remixedFromVideoId: 'video_a',
        })
        await store.addVideoJob(plain)
        await store.addVideoJob(full)
        expect(await store.findVideoJob('video_a')).toEqual(plain)
        expect(await store.findVideoJob('video_b')).toEqual(full)
        expect(await store.findVideoJob('video_c')).toBeUndefined()
        await expect(store.addVideoJob(plain)).rejects.toMatchObject({ code: 'conflict' })
      })

      test('text keeps every character that the database supports', async () => {
        const prompt = 'it\'s "a" $1 ? \\ %s — 猫 🐈\n\u0001'
        const error = { code: '\0', message: 'a\0b\ud800' }
        await store.addVideoJob(sampleJob({ prompt, error }))
        await store.addVideoJob(sampleJob({ id: 'video_2', prompt: 'a\0b\ud800c' }))
        expect(await store.findVideoJob('video_1')).toEqual(sampleJob({ prompt, error }))
        expect((await store.findVideoJob('video_2'))?.prompt).toBe('a\ufffdb\ufffdc')
        expect(await store.findVideoJob('a\0b')).toBeUndefined()
      })

      test('a fractional progress is rounded', async () => {
        await store.addVideoJob(sampleJob({ progress: 12.6 }))
        expect((await store.findVideoJob('video_1'))?.progress).toBe(13)
        await store.updateVideoJob('video_1', { progress: 33.3 })
        expect((await store.findVideoJob('video_1'))?.progress).toBe(33)
      })

      test('only the given fields change', async () => {
        await store.addVideoJob(sampleJob())
        expect(await store.updateVideoJob('video_1', { status: 'in_progress', progress: 10 })).toBe(
          true,
        )
        expect(await store.updateVideoJob('video_1', {})).toBe(true)
        expect(await store.findVideoJob('video_1')).toEqual(
          sampleJob({ status: 'in_progress', progress: 10 }),
        )
        expect(await store.updateVideoJob('video_2', { progress: 10 })).toBe(false)
      })

      test.each(['completed', 'failed'] as const)(
        'a job that is %s never changes',
        async (status) => {
          await store.addVideoJob(sampleJob())
          expect(await store.updateVideoJob('video_1', { status, progress: 100 })).toBe(true)
          for (const change of [
            { status: 'queued', progress: 0 },
            { status: 'completed' },
            { status: 'failed', error: { code: 'late', message: 'late' } },
            { contentFile: 'other.mp4' },
          ] as const)
            expect(await store.updateVideoJob('video_1', change)).toBe(false)
          expect(await store.findVideoJob('video_1')).toEqual(sampleJob({ status, progress: 100 }))
        },
      )

      test('one of several processes finishes a job', async () => {
        await store.addVideoJob(sampleJob())
        const another = await subject.openAnother()
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, n) =>
            (n % 2 ? store : another).updateVideoJob('video_1', {
              status: n % 3 ? 'completed' : 'failed',
              progress: n,
            }),
          ),
        )
        expect(answers.filter(Boolean)).toHaveLength(1)
        expect((await store.findVideoJob('video_1'))?.progress).toBe(answers.indexOf(true))
      })

      test('pages jobs of one key, newest or oldest first', async () => {
        const ids = Array.from({ length: 7 }, (_, n) => `video_${9 - n}`)
        for (const id of ids) {
          await store.addVideoJob(sampleJob({ id }))
          await store.addVideoJob(sampleJob({ id: `other_${id}`, keyId: 'key_2' }))
        }
        const newestFirst = ids.toReversed()
        expect(await pagesOf(store, false)).toEqual([
          newestFirst.slice(0, 3),
          newestFirst.slice(3, 6),
          newestFirst.slice(6),
        ])
        expect(await pagesOf(store, true)).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)])
      })

      test('lists nothing after an unknown id or one of another key', async () => {
        await store.addVideoJob(sampleJob({ id: 'video_a' }))
        await store.addVideoJob(sampleJob({ id: 'video_b', keyId: 'key_2' }))
        for (const after of ['video_b', 'video_c'])
          expect(await store.listVideoJobs('key_1', { limit: 10, after })).toEqual([])
      })

      test('a job is deleted once, whatever its state', async () => {
        await store.addVideoJob(sampleJob({ status: 'completed', progress: 100 }))
        expect(await store.deleteVideoJob('video_1')).toBe(true)
        expect(await store.deleteVideoJob('video_1')).toBe(false)
        expect(await store.findVideoJob('video_1')).toBeUndefined()
        expect(await store.updateVideoJob('video_1', { progress: 1 })).toBe(false)
      })
    })

    describeClaims(() => subject)
    describeFiles(() => subject)

    describe('responses', () => {
      test('a response is returned as added until it is deleted', async () => {
        const first = sampleResponse()
        const second = sampleResponse({ id: 'resp_2', previousResponseId: 'resp_1' })
        await store.addResponse(first)
        await store.addResponse(second)
        await expect(store.addResponse(first)).rejects.toMatchObject({ code: 'conflict' })
        store = await subject.reopen()
        expect(await store.findResponse('resp_1')).toEqual(first)
        expect(await store.findResponse('resp_2')).toEqual(second)
        expect(await store.deleteResponse('resp_1')).toBe(true)
        expect(await store.deleteResponse('resp_1')).toBe(false)
        expect(await store.findResponse('resp_1')).toBeUndefined()
      })

      test('the owner of an upstream id stays known after the response is deleted', async () => {
        const first = sampleResponse()
        await store.addResponse(first, ['resp_1', 'msg_1', 'msg_1'])
        await store.addResponse(sampleResponse({ id: 'resp_2', keyId: 'key_2' }), ['msg_1'])
        await store.addUpstreamIds(['cntr_1'], { keyId: 'key_2', source: 'msg_of_2' })
        const made = { id: 'cntr_1', keyId: 'key_2', responseId: 'msg_of_2', deleted: false }
        expect(await store.findUpstreamIds(['cntr_1'])).toEqual([made])
        const row = { id: 'msg_1', keyId: first.keyId, responseId: 'resp_1', deleted: false }
        const other = { id: 'msg_1', keyId: 'key_2', responseId: 'resp_2', deleted: false }
        store = await subject.reopen()
        const found = async (...ids: readonly string[]) =>
          (await store.findUpstreamIds(ids)).toSorted((left, right) =>
            left.responseId.localeCompare(right.responseId),
          )
        expect(await found('msg_1', 'msg_1', 'msg_2')).toEqual([row, other])
        expect(await found()).toEqual([])
        await store.deleteResponse('resp_1')
        expect(await found('msg_1')).toEqual([{ ...row, deleted: true }, other])
        expect(await found('resp_1')).toEqual([{ ...row, id: 'resp_1', deleted: true }])
      })
    })

    describeKept(() => subject)
    describeConversations(() => subject)
    describeSettings(() => subject)

    describe('usage', () => {
      test('records are returned newest first, with and without optional fields', async () => {
        const plain = sampleUsage()
        const full = sampleUsage({
          attempt: 2,
          outcome: 'incomplete',
          reported: false,
          cachedInputTokens: 1,
          cacheWriteTokens: 2,
          longCacheWriteTokens: 1,
          audioInputTokens: 3,
          cachedAudioInputTokens: 1,
          imageInputTokens: 4,
          reasoningTokens: 5,
          audioOutputTokens: 6,
          seconds: 7.25,
          images: 8,
          searchUnits: 9,
          serverToolCalls: { web_search: 2, code_execution: 1 },
          chargedUsd: 0.0123,
          costMicroUsd: 3,
          costRestPicoUsd: -499_999,
          reservedMicroUsd: 10,
          reservedRestPicoUsd: 240_000,
          overBudget: 'budget_1',
          skipped: ['a/m: Its breaker is open', 'b/m: "quoted"'],
        })
        store.recordUsage(plain)
        store.recordUsage(full)
        expect(await store.listUsage({ limit: 10 })).toEqual([full, plain])
        expect(await store.listUsage({ limit: 1 })).toEqual([full])
      })

      test('returns the last call of each key', async () => {
        expect(await store.lastUse()).toEqual(new Map())
        for (const [keyId, startedAt] of [
          ['key_a', 1_760_000_000_005],
          ['key_b', 1_760_000_000_001],
          ['key_a', 1_760_000_000_003],
        ] as const)
          store.recordUsage(sampleUsage({ keyId, startedAt }))
        expect(await store.lastUse()).toEqual(
          new Map([
            ['key_a', 1_760_000_000_005],
            ['key_b', 1_760_000_000_001],
          ]),
        )
      })

      test('numbers and text that a database lacks are stored as closely as possible', async () => {
        const odd = { model: 'a\0b\ud800', durationMs: 0.125, inputTokens: 10.6, images: 2.4 }
        store.recordUsage(sampleUsage(odd))
        store.recordUsage(sampleUsage({ inputTokens: 2 ** 53 - 1, model: '\\u0000 "猫"' }))
        expect(await store.listUsage({ limit: 2 })).toEqual([
          sampleUsage({ inputTokens: 2 ** 53 - 1, model: '\\u0000 "猫"' }),
          sampleUsage({ model: 'a\ufffdb\ufffd', durationMs: 0.125, inputTokens: 11, images: 2 }),
        ])
      })

      test('a record that violates a constraint is dropped, and those around it are kept', async () => {
        const broken = { 3: { durationMs: Number.NaN }, 700: { outcome: 'odd' as 'failed' } }
        for (let n = 0; n < 800; n++)
          store.recordUsage(sampleUsage({ attempt: n, ...broken[n as 3] }))
        const kept = await store.listUsage({ limit: 1_000 })
        expect(kept.map(({ attempt }) => attempt)).toEqual(
          Array.from({ length: 800 }, (_, n) => 799 - n).filter((n) => n !== 3 && n !== 700),
        )
      })

      test('concurrent records of two processes are kept, in order per process', async () => {
        const another = await subject.openAnother()
        for (let n = 0; n < 600; n++)
          (n % 2 ? store : another).recordUsage(sampleUsage({ attempt: n, keyId: `key_${n % 2}` }))
        await Promise.all([store.flush(), another.flush()])
        const kept = await store.listUsage({ limit: 1_000 })
        for (const rest of [0, 1])
          expect(
            kept.filter(({ keyId }) => keyId === `key_${rest}`).map(({ attempt }) => attempt),
          ).toEqual(Array.from({ length: 300 }, (_, n) => 598 + rest - 2 * n))
      })

      test('disposing twice equals disposing once', async () => {
        store.recordUsage(sampleUsage())
        await Promise.all([store[Symbol.asyncDispose](), store[Symbol.asyncDispose]()])
        const another = await subject.openAnother()
        expect(await another.listUsage({ limit: 10 })).toEqual([sampleUsage()])
      })

      test('another process sees records after a flush', async () => {
        store.recordUsage(sampleUsage())
        await store.flush()
        const another = await subject.openAnother()
        expect(await another.listUsage({ limit: 10 })).toEqual([sampleUsage()])
      })

      test('dispose writes all records', async () => {
        for (let n = 0; n < 1_234; n++) store.recordUsage(sampleUsage({ attempt: n }))
        store = await subject.reopen()
        const kept = await store.listUsage({ limit: 10_000 })
        expect(kept.map(({ attempt }) => attempt)).toEqual(
          Array.from({ length: 1_234 }, (_, n) => 1_233 - n),
        )
      })
    })
  })
}

async function pagesOf(store: Store, ascending: boolean): Promise<string[][]> {
  const pages: string[][] = []
  let after: string | undefined
  while (pages.length < 10) {
    const page = { limit: 3, ascending, ...(after !== undefined && { after }) }
    const ids = (await store.listVideoJobs('key_1', page)).map(({ id }) => id)
    if (ids.length === 0) break
    pages.push(ids)
    after = ids.at(-1)
  }
  return pages
}
