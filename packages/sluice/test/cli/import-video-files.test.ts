import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sampleJob } from '../../../../test/support/store-samples.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { importClips } from '../../src/cli/import-clips.ts'
import { openSqlite } from '../../../store/src/sqlite/open-sqlite.ts'

test('imports video files of an earlier version into the store', async () => {
  using folder = temporaryFolder()
  await using store = openSqlite({ file: join(folder.path, 'sluice.db') })
  await store.addVideoJob(sampleJob({ id: 'video_1', status: 'completed' }))
  const videos = join(folder.path, 'videos')
  mkdirSync(videos)
  for (const name of ['video_1.mp4', 'video_1.webp', 'video_1.mp4.part', 'video_2.mp4', '.hidden'])
    writeFileSync(join(videos, name), name)
  await importClips(store, videos, 1_000)
  const found = async (id: string, kind: 'clip' | 'still') =>
    (await store.findFile({ id, kind, at: 1_000 }))?.bytes.toString()
  expect(await found('video_1', 'clip')).toBe('video_1.mp4')
  expect(await found('video_1', 'still')).toBe('video_1.webp')
  expect(await found('video_2', 'clip')).toBeUndefined()
  expect(existsSync(videos)).toBe(false)
  await importClips(store, videos, 1_000)
})
