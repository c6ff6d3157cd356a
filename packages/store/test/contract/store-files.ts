import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { sampleJob } from '../../../../test/support/store-samples.ts'
import type { NewStoredFile } from '../../../gateway/src/ports/file-store.ts'
import type { Store } from '../../../gateway/src/ports/store.ts'
import type { StoreUnderTest } from './store.ts'

const hour = 3_600_000

function sampleFile(change: Partial<NewStoredFile> = {}): NewStoredFile {
  return {
    id: 'file_1',
    kind: 'image',
    contentType: 'image/png',
    bytes: Buffer.from('picture'),
    createdAt: 0,
    expiresAt: hour,
    ...change,
  }
}

/** Files that every process has. */
export function describeFiles(subject: () => StoreUnderTest): void {
  describe('files', () => {
    let store: Store
    beforeEach(() => {
      store = subject().store
    })
    const found = async (id: string, kind: NewStoredFile['kind'] = 'image', at = 0) =>
      (await store.findFile({ id, kind, at }))?.bytes.length

    test.each([0, 1, 512 * 1024 - 1, 512 * 1024, 1_300_000])(
      'returns %i bytes in every process until they expire',
      async (length) => {
        const bytes = randomBytes(length)
        await store.addFile(sampleFile({ bytes }))
        const another = await subject().openAnother()
        const file = await another.findFile({ id: 'file_1', kind: 'image', at: hour - 1 })
        expect(file?.contentType).toBe('image/png')
        expect(Buffer.from(file?.bytes ?? []).equals(bytes)).toBe(true)
        expect(await found('file_1', 'image', hour)).toBeUndefined()
        expect(await found('file_1', 'clip')).toBeUndefined()
        expect(await found('file_2')).toBeUndefined()
      },
    )

    test('replaces a file of the same name, whatever its size', async () => {
      await store.addFile(sampleFile({ bytes: randomBytes(1_300_000) }))
      await store.addFile(sampleFile({ bytes: randomBytes(5) }))
      expect(await found('file_1')).toBe(5)
      await store.removeFiles('file_1', ['image', 'clip'])
      expect(await found('file_1')).toBeUndefined()
      await store.removeFiles('file_1', ['image'])
    })

    test('a sweep deletes expired files and the oldest images over the byte limit', async () => {
      for (const [at, id] of ['old', 'large', 'new'].entries())
        await store.addFile(
          sampleFile({ id, createdAt: at, bytes: randomBytes(id === 'large' ? 900_000 : 10) }),
        )
      await store.addFile(sampleFile({ id: 'over', expiresAt: 5 }))
      await store.sweepFiles({ at: 4, imageBytes: 1_000_000 })
      expect(await found('over')).toBe(7)
      await store.sweepFiles({ at: 5, imageBytes: 900_015 })
      expect(await Promise.all(['old', 'large', 'new', 'over'].map((id) => found(id)))).toEqual([
        undefined,
        900_000,
        10,
        undefined,
      ])
      await store.sweepFiles({ at: 5, imageBytes: 20 })
      expect(await Promise.all(['large', 'new'].map((id) => found(id)))).toEqual([undefined, 10])
    })

    test('deletes files with their task, and orphaned files a little later', async () => {
      await store.addVideoJob(sampleJob({ id: 'video_1' }))
      for (const id of ['video_1', 'video_2'])
        await store.addFile(sampleFile({ id, kind: 'clip', expiresAt: 100 * hour }))
      await store.sweepFiles({ at: 599_999, imageBytes: 0 })
      expect(await found('video_2', 'clip')).toBe(7)
      await store.sweepFiles({ at: 600_000, imageBytes: 0 })
      expect([await found('video_1', 'clip'), await found('video_2', 'clip')]).toEqual([
        7,
        undefined,
      ])
      await store.deleteVideoJob('video_1')
      expect(await found('video_1', 'clip')).toBeUndefined()
    })
  })
}
