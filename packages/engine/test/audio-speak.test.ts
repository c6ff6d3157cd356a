import { afterAll, describe, expect, test } from 'vitest'
import type { RequestOf, ResultOf } from '../../contract/src/operations/index.ts'
import { annotateAudio } from '../src/audio/annotate.ts'
import { detectAudioFormat } from '../src/audio/decode.ts'
import { speak } from '../src/audio/speak.ts'
import { synthesizeSpeech } from '../src/audio/synthesize-speech.ts'
import { openContext } from './audio-sounds.ts'

const context = openContext()
afterAll(() => context[Symbol.asyncDispose]())

const sentence = 'The gate is open, and the water runs down to the sea.'

async function samplesOf({ text = sentence, voice = 'alloy', speed = 1 } = {}) {
  const input = { texts: [text], voice, speed, format: 'pcm' as const }
  const { bytes } = await synthesizeSpeech(input, { progress: () => undefined })
  return Array.from(new Int16Array(bytes.buffer), (value) => value / 0x8000)
}

function ask(fields: Partial<RequestOf<'speak'>> = {}) {
  return speak({ model: 'test-model', input: sentence, voice: 'alloy', ...fields }, context)
}

async function bytesOf(result: ResultOf<'speak'>): Promise<Uint8Array> {
  if (result.kind !== 'bytes') throw new Error(`The answer is ${result.kind}`)
  const chunks: Uint8Array[] = []
  for await (const chunk of result.body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Share of the energy between two frequencies, by Fourier's transform of every tenth window. */
function energyShare(samples: readonly number[], fromHz: number, toHz: number): number {
  const size = 480
  let inside = 0
  let whole = 0
  for (let at = 0; at + size <= samples.length; at += 10 * size)
    for (let bin = 1; bin < size / 2; bin++) {
      let real = 0
      let imaginary = 0
      for (let i = 0; i < size; i++) {
        const window = 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size)
        const value = (samples[at + i] ?? 0) * window
        real += value * Math.cos((2 * Math.PI * bin * i) / size)
        imaginary += value * Math.sin((2 * Math.PI * bin * i) / size)
      }
      const power = real ** 2 + imaginary ** 2
      const hz = (bin * 24_000) / size
      whole += power
      if (hz >= fromHz && hz < toHz) inside += power
    }
  return inside / whole
}

function loudness(samples: readonly number[]): number {
  return Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length)
}

describe('the sound of speech', () => {
  test('is loud, does not clip and is the same every time', async () => {
    const samples = await samplesOf()
    const peak = Math.max(...samples.map(Math.abs))
    expect(peak).toBeGreaterThan(0.85)
    expect(peak).toBeLessThan(0.95)
    expect(loudness(samples)).toBeGreaterThan(0.05)
    expect(await samplesOf()).toEqual(samples)
  })

  test('lasts in proportion to the text, and half as long at twice the speed', async () => {
    const once = (await samplesOf()).length
    const twice = (await samplesOf({ text: `${sentence} ${sentence}` })).length
    expect(once / 24_000).toBeGreaterThan(2)
    expect(once / 24_000).toBeLessThan(6)
    expect(twice / once).toBeGreaterThan(1.8)
    for (const speed of [0.25, 0.5, 2, 4])
      expect(Math.abs(((await samplesOf({ speed })).length * speed) / once - 1)).toBeLessThan(0.02)
  })

  test('has its energy at speech frequencies', async () => {
    const samples = await samplesOf()
    expect(energyShare(samples, 80, 4000)).toBeGreaterThan(0.9)
    expect(energyShare(samples, 1000, 4000)).toBeGreaterThan(0.05)
    const hissing = await samplesOf({ text: 'Six. Sixes. Sissy.' })
    expect(energyShare(hissing, 4000, 9000)).toBeGreaterThan(3 * energyShare(samples, 4000, 9000))
  })

  test('distinguishes vowels by their formants', async () => {
    const share = async (text: string) => energyShare(await samplesOf({ text }), 1800, 3200)
    expect(await share('ee ee ee ee')).toBeGreaterThan(3 * (await share('oo oo oo oo')))
  })

  test('pauses at a full stop', async () => {
    const samples = await samplesOf({ text: 'One. Two.' })
    const windows = Array.from({ length: Math.floor(samples.length / 240) }, (_, i) =>
      loudness(samples.slice(i * 240, (i + 1) * 240)),
    )
    const loud = windows.map((level) => level > 0.02)
    const first = loud.indexOf(true)
    const last = loud.lastIndexOf(true)
    let pause = 0
    let longest = 0
    for (let i = first; i < last; i++) {
      pause = loud[i] === true ? 0 : pause + 1
      longest = Math.max(longest, pause)
    }
    expect(longest / 100).toBeGreaterThan(0.25)
  })

  test('differs from voice to voice', async () => {
    const voices = [
      'alloy',
      'ash',
      'ballad',
      'coral',
      'echo',
      'fable',
      'onyx',
      'nova',
      'sage',
      'shimmer',
      'verse',
      'marin',
      'cedar',
    ]
    const sounds = await Promise.all(voices.map((voice) => samplesOf({ voice, text: 'Hello.' })))
    expect(new Set(sounds.map((samples) => samples.join())).size).toBe(13)
  })

  test.each(['', '...', '🎉', '日本語', 'Привет', '\u0000', '1e400', "'''''"])(
    'exists for any text: %j',
    async (text) => {
      const samples = await samplesOf({ text })
      expect(samples.length).toBeGreaterThan(1000)
      expect(samples.every(Number.isFinite)).toBe(true)
    },
  )
})

