// OpenAI's API at the paths of Google and Azure, Gemini's below /v1alpha, and the key in Azure's header.

import { GoogleGenAI } from '@google/genai'
import OpenAI, { AzureOpenAI } from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { type Started, start, testKey } from '../../support/start.ts'

let gateway: Started
let upstream: FakeUpstream

beforeAll(async () => {
  upstream = await fakeUpstream((_seen, response) => json(response, chatReply('Hello')))
  gateway = await start({
    providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k', models: ['m', 'n'] } },
    builtin: { enabled: 'always' },
    defaults: { retries: { attempts: 1 } },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const messages = [{ role: 'user' as const, content: 'What is 6 times 7?' }]

describe.each(['/v1beta/openai', '/v1alpha/openai', '/openai/v1', '/openai'])(
  'OpenAI’s API below %s',
  (root) => {
    test('serves the official client', async () => {
      const client = new OpenAI({ apiKey: testKey, baseURL: gateway.url + root, maxRetries: 0 })
      const chat = await client.chat.completions.create({ model: 'up/m', messages })
      expect(chat.choices[0]?.message.content).toBe('Hello')
      const streamed = await client.chat.completions.create({
        model: 'builtin-chat',
        messages,
        stream: true,
      })
      let text = ''
      for await (const { choices } of streamed) text += choices[0]?.delta.content ?? ''
      expect(text).toContain('42')
      const vectors = await client.embeddings.create({ model: 'builtin-embed', input: 'water' })
      expect(vectors.data[0]?.embedding.length).toBeGreaterThan(0)
      const image = await client.images.generate({
        model: 'builtin-image',
        prompt: 'A gate',
        size: '256x256',
      })
      expect(image.data).toHaveLength(1)
      const speech = await client.audio.speech.create({
        model: 'builtin-speech',
        voice: 'alloy',
        input: 'Hi',
      })
      expect((await speech.arrayBuffer()).byteLength).toBeGreaterThan(0)
      const response = await client.responses.create({ model: 'builtin-chat', input: 'Hi' })
      expect((await client.responses.retrieve(response.id)).id).toBe(response.id)
      const models = await client.models.list()
      expect(models.data.map(({ id }) => id)).toContain('up/m')
      expect(await client.models.retrieve('up/m')).toMatchObject({ id: 'up/m', object: 'model' })
    })

    test('answers every client in OpenAI’s format', async () => {
      const headers = { 'x-goog-api-key': testKey, 'anthropic-version': '2026-10-21' }
      const options = { key: null, headers }
      const list = await gateway.request(`${root}/models`, options)
      expect(await list.json()).toMatchObject({ object: 'list' })
      for (const [path, status] of [
        ['/models/nope', 404],
        ['/nope', 404],
        ['/files', 501],
      ] as const) {
        const answer = await gateway.request(root + path, options)
        expect(answer.status).toBe(status)
        const { error } = (await answer.json()) as { error: object }
        expect(Object.keys(error)).toEqual(['message', 'type', 'param', 'code'])
      }
    })
  },
)

describe('Azure’s client', () => {
  const azure = (deployment?: string) =>
    new AzureOpenAI({
      apiKey: testKey,
      endpoint: gateway.url,
      apiVersion: '2024-10-21',
      maxRetries: 0,
      ...(deployment !== undefined && { deployment }),
    })

  test('takes the deployment as the model and the key in api-key', async () => {
    const chat = await azure().chat.completions.create({ model: 'up/m', messages })
    expect(chat.choices).toHaveLength(1)
    const seen = upstream.seen.at(-1)!
    expect(seen.body).toMatchObject({ model: 'm' })
    expect(seen.path).not.toContain('api-version')
    const vectors = await azure().embeddings.create({ model: 'builtin-embed', input: 'water' })
    expect(vectors.data).toHaveLength(1)
    expect((await azure().models.list()).data.length).toBeGreaterThan(0)
  })

  test('uses the deployment instead of the model in the body', async () => {
    await azure('up/n').chat.completions.create({ model: 'gpt-4o', messages })
    expect(upstream.seen.at(-1)?.body).toMatchObject({ model: 'n' })
    const read = await azure('builtin-transcribe').audio.transcriptions.create({
      model: 'whisper',
      file: new File([new Uint8Array(await spoken())], 'a.wav'),
    })
    expect(read).toHaveProperty('text')
  })

  async function spoken(): Promise<ArrayBuffer> {
    const speech = await azure().audio.speech.create({
      model: 'builtin-speech',
      voice: 'alloy',
      input: 'Water',
      response_format: 'wav',
    })
    return speech.arrayBuffer()
  }

  test.each(['up/m', 'up%2Fm'])('resolves the deployment %s', async (name) => {
    const path = `/openai/deployments/${name}/chat/completions?api-version=2025-04-01-preview`
    const answer = await gateway.post(path, { messages })
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'Hello' } }] })
  })

  test.each([
    ['POST', '/openai/deployments/nope/chat/completions', 404, 'model_not_found'],
    ['POST', '/openai/deployments/up/m/nope', 404, 'unknown_url'],
    ['GET', '/openai/deployments/up/m/chat/completions', 405, 'method_not_allowed'],
  ])('%s %s answers %i', async (method, path, status, code) => {
    const body = method === 'POST' ? { body: JSON.stringify({ messages }) } : {}
    const headers = { 'content-type': 'application/json' }
    const answer = await gateway.request(path, { method, headers, ...body })
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ error: { code } })
  })

  test('checks the key’s permission for the deployment’s model', async () => {
    await using narrow = await start({
      keys: [{ name: 'narrow', key: 'sk-narrow0123456789', models: ['builtin-embed'] }],
    })
    const options = { key: null, headers: { 'api-key': 'sk-narrow0123456789' } }
    const path = '/openai/deployments/builtin-chat/chat/completions'
    expect((await narrow.post(path, { messages }, options)).status).toBe(403)
    const allowed = '/openai/deployments/builtin-embed/embeddings'
    expect((await narrow.post(allowed, { input: 'a' }, options)).status).toBe(200)
  })
})

