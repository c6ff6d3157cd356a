import { describe, expect, test } from 'vitest'
import { codecContext, received } from '../../../test/support/codec-context.ts'
import { answerOf } from '../../../test/support/formats/chat-answer.ts'
import { ask, chat } from '../../../test/support/formats/gemini-request.ts'
import { readStream } from '../../../test/support/formats/read-stream.ts'
import type { ChatRequest } from '../../contract/src/operations/chat-request.ts'

/** What Google says of the gateway's own key, with the status of a bad request. */
const ourKey = (reason: string) => ({
  error: {
    code: 400,
    message: 'm',
    status: 'INVALID_ARGUMENT',
    details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }],
  },
})

describe('Gemini’s answers', () => {
  const decode = (body: unknown, request: ChatRequest = ask()) =>
    chat.decode(received(JSON.stringify(body)), codecContext(), request)
  const candidate = (parts: unknown[], fields: object = {}) => ({
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0, ...fields }],
  })

  test('return logprobs with the bytes of each token', () => {
    const one = (token: string, logProbability: number) => ({ token, tokenId: 1, logProbability })
    const { reply } = decode(
      candidate([{ text: 'é' }], {
        logprobsResult: {
          chosenCandidates: [one('é', -0.5)],
          topCandidates: [{ candidates: [one('é', -0.5), one('e', -2)] }],
        },
      }),
    )
    expect(reply.choices[0]?.logprobs).toEqual({
      content: [
        {
          token: 'é',
          logprob: -0.5,
          bytes: [195, 169],
          top_logprobs: [
            { token: 'é', logprob: -0.5, bytes: [195, 169] },
            { token: 'e', logprob: -2, bytes: [101] },
          ],
        },
      ],
      refusal: null,
    })
  })

  test('return images in message.images', () => {
    const { message } = decode(
      candidate([{ text: 'Here:' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }]),
    ).reply.choices[0]!
    expect(message.content).toBe('Here:')
    expect(message.images).toEqual([
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ])
  })

  test('exclude images and text of thoughts from the content', () => {
    const picture = (data: string) => ({ inlineData: { mimeType: 'image/png', data } })
    const { message } = decode(
      candidate([
        { text: 'First a sketch.', thought: true },
        { ...picture('AAAA'), thought: true },
        { text: 'Here:' },
        picture('BBBB'),
      ]),
    ).reply.choices[0]!
    expect(message.images?.map(({ image_url: { url } }) => url)).toEqual([
      'data:image/png;base64,BBBB',
    ])
    expect(message.content).toBe('Here:')
    expect(message.reasoning_content).toBe('First a sketch.')
  })

  test('get a WAV header if wav was requested', () => {
    const sound = candidate([
      { inlineData: { mimeType: 'audio/L16;codec=pcm;rate=16000', data: 'AQACAA==' } },
    ])
    const raw = decode(sound).reply.choices[0]?.message
    expect(raw?.audio).toMatchObject({ data: 'AQACAA==', transcript: '' })
    expect(raw?.content).toBeNull()
    const asked = ask({ modalities: ['text', 'audio'], audio: { format: 'wav' } })
    const wav = Buffer.from(decode(sound, asked).reply.choices[0]!.message.audio!.data, 'base64')
    expect(wav.toString('latin1', 0, 4)).toBe('RIFF')
    expect(wav.readUInt32LE(24)).toBe(16_000)
    expect(wav.readUInt32LE(40)).toBe(4)
    expect([...wav.subarray(44)]).toEqual([1, 0, 2, 0])
  })

  test.each([
    'MALFORMED_FUNCTION_CALL',
    'UNEXPECTED_TOOL_CALL',
    'MISSING_THOUGHT_SIGNATURE',
    'OTHER',
  ])('with finish reason %s are failures, streamed or not', (finishReason) => {
    const body = candidate([], { finishReason, finishMessage: 'Malformed: f(' })
    expect(() => decode(body)).toThrowError(
      expect.objectContaining({
        code: 'upstream_garbled',
        message: expect.stringContaining('f('),
      }),
    )
    const { error } = readStream(chat.stream!, {
      events: [{ event: '', data: JSON.stringify(body) }],
      context: codecContext(),
      request: ask(),
    })
    expect(error).toMatchObject({
      code: 'upstream_garbled',
      details: { upstreamCode: finishReason },
    })
  })

  test.each([
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['SPII', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['SOMETHING_NEW', 'content_filter'],
    ['MAX_TOKENS', 'length'],
    ['STOP', 'stop'],
  ])('map finish reason %s to %s', (finishReason, expected) => {
    const { reply } = decode(candidate([{ text: 'x' }], { finishReason }))
    expect(reply.choices[0]?.finish_reason).toBe(expected)
  })

  test.each<[string, unknown, string]>([
    [
      'overloaded',
      { error: { code: 503, message: 'm', status: 'UNAVAILABLE' } },
      'upstream_unavailable',
    ],
    [
      'wrapped in an array',
      [{ error: { code: 429, message: 'm', status: 'RESOURCE_EXHAUSTED' } }],
      'upstream_rate_limited',
    ],
    ['our key', ourKey('API_KEY_INVALID'), 'upstream_refused_us'],
    ['our expired key', ourKey('API_KEY_EXPIRED'), 'upstream_refused_us'],
    [
      'the request',
      { error: { code: 400, message: 'm', status: 'INVALID_ARGUMENT' } },
      'upstream_rejected',
    ],
    [
      'time',
      { error: { code: 504, message: 'm', status: 'DEADLINE_EXCEEDED' } },
      'upstream_timeout',
    ],
    [
      'a client that is gone, which is the gateway',
      { error: { code: 499, message: 'm', status: 'CANCELLED' } },
      'upstream_unavailable',
    ],
    ['no candidates', { usageMetadata: {} }, 'upstream_garbled'],
    ['no JSON object', 'text', 'upstream_garbled'],
  ])('with an error and status 200: %s', (_name, body, code) => {
    expect(() => decode(body)).toThrowError(expect.objectContaining({ code }))
  })
})