describe('the speech operation', () => {
  const long =
    'This is the first sentence of a longer text, which is spoken in several parts. '.repeat(4)

  test('answers mp3 by default, which decodes to the same sound as wav', async () => {
    const result = await ask({ input: long })
    expect(result).toMatchObject({ kind: 'bytes', contentType: 'audio/mpeg' })
    const bytes = await bytesOf(result)
    expect(detectAudioFormat(bytes)).toBe('mp3')
    const wav = await bytesOf(await ask({ input: long, response_format: 'wav' }))
    const seconds = (wav.length - 44) / 48_000
    const annotation = await annotateAudio({ bytes }, { progress: () => undefined })
    expect(annotation).toMatchObject({ format: 'mp3', sampleRate: 24_000, channels: 1 })
    expect(Math.abs(annotation.duration - seconds)).toBeLessThan(0.5)
    const own = await annotateAudio({ bytes: wav }, { progress: () => undefined })
    expect(Math.abs(annotation.level - own.level)).toBeLessThan(1)
    // 64 kbit a second.
    expect(bytes.length / annotation.duration).toBeCloseTo(8000, -3)
  })

  test('streams wav with a correct header', async () => {
    const result = await ask({ input: long, response_format: 'wav' })
    expect(result).toMatchObject({ kind: 'bytes', contentType: 'audio/wav' })
    const bytes = await bytesOf(result)
    expect(bytes.length).toBe(result.kind === 'bytes' ? result.length : 0)
    expect(await annotateAudio({ bytes }, { progress: () => undefined })).toMatchObject({
      format: 'wav',
      sampleRate: 24_000,
      channels: 1,
      duration: (bytes.length - 44) / 48_000,
    })
    expect(new DataView(bytes.buffer, bytes.byteOffset).getUint32(40, true)).toBe(bytes.length - 44)
  })

  test('answers pcm as raw samples', async () => {
    const wav = await bytesOf(await ask({ response_format: 'wav' }))
    const pcm = await bytesOf(await ask({ response_format: 'pcm' }))
    expect(Buffer.from(pcm).equals(Buffer.from(wav.subarray(44)))).toBe(true)
  })

  test('sse carries the same bytes and ends with usage', async () => {
    const result = await ask({ input: long, stream_format: 'sse' })
    if (result.kind !== 'events') throw new Error(`The answer is ${result.kind}`)
    const events: Record<string, unknown>[] = []
    for await (const step of result.events) if ('event' in step) events.push(step.event)
    const deltas = events.filter((event) => event['type'] === 'speech.audio.delta')
    expect(deltas.length).toBeGreaterThan(2)
    const bytes = Buffer.concat(
      deltas.map((event) => Buffer.from(String(event['audio']), 'base64')),
    )
    expect(bytes.equals(Buffer.from(await bytesOf(await ask({ input: long }))))).toBe(true)
    const usage = {
      input_tokens: expect.any(Number),
      output_tokens: expect.any(Number),
      total_tokens: expect.any(Number),
    }
    expect(events.at(-1)).toEqual({ type: 'speech.audio.done', usage })
  })

  test.each(['opus', 'aac', 'flac'] as const)('rejects %s by name', async (format) => {
    await expect(ask({ response_format: format })).rejects.toMatchObject({
      code: 'unsupported_value',
      details: { param: 'response_format' },
      message: expect.stringMatching(new RegExp(`${format}.*mp3, wav and pcm`)),
    })
  })

  test.each([
    ['marks', '.,;:!?-/&%$'],
    ['one mark', '.'],
    ['digits', '1'],
    ['one letter', 'a'],
    ['short words', "I ' a. "],
    ['ends of sentences', '. '],
    ['symbols', '()<>"\\\\|~`#*_=+'],
  ])('survives a long text of %s', async (_, unit) => {
    const input = unit.repeat(4096 / unit.length).slice(0, 4096)
    const bytes = await bytesOf(await ask({ input, speed: 4, response_format: 'pcm' }))
    expect(bytes.length).toBeGreaterThan(1000)
  })

  test('rejects a text that takes too long to say', async () => {
    const slow = { input: '7 '.repeat(2048), speed: 0.25, response_format: 'pcm' } as const
    await expect(ask(slow)).rejects.toMatchObject({ details: { param: 'input' } })
  })

  test('rejects unknown voices', async () => {
    for (const voice of ['nobody', 'toString', { id: 'voice_1234' }])
      await expect(ask({ voice })).rejects.toMatchObject({
        code: 'unsupported_value',
        details: { param: 'voice' },
      })
  })
})
