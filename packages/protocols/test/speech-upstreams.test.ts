import { describe, expect, test } from 'vitest'
import { codecContext, received } from '../../../test/support/codec-context.ts'
import type { TranscribeRequest } from '../../contract/src/operations/transcribe.ts'
import { deepgram } from '../src/deepgram/index.ts'
import { elevenlabs } from '../src/elevenlabs/index.ts'
import type { Codec } from '../src/protocol.ts'
import { cuesOf } from '../src/rendered-transcript.ts'

const file = { filename: 'a.wav', contentType: 'audio/wav', bytes: new Uint8Array([1, 2]) }
const request: TranscribeRequest = { model: 'm', file }

function refusal<O extends 'transcribe' | 'speak'>(
  codec: Codec<O>,
  asked: Parameters<Codec<O>['encode']>[0],
) {
  try {
    codec.encode(asked, codecContext({ model: 'eleven_flash_v2_5' }))
  } catch (error) {
    return (error as { details: { param?: string } }).details.param
  }
  return 'nothing was refused'
}

describe('Deepgram', () => {
  const { transcribe, speak } = deepgram.codecs
  const pathOf = (fields: Partial<TranscribeRequest>) =>
    transcribe!.encode({ ...request, ...fields }, codecContext({ model: 'nova-3' })).path

  test('sends the bytes unchanged and the options in the query', () => {
    const sent = transcribe!.encode(request, codecContext({ model: 'nova-3' }))
    expect(sent.body).toEqual({ kind: 'bytes', contentType: 'audio/wav', bytes: file.bytes })
    expect(sent.path).toBe(
      '/v1/listen?model=nova-3&smart_format=true&utterances=true&detect_language=true',
    )
    expect(pathOf({ language: 'de', keywords: ['Zürich'] })).toBe(
      '/v1/listen?model=nova-3&smart_format=true&utterances=true&language=de&keyterm=Z%C3%BCrich',
    )
    expect(pathOf({ response_format: 'diarized_json' })).toContain('diarize=true')
  })

  const body = {
    metadata: { duration: 3.25 },
    results: {
      channels: [
        {
          detected_language: 'en',
          alternatives: [
            {
              transcript: 'Hello there. Bye.',
              words: [
                { word: 'hello', punctuated_word: 'Hello', start: 0, end: 0.5, speaker: 0 },
                { word: 'there', punctuated_word: 'there.', start: 0.5, end: 1, speaker: 0 },
                { word: 'bye', punctuated_word: 'Bye.', start: 2.5, end: 3, speaker: 1 },
              ],
            },
          ],
        },
      ],
      utterances: [
        { start: 0, end: 1, transcript: 'Hello there.', speaker: 0 },
        { start: 2.5, end: 3, transcript: 'Bye.', speaker: 1 },
      ],
    },
  }
  const heard = (fields: Partial<TranscribeRequest>) =>
    transcribe!.decode(received(JSON.stringify(body)), codecContext(), { ...request, ...fields })
  const rendered = (format: 'text' | 'srt' | 'vtt') => {
    const { rendered: made } = heard({ response_format: format })
    return [made?.contentType, new TextDecoder().decode(made?.bytes)]
  }

  test('answers in every response format', () => {
    expect(heard({})).toEqual({
      reply: { text: 'Hello there. Bye.', usage: { type: 'duration', seconds: 4 } },
      usage: { inputTokens: 0, outputTokens: 0, seconds: 3.25 },
    })
    expect(
      heard({ response_format: 'verbose_json', timestamp_granularities: ['word', 'segment'] })
        .reply,
    ).toMatchObject({
      task: 'transcribe',
      language: 'en',
      duration: 3.25,
      segments: [
        { id: 0, start: 0, end: 1, text: 'Hello there.' },
        { id: 1, start: 2.5, end: 3, text: 'Bye.' },
      ],
      words: [{ word: 'Hello', start: 0, end: 0.5 }, { word: 'there.' }, { word: 'Bye.' }],
    })
    expect(heard({ response_format: 'verbose_json' }).reply).not.toHaveProperty('words')
    expect(heard({ response_format: 'diarized_json' }).reply.segments).toMatchObject([
      { type: 'transcript.text.segment', speaker: 'A' },
      { speaker: 'B', text: 'Bye.' },
    ])
    expect(rendered('text')).toEqual(['text/plain; charset=utf-8', 'Hello there. Bye.\n'])
    expect(rendered('srt')[1]).toContain('2\n00:00:02,500 --> 00:00:03,000\nBye.\n')
    expect(rendered('vtt')[1]).toMatch(/^WEBVTT\n\n00:00:00\.000 --> 00:00:01\.000\nHello there\./)
  })

  test.each<[string, Partial<TranscribeRequest>]>([
    ['prompt', { prompt: 'x' }],
    ['include', { include: ['logprobs'] }],
  ])('%s is rejected', (param, fields) => {
    expect(refusal(transcribe!, { ...request, ...fields })).toBe(param)
  })

  test.each([
    ['aura-2', 'thalia', 'mp3', 'model=aura-2-thalia-en&encoding=mp3'],
    ['aura-2', 'celeste-es', 'wav', 'model=aura-2-celeste-es&encoding=linear16&container=wav'],
    ['aura-2-thalia-en', 'alloy', 'opus', 'model=aura-2-thalia-en&encoding=opus&container=ogg'],
    [
      'aura-2',
      'aura-2-zeus-en',
      'pcm',
      'model=aura-2-zeus-en&encoding=linear16&container=none&sample_rate=24000',
    ],
  ] as const)('%s with the voice %s as %s', (model, voice, format, query) => {
    const sent = speak!.encode(
      { model: 'm', input: 'Hi', voice, response_format: format },
      codecContext({ model }),
    )
    expect(sent.path).toBe(`/v1/speak?${query}`)
    expect(sent.body).toEqual({ kind: 'json', value: { text: 'Hi' } })
  })

  test('parses error bodies', () => {
    expect(
      deepgram.failure(received('{"err_code":"INVALID_AUTH","err_msg":"no","request_id":"r"}')),
    ).toEqual({
      message: 'no',
      code: 'INVALID_AUTH',
    })
  })
})

