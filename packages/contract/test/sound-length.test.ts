import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { soundSeconds } from '../src/wire/sound-length.ts'

const folder = join(import.meta.dirname, '../../../test/fixtures/audio')
/** Of each file. */
const toneSeconds = 1

const file = (name: string) => new Uint8Array(readFileSync(join(folder, name)))

/** A second of silence at 8,000 Hz, after other chunks if wanted. */
function wav(size: number, before: Buffer = Buffer.alloc(0)): Uint8Array {
  const riff = Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1')
  const format = Buffer.alloc(20)
  format.writeUInt32LE(16, 0)
  format.writeUInt16LE(1, 4)
  format.writeUInt16LE(1, 6)
  format.writeUInt32LE(8_000, 8)
  format.writeUInt32LE(16_000, 12)
  const data = Buffer.from('data\0\0\0\0', 'latin1')
  data.writeUInt32LE(size, 4)
  return Buffer.concat([riff, format, before, data, Buffer.alloc(16_000)])
}

describe('the length of a recording', () => {
  test.each(['tone.flac', 'tone.m4a', 'tone.mp3', 'tone.ogg', 'tone.opus', 'tone.webm'])(
    'of %s is measured',
    (name) => {
      // Encoders pad with some hundredths of silence.
      expect(Math.abs((soundSeconds(file(name)) ?? 0) - toneSeconds)).toBeLessThan(0.1)
    },
  )

  test('of WAV is that of its data, whatever its header says', () => {
    const list = Buffer.from('LIST\u0003\0\0\0abc\0', 'latin1')
    for (const bytes of [wav(16_000), wav(16_000, list), wav(0), wav(0xffffffff)])
      expect(soundSeconds(bytes)).toBe(1)
    expect(soundSeconds(wav(8_000))).toBe(0.5)
  })

  test.each([
    ['an AAC stream', file('tone.aac')],
    ['nothing', new Uint8Array()],
    ['a text', Buffer.from('This is no recording, and it is longer than any head.')],
  ])('of %s is unknown', (_name, bytes) => {
    expect(soundSeconds(bytes)).toBeUndefined()
  })

  test('of a truncated file is unknown and never throws', () => {
    for (const name of ['tone.flac', 'tone.m4a', 'tone.ogg', 'tone.opus', 'tone.webm', 'tone.mp3'])
      for (let length = 0; length < 200; length++)
        expect(soundSeconds(file(name).subarray(0, length)) ?? 0).toBeGreaterThanOrEqual(0)
  })
})
