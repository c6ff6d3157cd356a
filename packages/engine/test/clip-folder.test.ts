import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createClipFolder } from '../src/video/clip-folder.ts'

let folder: string
let mask: number

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
})
afterEach(() => {
  process.umask(mask)
  rmSync(folder, { recursive: true, force: true })
})

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('clips, stills and pictures are for their owner alone, however open new files are here', async () => {
  mask = process.umask(0)
  const clips = createClipFolder(join(folder, 'videos'))
  const kinds = ['clip', 'still', 'input'] as const
  for (const kind of kinds) await clips.write('video_1', kind, new Uint8Array(1))
  expect(kinds.map((kind) => modeOf(clips.path('video_1', kind)))).toEqual(['600', '600', '600'])
  expect(modeOf(join(folder, 'videos'))).toBe('700')
})
