// Embeddings, reranking, audio, images and videos of the official SDKs with upstreams of other protocols, which answer
// like the golden cases.
import { readdirSync, readFileSync } from 'node:fs'
import { CohereClientV2 } from 'cohere-ai'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answering,
  type FakeUpstream,
  fakeUpstream,
  json,
} from '../../support/fakes/fake-upstream.ts'
import { type Started, start, testKey } from '../../support/start.ts'

const golden = new URL('../../../packages/protocols/test/golden/', import.meta.url)

/** What the golden case of an operation has an upstream of this protocol answer. */
function answerOf(operation: string, name: string, protocol: string): unknown {
  const folder = new URL(`${operation}/${name}/`, golden)
  const file = readdirSync(folder).find((one) => one.startsWith(`${protocol}.received.`))
  if (file === undefined) throw new Error(`${operation}/${name} has no answer of ${protocol}`)
  return JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
}

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const sound = Buffer.from('RIFF$\0\0\0WAVEfmt ', 'latin1')

let upstream: FakeUpstream
let gateway: Started
let openai: OpenAI

beforeAll(async () => {
  upstream = await fakeUpstream(() => {})
  const { url: baseUrl } = upstream
  const ids = ['alibaba', 'cohere', 'deepgram', 'elevenlabs', 'google', 'jina', 'voyage']
  gateway = await start({
    providers: Object.fromEntries(ids.map((id) => [id, { key: 'k', baseUrl }])),
    defaults: { retries: { attempts: 1 } },
  })
  openai = new OpenAI({ apiKey: testKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const answering =
  (body: unknown): Answering =>
  (_seen, response) =>
    json(response, body)
const bytes =
  (type: string): Answering =>
  (_seen, response) => {
    response.writeHead(200, { 'content-type': type }).end(sound)
  }

describe.each([
  ['cohere/embed-v4.0', 'cohere'],
  ['google/gemini-embedding-001', 'gemini'],
  ['jina/jina-embeddings-v4', 'jina'],
  ['voyage/voyage-3.5', 'voyage'],
])('embeddings of %s', (model, protocol) => {
  test.each([undefined, 'float'] as const)('with encoding_format %s', async (encoding_format) => {
    upstream.answer(answering(answerOf('embed', 'texts', protocol)))
    const { data } = await openai.embeddings.create({
      model,
      input: ['A gate', 'Water'],
      ...(encoding_format && { encoding_format }),
    })
    const vectors = data.map(({ embedding }) => embedding.map((value) => value.toFixed(1)))
    expect(vectors).toEqual([
      ['0.1', '-0.2', '0.3'],
      ['0.4', '0.5', '-0.6'],
    ])
  })
})

test.each([
  ['alibaba/gte-rerank-v2', 'dashscope'],
  ['cohere/rerank-v3.5', 'cohere'],
  ['jina/jina-reranker-v3', 'jina'],
  ['voyage/rerank-2.5', 'voyage'],
])('a ranking by %s for Cohere’s client', async (model, protocol) => {
  upstream.answer(answering(answerOf('rerank', 'texts', protocol)))
  const cohere = new CohereClientV2({ token: testKey, environment: gateway.url })
  const { results } = await cohere.rerank({ model, query: 'q', documents: ['a', 'b'], topN: 2 })
  expect(results.map(({ index }) => index)).toEqual([1, 0])
  expect(results[0]?.relevanceScore).toBeCloseTo(0.98)
})

describe.each([
  ['deepgram/nova-3', 'deepgram'],
  ['elevenlabs/scribe_v1', 'elevenlabs'],
  ['google/gemini-2.5-flash', 'gemini'],
])('a transcript by %s', (model, protocol) => {
  test('whole', async () => {
    upstream.answer(answering(answerOf('transcribe', 'json', protocol)))
    const file = await toFile(sound, 'a.wav', { type: 'audio/wav' })
    const { text } = await openai.audio.transcriptions.create({ model, file })
    expect(text).toBe('The gate is open. Come in.')
  })

  test('streamed from an upstream that answers whole', async () => {
    upstream.answer(answering(answerOf('transcribe', 'json', protocol)))
    const file = await toFile(sound, 'a.wav', { type: 'audio/wav' })
    const stream = await openai.audio.transcriptions.create({ model, file, stream: true })
    let text = ''
    for await (const event of stream)
      if (event.type === 'transcript.text.delta') text += event.delta
    expect(text).toBe('The gate is open. Come in.')
  })
})

test('a translation', async () => {
  upstream.answer(answering(answerOf('translate', 'json', 'gemini')))
  const file = await toFile(sound, 'a.wav', { type: 'audio/wav' })
  const { text } = await openai.audio.translations.create({
    model: 'google/gemini-2.5-flash',
    file,
  })
  expect(text.length).toBeGreaterThan(5)
})

test.each([
  ['google/gemini-2.5-flash-preview-tts', 'Kore', answering(answerOf('speak', 'wav', 'gemini'))],
  ['deepgram/aura-2', 'thalia', bytes('audio/wav')],
  ['elevenlabs/eleven_v3', 'JBFqnCBsd6RMkjVDRZzb', bytes('audio/wav')],
] as const)('speech by %s', async (model, voice, answer) => {
  upstream.answer(answer)
  const response = await openai.audio.speech.create({
    model,
    voice,
    input: 'The gate is open.',
    response_format: 'wav',
  })
  expect(response.headers.get('content-type')).toMatch(/^audio\//)
  expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(4)
})

describe('images by Gemini', () => {
  const model = 'google/gemini-2.5-flash-image'

  test('generated', async () => {
    upstream.answer(answering(answerOf('createImage', 'prompt', 'gemini')))
    const { data } = await openai.images.generate({
      model,
      prompt: 'A dot',
      response_format: 'b64_json',
    })
    expect(Buffer.from(data?.[0]?.b64_json ?? '', 'base64').equals(pixel)).toBe(true)
  })

  test('edited', async () => {
    upstream.answer(answering(answerOf('editImage', 'contract', 'gemini')))
    const { data } = await openai.images.edit({
      model,
      prompt: 'A red dot',
      image: await toFile(pixel, 'a.png', { type: 'image/png' }),
      response_format: 'b64_json',
    })
    expect(data?.[0]?.b64_json?.length).toBeGreaterThan(20)
  })
})

test.each([
  ['google/veo-3.1-generate-preview', 'gemini'],
  ['alibaba/wan2.5-t2v-preview', 'dashscope'],
])('a video by %s', async (model, protocol) => {
  upstream.answer(answering(answerOf('createVideo', 'prompt', protocol)))
  const { id } = await openai.videos.create({ model, prompt: 'A sun rises', seconds: '8' })
  upstream.answer(answering(answerOf('getVideo', 'completed', protocol)))
  const polled = await openai.videos.retrieve(id)
  expect(polled.status).toBe('completed')
  const listed = await openai.videos.list()
  expect(listed.data.map((one) => one.id)).toContain(id)
  upstream.answer(answering({}))
  expect((await openai.videos.delete(id)).deleted).toBe(true)
})
