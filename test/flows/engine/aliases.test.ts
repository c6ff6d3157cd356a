// While no provider is configured, programs get an answer with the model names that they request by default, whatever version
// or date the names have.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import defaultModels from '../../agents/default-models.json' with { type: 'json' }
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { at } from '../../support/routes.ts'
import { type Started, start } from '../../support/start.ts'

let gateway: Started
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const content = 'What is 6 times 7?'
const messages = [{ role: 'user', content }]

/** The names that coding agents were recorded to request by default. */
const ofAgents = Object.values(defaultModels).flat()

/** Names that programs request by default, and dated and newer ones. */
const chats = [
  ...new Set(ofAgents.filter((name) => name !== 'builtin-chat')),
  'claude-haiku-4-5',
  'claude-opus-4-8',
  'claude-sonnet-4-5-20250929',
  'claude-3-7-sonnet-latest',
  'claude-opus-9-20290101',
  'gpt-5.1-codex-max',
  'gpt-4o-2024-08-06',
  'gpt-5-nano',
  'gpt-7',
  'gpt-oss-120b',
  'gpt-audio',
  'chatgpt-4o-latest',
  'codex-mini-latest',
  'o3',
  'o4-mini-2025-04-16',
  'gemini-2.5-pro',
  'gemma3:27b',
  'qwen2.5:7b-instruct',
  'grok-4',
  'grok-code-fast-1',
  'deepseek-chat',
  'deepseek-v4',
  'kimi-k2-0905-preview',
  'glm-4.6',
  'mistral-large-latest',
  'devstral-medium',
  'llama3.2',
  'llama-3.3-70b-versatile',
  'command-a-03-2025',
  'sonar',
]

const others: Readonly<Record<string, readonly [path: string, body: object, models: string]>> = {
  embeddings: [
    '/v1/embeddings',
    { input: 'Hi' },
    'text-embedding-3-large text-embedding-4 gemini-embedding-2 embed-v4.0 voyage-3.5 nomic-embed-text qwen3-embedding-8b',
  ],
  rerank: [
    '/v1/rerank',
    { query: 'a', documents: ['a', 'b'] },
    'rerank-v4.0-pro rerank-2.5 bge-reranker-v2-m3 jina-reranker-v3',
  ],
  moderations: ['/v1/moderations', { input: 'Hi' }, 'omni-moderation-2024-09-26'],
  images: [
    '/v1/images/generations',
    { prompt: 'a red circle' },
    'gpt-image-1-mini gpt-image-3 dall-e-3 imagen-4.0-generate-001 gemini-2.5-flash-image gemini-3-pro-image-preview qwen-image-plus',
  ],
  speech: [
    '/v1/audio/speech',
    { input: 'Hi', voice: 'alloy' },
    'gpt-4o-mini-tts-2025-12-15 tts-1-hd-1106 gemini-2.5-flash-preview-tts',
  ],
}

async function told(path: string, body: object): Promise<string> {
  const response = await gateway.post(path, body)
  await response.arrayBuffer()
  return `${response.status} ${response.headers.get('x-sluice-model')}`
}

describe('on an empty configuration', () => {
  test.each(chats)('%s chats in every format', async (model) => {
    const built = '200 builtin-chat'
    expect(await told('/v1/chat/completions', { model, messages })).toBe(built)
    expect(await told('/v1/messages', { model, messages, max_tokens: 9 })).toBe(built)
    expect(await told('/v1/responses', { model, input: content })).toBe(built)
    const contents = [{ role: 'user', parts: [{ text: content }] }]
    expect(await told(`/v1beta/models/${model}:generateContent`, { contents })).toBe(built)
  })

  test.each(
    Object.values(others).flatMap(([path, body, models]) =>
      models.split(' ').map((model) => [model, path, body] as const),
    ),
  )('%s answers at %s', async (model, path, body) => {
    expect(await told(path, { model, ...body })).toMatch(/^200 builtin-/)
  })

  test('a model for pictures or speech is asked by chats as well', async () => {
    const contents = [{ role: 'user', parts: [{ text: content }] }]
    for (const model of ['gemini-2.5-flash-image', 'gemini-2.5-flash-preview-tts'])
      expect(await told(`/v1beta/models/${model}:generateContent`, { contents })).toBe(
        '200 builtin-chat',
      )
  })

  test('a recording is transcribed by any transcriber', async () => {
    for (const model of ['whisper-large-v3', 'gpt-4o-transcribe-diarize', 'scribe_v1']) {
      const form = new FormData()
      form.set('model', model)
      form.set('file', new Blob([silence()]), 'silence.wav')
      const response = await gateway.request('/v1/audio/transcriptions', {
        method: 'POST',
        body: form,
      })
      expect([model, response.status, await response.text()]).toEqual([
        model,
        200,
        expect.any(String),
      ])
    }
  })

  test('a name of a family has a record but does not make the list longer', async () => {
    const record = await gateway.request('/v1/models/gpt-5.5-2026-04-23')
    expect([record.status, await record.json()]).toMatchObject([200, { id: 'gpt-5.5-2026-04-23' }])
    const list = await (await gateway.request('/v1/models')).text()
    expect(list).not.toContain('gpt-5.5-2026-04-23')
    expect((await gateway.request('/v1/models/unheard-of')).status).toBe(404)
  })

  test.each(['philosophy', 'commander-1', 'gpt/4', 'my-gpt-4o', 'operator', 'house'])(
    '%s is no such name',
    async (model) => {
      expect((await gateway.post('/v1/chat/completions', { model, messages })).status).toBe(404)
    },
  )
})

test('where a provider is configured, the error says what to set', async () => {
  await using acme = await fakeUpstream((_seen, response) => json(response, { data: [] }))
  await using own = await start(at({ acme }))
  const response = await own.post('/v1/chat/completions', { model: 'claude-opus-4-8', messages })
  expect([response.status, await response.text()]).toEqual([
    404,
    expect.stringContaining(
      'use provider/claude-opus-4-8, or add claude-opus-4-8 to models in sluice.yaml',
    ),
  ])
})

test('aliases in the settings replace the families as well', async () => {
  await using own = await start({ builtin: { aliases: { house: 'builtin-chat' } } })
  const statusOf = async (model: string): Promise<number> =>
    (await own.post('/v1/chat/completions', { model, messages })).status
  expect([await statusOf('house'), await statusOf('gpt-5.5')]).toEqual([200, 404])
})

/** A second of silence, 8 kHz, 8 bit. */
function silence(): Uint8Array<ArrayBuffer> {
  const samples = 8_000
  const bytes = Buffer.alloc(44 + samples, 0x80)
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(36 + samples, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(8_000, 24)
  bytes.writeUInt32LE(8_000, 28)
  bytes.writeUInt16LE(1, 32)
  bytes.writeUInt16LE(8, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(samples, 40)
  return new Uint8Array(bytes)
}
