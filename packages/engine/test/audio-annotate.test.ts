import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { annotateAudio } from '../src/audio/annotate.ts'
import { synthesizeSpeech } from '../src/audio/synthesize-speech.ts'
import { chord, noise, type Sound, silence, sine, square, sweep, wavOf } from './audio-sounds.ts'

const context = { progress: () => undefined }

async function captions(bytes: Uint8Array) {
  const annotation = await annotateAudio({ bytes }, context)
  const segments = annotation.segments.map((segment) => ({
    ...segment,
    caption: `[${segment.kind}]`,
  }))
  return { ...annotation, segments }
}

describe('captions of a recording', () => {
  const cases: readonly [name: string, sounds: readonly Sound[], heard: readonly string[]][] = [
    ['silence', [silence(1)], ['[silence]']],
    ['a tone', [sine(440, 1)], ['[sound]']],
    ['a low tone', [sine(100, 1)], ['[sound]']],
    ['a high tone', [sine(4000, 1)], ['[sound]']],
    ['a quiet tone', [sine(1000, 1, 0.01)], ['[sound]']],
    [
      'a short beep',
      [silence(0.5), sine(1000, 0.1), silence(0.5)],
      ['[silence]', '[sound]', '[silence]'],
    ],
    ['a buzzer', [square(300, 1)], ['[sound]']],
    ['beeps', [sine(440, 0.5), silence(0.5), sine(880, 0.5)], ['[sound]', '[silence]', '[sound]']],
    ['noise', [noise(2)], ['[sound]']],
    ['noise after silence', [silence(1), noise(2)], ['[silence]', '[sound]']],
    ['a melody', [[262, 294, 330, 349, 392].flatMap((hz) => sine(hz, 0.3))], ['[sound]']],
    ['a glide', [sweep(200, 2000, 2)], ['[sound]']],
    ['chords', [chord([262, 330, 392], 1.5), chord([294, 349, 440], 1.5)], ['[sound]']],
  ]
  test.each(cases)('%s', async (_, sounds, heard) => {
    const { segments } = await captions(wavOf(...sounds))
    expect(segments.map((segment) => segment.caption)).toEqual(heard)
  })

  test('have the times of the recording without gaps', async () => {
    const { segments, duration } = await captions(
      wavOf(silence(0.7), sine(440, 1.3), silence(0.5), noise(1.5)),
    )
    expect(duration).toBe(4)
    const edges = segments.map((segment) => segment.start)
    for (const [i, edge] of [0, 0.7, 2, 2.5].entries()) expect(edges[i]).toBeCloseTo(edge, 1)
    for (const [i, segment] of segments.entries())
      expect(segment.end).toBe(segments[i + 1]?.start ?? duration)
  })

  test.each(['onyx', 'nova'] as const)(
    'describe speech with its pauses as one sound: %s',
    async (voice) => {
      const text = 'The gateway answers. It answers every request that it is sent today.'
      const speech = { texts: [text], voice, speed: 1, format: 'wav' } as const
      const { bytes } = await synthesizeSpeech(speech, context)
      const { segments } = await captions(bytes)
      expect(segments.map(({ kind }) => kind).filter((kind) => kind !== 'silence')).toEqual([
        'sound',
      ])
    },
  )

  test('come with loudness and the number of channels', async () => {
    const heard = await annotateAudio({ bytes: wavOf(sine(440, 1, 0.5)) }, context)
    expect(heard.channels).toBe(1)
    // Half of full scale is 6 dB less, and the mean of a sine another 3.
    expect(heard.level).toBeCloseTo(-9, 0)
    const silent = await annotateAudio({ bytes: wavOf(silence(1)) }, context)
    expect(silent.level).toBeLessThan(-100)
  })

  test('ignore a constant offset and NaN samples', async () => {
    const floats = Float32Array.from({ length: 16_000 }, (_, i) => (i % 3 === 0 ? Number.NaN : 0))
    const header = wavOf()
    const view = new DataView(header.buffer)
    view.setUint16(20, 3, true)
    view.setUint16(34, 32, true)
    view.setUint16(32, 4, true)
    view.setUint32(40, floats.byteLength, true)
    const bytes = Buffer.concat([header, Buffer.from(floats.buffer)])
    expect((await captions(bytes)).segments.map((segment) => segment.caption)).toEqual([
      '[silence]',
    ])
    const offset = wavOf(Array.from({ length: 16_000 }, () => 0.4))
    expect((await captions(offset)).segments.map((segment) => segment.caption)).toEqual([
      '[silence]',
    ])
  })
})

