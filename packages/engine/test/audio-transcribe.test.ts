import { afterAll, describe, expect, test } from 'vitest'
import type { RequestOf, ResultOf } from '../../contract/src/operations/index.ts'
import { transcribe, translate } from '../src/audio/transcribe.ts'
import { openContext, silence, sine, wavOf } from './audio-sounds.ts'

const context = openContext()
afterAll(() => context[Symbol.asyncDispose]())

const recording = wavOf(sine(440, 1), silence(0.5))

function fileOf(bytes: Uint8Array) {
  return { filename: 'sound.wav', contentType: 'audio/wav', bytes }
}

function ask(fields: Partial<RequestOf<'transcribe'>> = {}) {
  return transcribe({ model: 'test-model', file: fileOf(recording), ...fields }, context)
}

async function textOf(result: ResultOf<'transcribe'>): Promise<string> {
  if (result.kind !== 'bytes') throw new Error(`The answer is ${result.kind}`)
  let text = ''
  for await (const bytes of result.body) text += Buffer.from(bytes).toString()
  return text
}

async function eventsOf(result: ResultOf<'transcribe'>) {
  if (result.kind !== 'events') throw new Error(`The answer is ${result.kind}`)
  const events: Record<string, unknown>[] = []
  for await (const step of result.events) if ('event' in step) events.push(step.event)
  return events
}

async function replyOf(fields: Partial<RequestOf<'transcribe'>> = {}) {
  const result = await ask(fields)
  if (result.kind !== 'reply') throw new Error(`The answer is ${result.kind}`)
  return result.reply
}

describe('transcription', () => {
  test('answers json with the text and the duration', async () => {
    const result = await ask()
    expect(result).toMatchObject({
      kind: 'reply',
      reply: { text: '[sound] [silence]', usage: { type: 'duration', seconds: 1.5 } },
      usage: { audioInputTokens: 15, seconds: 1.5 },
    })
  })

  test("answers verbose_json with Whisper's fields and correct times", async () => {
    const reply = await replyOf({ response_format: 'verbose_json', temperature: 0.25 })
    expect(reply).toMatchObject({ task: 'transcribe', language: 'english', duration: 1.5 })
    expect(reply.words).toBeUndefined()
    expect(reply.segments?.[0]).toEqual({
      id: 0,
      seek: 0,
      start: 0,
      end: 1,
      text: '[sound]',
      tokens: [],
      temperature: 0.25,
      avg_logprob: 0,
      compression_ratio: expect.any(Number),
      no_speech_prob: 0.5,
    })
    expect(reply.segments?.[1]).toMatchObject({ id: 1, start: 1, end: 1.5, text: '[silence]' })
  })

  test('returns words or segments by timestamp_granularities', async () => {
    const words = await replyOf({
      response_format: 'verbose_json',
      timestamp_granularities: ['word'],
    })
    expect(words.segments).toBeUndefined()
    expect(words.words).toEqual([
      { word: '[sound]', start: 0, end: 1 },
      { word: '[silence]', start: 1, end: 1.5 },
    ])
    const both = await replyOf({
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
    })
    expect(both.words).toHaveLength(2)
    expect(both.segments).toHaveLength(2)
  })

  test.each([
    ['text', 'text/plain; charset=utf-8', '[sound] [silence]\n'],
    [
      'srt',
      'text/plain; charset=utf-8',
      '1\n00:00:00,000 --> 00:00:01,000\n[sound]\n\n2\n00:00:01,000 --> 00:00:01,500\n[silence]\n\n',
    ],
    [
      'vtt',
      'text/vtt; charset=utf-8',
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n[sound]\n\n00:00:01.000 --> 00:00:01.500\n[silence]\n\n',
    ],
  ] as const)('%s', async (format, contentType, text) => {
    const result = await ask({ response_format: format })
    expect(result).toMatchObject({ contentType, length: Buffer.byteLength(text) })
    expect(await textOf(result)).toBe(text)
  })

  test.each([
    ['de', 'german', '[sound] [silence]'],
    ['fr', 'french', '[sound] [silence]'],
    ['ja', 'japanese', '[sound] [silence]'],
    ['en-GB', 'english', '[sound] [silence]'],
  ])('language %s', async (language, name, text) => {
    expect(await replyOf({ language, response_format: 'verbose_json' })).toMatchObject({
      language: name,
      text,
    })
  })

  test('rejects an invalid language', async () => {
    await expect(ask({ language: 'klingonese!' })).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param: 'language' },
    })
  })

  test('streams the same text as the whole answer', async () => {
    const events = await eventsOf(await ask({ stream: true, include: ['logprobs'] }))
    const deltas = events.filter((event) => event['type'] === 'transcript.text.delta')
    const done = events.at(-1)
    expect(deltas.map((event) => event['delta']).join('')).toBe('[sound] [silence]')
    expect(done).toMatchObject({
      type: 'transcript.text.done',
      text: '[sound] [silence]',
      usage: { type: 'tokens', input_token_details: { audio_tokens: 15, text_tokens: 0 } },
    })
    const logprobs = deltas.flatMap(
      (event) => event['logprobs'] as { token: string; bytes: number[] }[],
    )
    expect(logprobs.map(({ token }) => token).join('')).toBe('[sound] [silence]')
    expect(Buffer.from(logprobs.flatMap(({ bytes }) => bytes)).toString()).toBe('[sound] [silence]')
  })

  test.each([
    [{ response_format: 'diarized_json' } as const, 'response_format'],
    [{ known_speaker_names: ['Nora'] }, 'known_speaker_names'],
  ])('rejects speaker diarization: %j', async (request, param) => {
    await expect(ask(request)).rejects.toMatchObject({
      code: 'unsupported_value',
      details: { param },
    })
  })

  test('rejects an impossible sample rate at once', async () => {
    const lying = Buffer.from(wavOf(sine(440, 0.1)))
    lying.writeUInt32LE(0xffff_ffff, 24)
    await expect(ask({ file: fileOf(lying) })).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param: 'file' },
    })
  })

  test('rejects a file that is not audio', async () => {
    await expect(ask({ file: fileOf(Buffer.from('no sound')) })).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param: 'file' },
    })
  })
})

describe('translation', () => {
  test('answers json and verbose_json in English', async () => {
    const request = { model: 'test-model', file: fileOf(recording) }
    expect(await translate(request, context)).toMatchObject({
      reply: { text: '[sound] [silence]' },
    })
    expect(await translate({ ...request, response_format: 'verbose_json' }, context)).toMatchObject(
      {
        reply: {
          task: 'translate',
          language: 'english',
          duration: 1.5,
          segments: [{ id: 0 }, { id: 1 }],
        },
      },
    )
    const srt = await translate({ ...request, response_format: 'srt' }, context)
    expect(await textOf(srt)).toContain('00:00:01,000 --> 00:00:01,500\n[silence]')
  })
})