test('accepts a slash in the engine of /v1/engines', async () => {
  await using vectors = await fakeUpstream((_seen, response) =>
    json(response, {
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [1] }],
      usage: { prompt_tokens: 1, total_tokens: 1 },
    }),
  )
  await using other = await start({
    providers: { up: { type: 'openai', baseUrl: vectors.url, key: 'k' } },
  })
  const answer = await other.post('/v1/engines/up/m/embeddings', { input: 'water' })
  expect(answer.status).toBe(200)
  await answer.text()
})

describe('/v1alpha', () => {
  test('serves Google’s client', async () => {
    const httpOptions = { baseUrl: gateway.url, apiVersion: 'v1alpha' }
    const google = new GoogleGenAI({ apiKey: testKey, httpOptions })
    const model = 'builtin-chat'
    const answer = await google.models.generateContent({ model, contents: 'What is 6 times 7?' })
    expect(answer.text).toContain('42')
    let text = ''
    for await (const part of await google.models.generateContentStream({
      model,
      contents: 'What is 6 times 7?',
    }))
      text += part.text ?? ''
    expect(text).toContain('42')
    const { totalTokens } = await google.models.countTokens({ model, contents: 'Hi' })
    expect(totalTokens).toBeGreaterThan(0)
    const { embeddings } = await google.models.embedContent({
      model: 'builtin-embed',
      contents: ['water', 'bread'],
    })
    expect(embeddings).toHaveLength(2)
    expect((await google.models.get({ model })).name).toBe('models/builtin-chat')
    const listed = await google.models.list()
    expect(listed.page.length).toBeGreaterThan(0)
  })

  test('accepts the key in the query and a provider/model path', async () => {
    const body = { contents: [{ parts: [{ text: 'Hi' }] }] }
    const path = `/v1alpha/up/m:generateContent?key=${testKey}`
    const answer = await gateway.post(path, body, { key: null })
    expect(await answer.json()).toMatchObject({ candidates: [{ content: {} }] })
    const list = await gateway.request(`/v1alpha/models?key=${testKey}`, { key: null })
    expect(list.status).toBe(200)
  })
})

describe('credentials', () => {
  const asked = (headers: Record<string, string>, path = '/v1/models') =>
    gateway.request(path, { key: null, headers })

  test('api-key is accepted like the other headers', async () => {
    for (const path of ['/v1/models', '/v1beta/models', '/openai/v1/models'])
      expect((await asked({ 'api-key': testKey }, path)).status).toBe(200)
    expect((await asked({ 'api-key': 'wrong' })).status).toBe(401)
  })

  test('the first header in order of precedence decides', async () => {
    const order = ['x-goog-api-key', 'x-api-key', 'api-key', 'authorization']
    for (const [index, name] of order.entries()) {
      const right = { [name]: testKey }
      const later = Object.fromEntries(order.slice(index + 1).map((other) => [other, 'wrong']))
      expect((await asked({ ...later, ...right })).status).toBe(200)
      const earlier = Object.fromEntries(order.slice(0, index).map((other) => [other, 'wrong']))
      if (index > 0) expect((await asked({ ...earlier, ...right })).status).toBe(401)
    }
  })
})
