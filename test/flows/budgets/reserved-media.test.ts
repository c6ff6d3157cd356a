// A call reserves estimates of its texts, images, files, conversation and answer before their actual size is known.
import { describe, expect, test } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { start } from '../../support/start.ts'

const perMinute = 1_000_000
const estimates = { outputTokens: 700, imageTokens: 3_000, fileTokens: 5_000, historyTokens: 9_000 }

async function stage(limits: ConfigFile['limits'] = {}) {
  await using opened = new AsyncDisposableStack()
  const upstream = opened.use(
    await fakeUpstream((_seen, response) => json(response, chatReply('Hello'))),
  )
  const provider = { type: 'openai' as const, baseUrl: upstream.url, key: 'k' }
  const gateway = opened.use(
    await start({
      limits: { tokensPerMinute: perMinute, estimates, ...limits },
      providers: { up: provider },
    }),
  )
  const moved = opened.move()
  return {
    upstream,
    gateway,
    /** What was put aside for a call. */
    async reserved(body: object, path = '/v1/chat/completions') {
      const answer = await gateway.post(path, { model: 'up/m', ...body })
      await answer.arrayBuffer()
      const left = Number(answer.headers.get('x-ratelimit-remaining-tokens'))
      return { status: answer.status, reserved: perMinute - left, answer }
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

const chat = (content: unknown, further: object = { max_tokens: 10 }) => ({
  messages: [{ role: 'user', content }],
  ...further,
})
const text = (words: string) => ({ type: 'text', text: words })
const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const bytes = (count: number) => Buffer.alloc(count, 65).toString('base64')

describe('reserves at least the stated size of each part, and not much more:', () => {
  test.each<[string, object, number]>([
    ['a text', chat('a'.repeat(4_000)), 1_000],
    ['text with three bytes per character', chat('猫'.repeat(1_000)), 750],
    ['no output limit', chat('Hi', {}), estimates.outputTokens],
    ['several choices', chat('Hi', { n: 3 }), 3 * estimates.outputTokens],
    [
      'an image as a data URL',
      chat([text('Hi'), { type: 'image_url', image_url: { url: png } }]),
      3_000,
    ],
    [
      'two images by URL',
      chat(
        ['a', 'b'].map((name) => ({
          type: 'image_url',
          image_url: { url: `https://example.com/${name}.png` },
        })),
      ),
      6_000,
    ],
    [
      'a minute of audio',
      chat([{ type: 'input_audio', input_audio: { data: bytes(240_000), format: 'mp3' } }]),
      60 * 32,
    ],
    [
      'a file as a data URL',
      chat([
        {
          type: 'file',
          file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${bytes(30_000)}` },
        },
      ]),
      3_000,
    ],
    ['a file by id', chat([{ type: 'file', file: { file_id: 'file-1' } }]), 5_000],
  ])('%s', async (_name, body, least) => {
    await using staged = await stage()
    const { reserved } = await staged.reserved(body)
    expect(reserved).toBeGreaterThanOrEqual(least)
    expect(reserved).toBeLessThan(least * 1.03 + 40)
  })

  test.each<[string, string, object, number]>([
    [
      'Messages',
      '/v1/messages',
      {
        max_tokens: 10,
        messages: [
          {
            role: 'user',
            content: [
              {
                type: 'image',
                source: { type: 'base64', media_type: 'image/png', data: bytes(3_000) },
              },
              { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
            ],
          },
        ],
      },
      8_000,
    ],
    [
      'Gemini',
      '/v1beta/models/up%2Fm:generateContent',
      {
        generationConfig: { maxOutputTokens: 10 },
        contents: [
          {
            role: 'user',
            parts: [
              { inlineData: { mimeType: 'image/png', data: bytes(3_000) } },
              { fileData: { mimeType: 'application/pdf', fileUri: 'https://example.com/a.pdf' } },
            ],
          },
        ],
      },
      8_000,
    ],
    [
      'Responses',
      '/v1/responses',
      {
        max_output_tokens: 16,
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_image', image_url: png },
              { type: 'input_file', file_id: 'file-1' },
            ],
          },
        ],
      },
      8_000,
    ],
  ])('images and files in %s', async (_name, path, body, least) => {
    await using staged = await stage()
    const { reserved } = await staged.reserved(body, path)
    expect(reserved).toBeGreaterThanOrEqual(least)
    expect(reserved).toBeLessThan(least * 1.03 + 60)
  })
})

test('counts the whole history of a continued conversation', async () => {
  await using staged = await stage()
  const input = 'Hi'
  const said = { input, max_output_tokens: 16 }
  const first = await staged.gateway.post('/v1/responses', { model: 'builtin-chat', ...said })
  const { id, usage } = (await first.json()) as { id: string; usage: { total_tokens: number } }
  const continued = { ...said, model: 'builtin-chat', previous_response_id: id }
  const before = await staged.reserved({ ...said, model: 'builtin-chat' }, '/v1/responses')
  const after = await staged.reserved(continued, '/v1/responses')
  expect(after.status).toBe(200)
  expect(after.reserved - before.reserved).toBeGreaterThanOrEqual(usage.total_tokens)
  // Of one that nobody knows here as much as is set.
  const unknown = await staged.reserved(
    { ...said, previous_response_id: 'resp_elsewhere' },
    '/v1/responses',
  )
  expect(unknown.reserved).toBeGreaterThan(estimates.historyTokens)
})

test('without an output limit, reserves the longest recent answer', async () => {
  await using staged = await stage()
  const answers = (completion: number) =>
    staged.upstream.answer((_seen, response) =>
      json(response, {
        ...chatReply('Hello'),
        usage: { prompt_tokens: 7, completion_tokens: completion, total_tokens: 7 + completion },
      }),
    )
  answers(5_000)
  expect((await staged.reserved(chat('Hi', {}))).reserved).toBeLessThan(750)
  await expect.poll(async () => staged.gateway.gateway.learnedSizes.of('up/m')).toBe(5_000)
  answers(1_000)
  await staged.reserved(chat('Hi', {}))
  await expect.poll(async () => staged.gateway.gateway.learnedSizes.of('up/m')).toBe(4_500)
})

test('learns the length of one choice from an answer with several', async () => {
  await using staged = await stage()
  staged.upstream.answer((_seen, response) =>
    json(response, {
      ...chatReply('Hello'),
      usage: { prompt_tokens: 7, completion_tokens: 4_000, total_tokens: 4_007 },
    }),
  )
  await staged.reserved(chat('Hi', { n: 4 }))
  await expect.poll(async () => staged.gateway.gateway.learnedSizes.of('up/m')).toBe(1_000)
})
