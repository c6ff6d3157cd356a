import { afterAll, describe, expect, test } from 'vitest'
import { createPowerSpectrum } from '../src/audio/spectrum.ts'
import { speak } from '../src/audio/speak.ts'
import { pronounce } from '../src/audio/speech/pronounce.ts'
import { spokenItems } from '../src/audio/speech/spoken-text.ts'
import { synthesizeSpeech } from '../src/audio/speech/synthesize-speech.ts'
import { parseWav } from '../src/audio/wav.ts'
import type { RequestOf, ResultOf } from '../../contract/src/operations/index.ts'
import { openContext } from './audio-sounds.ts'

const context = openContext()
afterAll(() => context[Symbol.asyncDispose]())

const sentence = 'The gate is open, and the water runs down to the sea.'

async function samplesOf(fields: { text?: string; voice?: string; speed?: number } = {}) {
  const input = { text: sentence, voice: 'alloy', speed: 1, format: 'pcm' as const, ...fields }
  const bytes = await synthesizeSpeech(input, { progress: () => undefined })
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

/** Share of the energy between two frequencies. */
function energyShare(samples: readonly number[], fromHz: number, toHz: number): number {
  const size = 1024
  const spectrum = createPowerSpectrum(size)
  const power = new Float64Array(size)
  let inside = 0
  let whole = 0
  for (let at = 0; at + 2 * size <= samples.length; at += size) {
    spectrum(Float64Array.from(samples.slice(at, at + 2 * size)), power)
    for (const [bin, value] of power.entries()) {
      const hz = (bin * 24_000) / (2 * size)
      whole += value
      if (hz >= fromHz && hz < toHz) inside += value
    }
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

  test('lasts as long as the text is, and half as long at twice the speed', async () => {
    const once = (await samplesOf()).length
    const twice = (await samplesOf({ text: `${sentence} ${sentence}` })).length
    expect(once / 24_000).toBeGreaterThan(2)
    expect(once / 24_000).toBeLessThan(6)
    expect(twice / once).toBeGreaterThan(1.8)
    for (const speed of [0.25, 0.5, 2, 4])
      expect((await samplesOf({ speed })).length / once).toBeCloseTo(1 / speed, 3)
  })

  test('has its energy where the ear hears speech', async () => {
    const samples = await samplesOf()
    expect(energyShare(samples, 80, 4000)).toBeGreaterThan(0.9)
    expect(energyShare(samples, 1000, 4000)).toBeGreaterThan(0.08)
    const hissing = await samplesOf({ text: 'Six. Sixes. Sissy.' })
    expect(energyShare(hissing, 4000, 9000)).toBeGreaterThan(5 * energyShare(samples, 4000, 9000))
  })

  test('tells vowels apart by their formants', async () => {
    const share = async (text: string) => energyShare(await samplesOf({ text }), 1800, 3200)
    expect(await share('ee ee ee ee')).toBeGreaterThan(3 * (await share('oo oo oo oo')))
  })

  test('is silent at a full stop', async () => {
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
    expect(longest / 100).toBeGreaterThan(0.3)
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
    expect(new Set(sounds.map((samples) => samples.slice(4000, 4100).join())).size).toBe(13)
  })

  test.each(['', '...', '🎉', '日本語', 'Привет', '\u0000', '1e400', "'''''"])(
    'any text is spoken: %j',
    async (text) => {
      const samples = await samplesOf({ text })
      expect(samples.length).toBeGreaterThan(1000)
      expect(samples.every(Number.isFinite)).toBe(true)
    },
  )
})

describe('words', () => {
  test.each([
    ['Dr. Smith paid $12.50', 'doctor smith paid twelve dollars fifty'],
    ['In 1984, 21st of May', 'in nineteen eighty four , twenty first of may'],
    ['at 10:05', 'at ten oh five'],
    ['1,234,567', 'one million two hundred thirty four thousand five hundred sixty seven'],
    ['-3.14%', 'minus three point one four percent'],
    ['007', 'zero zero seven'],
    ['the HTTP API', 'the letter-h letter-t letter-t letter-p letter-a letter-p letter-i'],
    ['café', 'cafe'],
    ['why? because!', 'why ? because !'],
  ])('%s', (text, said) => {
    expect(
      spokenItems(text)
        .map((item) => (item.kind === 'word' ? item.word : item.mark))
        .join(' '),
    ).toBe(said)
  })

  test.each([
    ['cat', 'K AE T'],
    ['cake', 'K EY K'],
    ['nation', 'N EY SH AX N'],
    ['phone', 'F OW N'],
    ['knight', 'N AY T'],
    ['station', 'S T EY SH AX N'],
    ['measure', 'M EH ZH ER'],
    ['through', 'TH R UW'],
    ['running', 'R AH N IH NG'],
    ['the', 'DH AX'],
  ])('%s is said %s', (word, phonemes) => {
    expect(pronounce(word).join(' ')).toBe(phonemes)
  })
})

describe('the operation', () => {
  const long =
    'This is the first sentence of a longer text, which is spoken in several parts. '.repeat(4)

  test('wav is the default, in several writes, with a true header', async () => {
    const result = await ask({ input: long })
    expect(result).toMatchObject({ kind: 'bytes', contentType: 'audio/wav' })
    const bytes = await bytesOf(result)
    expect(bytes.length).toBe(result.kind === 'bytes' ? result.length : 0)
    expect(parseWav(bytes)).toMatchObject({
      sampleRate: 24_000,
      channels: 1,
      bits: 16,
      frames: (bytes.length - 44) / 2,
    })
    expect(new DataView(bytes.buffer, bytes.byteOffset).getUint32(40, true)).toBe(bytes.length - 44)
  })

  test('pcm is the samples alone', async () => {
    const wav = await bytesOf(await ask())
    const pcm = await bytesOf(await ask({ response_format: 'pcm' }))
    expect(Buffer.from(pcm).equals(Buffer.from(wav.subarray(44)))).toBe(true)
  })

  test('sse carries the same bytes and ends with the usage', async () => {
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

  test.each(['mp3', 'opus', 'aac', 'flac'] as const)('%s is refused by name', async (format) => {
    await expect(ask({ response_format: format })).rejects.toMatchObject({
      code: 'unsupported_value',
      details: { param: 'response_format' },
      message: expect.stringMatching(new RegExp(`${format}.*wav and pcm`)),
    })
  })

  test('unknown voices are refused', async () => {
    for (const voice of ['nobody', 'toString', { id: 'voice_1234' }])
      await expect(ask({ voice })).rejects.toMatchObject({
        code: 'unsupported_value',
        details: { param: 'voice' },
      })
  })
})