describe('detects every audio format by content and decodes it', () => {
  const formats = [
    ['tone.mp3', 'mp3'],
    ['tone.m4a', 'mp4'],
    ['tone.aac', 'aac'],
    ['tone.ogg', 'ogg'],
    ['tone.opus', 'opus'],
    ['tone.webm', 'webm'],
    ['tone.flac', 'flac'],
  ] as const
  test.each(formats)('%s', async (file, format) => {
    const bytes = readFileSync(new URL(`../../../test/fixtures/audio/${file}`, import.meta.url))
    const heard = await captions(bytes)
    expect(heard.format).toBe(format)
    expect(heard.segments.map((segment) => segment.caption)).toEqual(['[sound]', '[silence]'])
    expect(heard.duration).toBeCloseTo(1, 1)
    expect(heard.segments[0]?.end).toBeCloseTo(0.52, 1)
  })

  const widths: readonly [
    name: string,
    tag: number,
    bits: number,
    write: (view: DataView, at: number, value: number) => void,
  ][] = [
    ['8 bits', 1, 8, (view, at, value) => view.setUint8(at, 128 + Math.round(value * 127))],
    [
      '24 bits',
      1,
      24,
      (view, at, value) => {
        const whole = Math.round(value * 0x7fffff)
        view.setUint8(at, whole & 0xff)
        view.setInt16(at + 1, whole >> 8, true)
      },
    ],
    [
      '32 bits',
      1,
      32,
      (view, at, value) => view.setInt32(at, Math.round(value * 0x7fffffff), true),
    ],
    ['32-bit floats', 3, 32, (view, at, value) => view.setFloat32(at, value, true)],
    ['64-bit floats', 3, 64, (view, at, value) => view.setFloat64(at, value, true)],
  ]
  test.each(widths)('wav with two channels of %s', async (_, tag, bits, write) => {
    const samples = sine(440, 0.5)
    const width = bits / 8
    const bytes = new Uint8Array(44 + samples.length * width * 2)
    bytes.set(wavOf())
    const view = new DataView(bytes.buffer)
    view.setUint16(20, tag, true)
    view.setUint16(22, 2, true)
    view.setUint16(32, width * 2, true)
    view.setUint16(34, bits, true)
    view.setUint32(40, 0xffff_ffff, true)
    for (const [i, value] of samples.entries())
      for (const channel of [0, 1]) write(view, 44 + (2 * i + channel) * width, value)
    const heard = await captions(bytes)
    expect(heard.duration).toBe(0.5)
    expect(heard.segments.map((segment) => segment.caption)).toEqual(['[sound]'])
  })
})

describe('rejects unreadable audio as the caller’s error:', () => {
  const whole = readFileSync(new URL('../../../test/fixtures/audio/tone.m4a', import.meta.url))
  const cases: readonly [string, Uint8Array][] = [
    ['nothing', new Uint8Array()],
    ['a text', Buffer.from('This is no sound at all, but a text of some length.')],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['a wav without samples', wavOf()],
    ['a cut header', wavOf(sine(440, 1)).slice(0, 30)],
    ['a cut container', whole.subarray(0, 700)],
    ['zeros', new Uint8Array(5000)],
  ]
  test.each(cases)('%s', async (_, bytes) => {
    await expect(annotateAudio({ bytes }, context)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('flac, mp3, mp4'),
    })
  })

  test('more than two hours', async () => {
    const samples = 7201 * 1000
    const bytes = new Uint8Array(44 + samples * 2)
    bytes.set(wavOf())
    const view = new DataView(bytes.buffer)
    view.setUint32(24, 1000, true)
    view.setUint32(40, samples * 2, true)
    await expect(annotateAudio({ bytes }, context)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('two hours'),
    })
  })

  test('corruption in the middle ends the sound there', async () => {
    const mp3 = readFileSync(new URL('../../../test/fixtures/audio/tone.mp3', import.meta.url))
    const { duration, segments } = await captions(mp3.subarray(0, mp3.length / 2))
    expect(duration).toBeGreaterThan(0.2)
    expect(duration).toBeLessThan(0.8)
    expect(segments[0]?.caption).toBe('[sound]')
  })
})