describe('ElevenLabs', () => {
  const { transcribe, speak } = elevenlabs.codecs

  test('sends a form and answers with segments made of words', () => {
    const { body } = transcribe!.encode(
      { ...request, language: 'en', temperature: 0.2 },
      codecContext({ model: 'scribe_v2' }),
    )
    expect(body).toEqual({
      kind: 'form',
      parts: [
        { name: 'model_id', value: 'scribe_v2' },
        { name: 'file', file },
        { name: 'timestamps_granularity', value: 'word' },
        { name: 'language_code', value: 'en' },
        { name: 'temperature', value: '0.2' },
      ],
    })
    const answer = {
      language_code: 'eng',
      text: 'Hi. (laughter)',
      words: [
        { text: 'Hi.', type: 'word', start: 0.1, end: 0.4, speaker_id: 'speaker_0' },
        { text: ' ', type: 'spacing', start: 0.4, end: 0.5 },
        { text: '(laughter)', type: 'audio_event', start: 0.5, end: 1.5, speaker_id: 'speaker_0' },
      ],
    }
    const { reply, usage } = transcribe!.decode(received(JSON.stringify(answer)), codecContext(), {
      ...request,
      response_format: 'verbose_json',
    })
    expect(reply).toMatchObject({
      language: 'eng',
      duration: 1.5,
      segments: [{ text: 'Hi.' }, { text: '(laughter)', start: 0.5 }],
    })
    expect(usage?.seconds).toBe(1.5)
  })

  test('sends the voice in the path', () => {
    const sent = speak!.encode(
      {
        model: 'm',
        input: 'Hi',
        voice: 'JBFqnCBsd6RMkjVDRZzb',
        response_format: 'pcm',
        speed: 1.1,
      },
      codecContext({ model: 'eleven_flash_v2_5' }),
    )
    expect(sent.path).toBe('/v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb?output_format=pcm_24000')
    expect(sent.body).toEqual({
      kind: 'json',
      value: { text: 'Hi', model_id: 'eleven_flash_v2_5', voice_settings: { speed: 1.1 } },
    })
  })

  test.each([
    ['voice', {}],
    ['speed', { voice: 'v', speed: 2 }],
    ['response_format', { voice: 'v', response_format: 'flac' }],
    ['instructions', { voice: 'v', instructions: 'Whisper' }],
  ] as const)('rejects %s', (param, fields) => {
    expect(refusal(speak!, { model: 'm', input: 'Hi', ...fields })).toBe(param)
  })

  test.each([
    [
      '{"detail":{"status":"invalid_api_key","message":"no"}}',
      { message: 'no', code: 'invalid_api_key' },
    ],
    ['{"detail":[{"msg":"field required"}]}', { message: 'field required' }],
  ])('parses the error body %s', (body, expected) => {
    expect(elevenlabs.failure(received(body, { status: 401 }))).toEqual(expected)
  })
})

test('groups words into cues by sentence, pause, speaker and length', () => {
  const word = (text: string, start: number, speaker?: string) => ({
    word: text,
    start,
    end: start + 0.4,
    speaker,
  })
  const texts = (words: ReturnType<typeof word>[]) => cuesOf(words).map(({ text }) => text)
  expect(texts([word('One.', 0), word('Two', 0.5), word('three', 1), word('four', 3)])).toEqual([
    'One.',
    'Two three',
    'four',
  ])
  expect(texts([word('a', 0, 'x'), word('b', 0.5, 'y')])).toEqual(['a', 'b'])
  const long = Array.from({ length: 40 }, (_, index) => word('word', index * 0.5))
  expect(texts(long).every((text) => text.length <= 84)).toBe(true)
  expect(cuesOf([])).toEqual([])
})