describe('Gemini’s streams', () => {
  const read = (events: readonly unknown[], request: ChatRequest = ask()) =>
    readStream(chat.stream!, {
      events: events.map((data) => ({
        event: '',
        data: typeof data === 'string' ? data : JSON.stringify(data),
      })),
      context: codecContext(),
      request,
    })
  const part = (text: string, index = 0, fields: object = {}) => ({
    candidates: [{ content: { parts: [{ text }], role: 'model' }, index, ...fields }],
  })

  test('finish each choice on its own, and the stream when all have', () => {
    const { steps, verdicts } = read([
      part('a', 0),
      part('b', 1),
      part('', 1, { finishReason: 'MAX_TOKENS' }),
      part('A', 0, { finishReason: 'STOP' }),
    ])
    expect(verdicts).toEqual(['content', 'content', 'other', 'finish'])
    expect(answerOf(steps, 0)).toMatchObject({ text: 'aA', finish: 'stop' })
    expect(answerOf(steps, 1)).toMatchObject({ text: 'b', finish: 'length' })
  })

  test('finish once on a repeated STOP', () => {
    const { steps } = read([
      part('a', 0, { finishReason: 'STOP' }),
      part('b', 0, { finishReason: 'STOP' }),
    ])
    expect(answerOf(steps)).toMatchObject({ text: 'ab', finish: 'stop' })
  })

  test('have no finish without a finish reason', () => {
    const { steps, verdicts } = read([part('a'), part('b')])
    expect(verdicts).toEqual(['content', 'content'])
    expect(answerOf(steps).finish).toBeUndefined()
  })

  test('of a blocked prompt are filtered', () => {
    const { steps, verdicts } = read([{ promptFeedback: { blockReason: 'SAFETY' } }])
    expect(verdicts).toEqual(['finish'])
    expect(answerOf(steps)).toMatchObject({ text: '', finish: 'content_filter' })
  })

  test('ignore garbage, foreign end marks and empty fragments', () => {
    const { steps, verdicts } = read([
      '{"candidates":',
      part('a', 0, { finishReason: 'STOP' }),
      '[DONE]',
      {},
    ])
    expect(verdicts).toEqual(['garbage', 'finish', 'other', 'other'])
    expect(answerOf(steps)).toMatchObject({ text: 'a', finish: 'stop' })
  })

  test.each(['API_KEY_INVALID', 'API_KEY_EXPIRED'])(
    'report %s as an upstream authentication error',
    (reason) => {
      const { error } = read([part('a'), ourKey(reason)])
      expect(error).toMatchObject({ code: 'upstream_refused_us' })
    },
  )

  test('hide images of thoughts, and show those of the answer', () => {
    const drawn = (data: string, fields: object = {}) => ({
      candidates: [
        {
          content: { parts: [{ inlineData: { mimeType: 'image/png', data }, ...fields }] },
          index: 0,
        },
      ],
    })
    const { steps } = read([drawn('AAAA', { thought: true }), drawn('BBBB'), part('')])
    const seen = JSON.stringify(steps)
    expect(seen).not.toContain('AAAA')
    expect(seen).toContain('BBBB')
  })

  test('report an error inside an array', () => {
    const { error } = read([
      part('a'),
      [{ error: { code: 500, message: 'Internal', status: 'INTERNAL' } }],
    ])
    expect(error).toMatchObject({ code: 'upstream_unavailable', message: 'Internal' })
  })

  test('keep the digits of large integers', () => {
    const { steps } = read([
      '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"id":12345678901234567890}}}]},"finishReason":"STOP"}]}',
    ])
    expect(answerOf(steps).calls[0]?.input).toBe('{"id":12345678901234567890}')
  })
})
