// Each model of the built-in engine accepts the operations it lists and rejects all others.
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { type Started, start } from '../../support/start.ts'

let gateway: Started
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const messages = [{ role: 'user', content: 'What is 6 times 7?' }]
const parts = [{ role: 'user', parts: [{ text: 'What is 6 times 7?' }] }]

type Asked = (model: string) => readonly [path: string, body: object]

const chats: Readonly<Record<string, Asked>> = {
  chat: (model) => ['/v1/chat/completions', { model, messages }],
  'chat, streamed': (model) => ['/v1/chat/completions', { model, messages, stream: true }],
  messages: (model) => ['/v1/messages', { model, messages, max_tokens: 9 }],
  responses: (model) => ['/v1/responses', { model, input: 'Hi' }],
  generateContent: (model) => [`/v1beta/models/${model}:generateContent`, { contents: parts }],
  completions: (model) => ['/v1/completions', { model, prompt: 'What is 6 times 7?' }],
}
const others: Readonly<Record<string, Asked>> = {
  embeddings: (model) => ['/v1/embeddings', { model, input: 'Hi' }],
  rerank: (model) => ['/v1/rerank', { model, query: 'a', documents: ['a', 'b'] }],
  moderations: (model) => ['/v1/moderations', { model, input: 'Hi' }],
  speech: (model) => ['/v1/audio/speech', { model, input: 'Hi', voice: 'alloy' }],
  images: (model) => ['/v1/images/generations', { model, prompt: 'a red circle' }],
}
const models = ['embed', 'rerank', 'moderate', 'transcribe', 'image', 'speech', 'video'] as const

async function refusal(asked: readonly [string, object]): Promise<readonly [number, string]> {
  const response = await gateway.post(...asked)
  return [response.status, await response.text()]
}

describe.each(Object.keys(chats))('%s', (name) => {
  it.each(models)('is rejected by builtin-%s', async (model) => {
    const asked = chats[name]?.(`builtin-${model}`)
    const [status, text] = await refusal(asked ?? ['', {}])
    expect(status, text).toBe(400)
    expect(text).toContain(`builtin/builtin-${model} does not offer`)
  })

  it('is accepted by builtin-chat', async () => {
    expect((await refusal(chats[name]?.('builtin-chat') ?? ['', {}]))[0]).toBe(200)
  })
})

test.each(Object.keys(others))('%s is rejected by builtin-chat', async (name) => {
  const [status, text] = await refusal(others[name]?.('builtin-chat') ?? ['', {}])
  expect(status, text).toBe(400)
  expect(JSON.parse(text)).toMatchObject({ error: { param: 'model' } })
})

test('a well-known model name is an alias of the built-in model for its operation', async () => {
  const [status, text] = await refusal(chats['chat']?.('text-embedding-3-small') ?? ['', {}])
  expect([status, JSON.parse(text)]).toMatchObject([400, { error: { param: 'model' } }])
  expect((await refusal(others['embeddings']?.('text-embedding-3-small') ?? ['', {}]))[0]).toBe(200)
})

test('a text completion answers with the completed text only', async () => {
  const response = await gateway.post('/v1/completions', {
    model: 'builtin-chat',
    prompt: 'Say "this is a test"',
    temperature: 0,
  })
  expect(await response.json()).toMatchObject({ choices: [{ text: 'this is a test' }] })
})
