import { afterAll, beforeAll, expect, test } from 'vitest'
import { silence, sine, wavOf } from '../../../packages/engine/test/audio-sounds.ts'
import { type Started, start } from '../../support/start.ts'

/** Requests that once ended in a crash, a 5xx or an answer in nobody's format. */
let gateway: Started
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const hello = [{ role: 'user', content: 'Hi' }]
const sound = new File([Buffer.from(wavOf(sine(440, 0.3), silence(0.2)))], 'a.wav')

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
  'answers 404 for the model %s, a property of Object.prototype',
  async (model) => {
    const body = { model, messages: hello }
    const response = await gateway.post('/v1/chat/completions', body)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: { code: 'model_not_found' } })
  },
)

test('accepts input text that names properties of Object.prototype', async () => {
  const input = 'constructor toString __proto__ valueOf hasOwnProperty'
  const answers = [
    await gateway.post('/v1/moderations', { input }),
    await gateway.post('/v1/embeddings', { model: 'builtin-embed', input }),
    await gateway.post('/v1/audio/speech', { model: 'builtin-speech', input }),
    await gateway.post('/v1/images/generations', {
      model: 'builtin-image',
      prompt: `a ${input} circle`,
      size: '64x64',
    }),
    await gateway.post('/v1/chat/completions', {
      model: 'builtin-chat',
      messages: [{ role: 'user', content: input }],
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'x',
          schema: {
            type: 'object',
            required: ['constructor'],
            properties: { constructor: { type: 'string', format: 'constructor' } },
          },
        },
      },
    }),
  ]
  for (const answer of answers) {
    await answer.arrayBuffer()
    expect(answer.status).toBe(200)
  }
})

test('accepts a language named like a property of Object.prototype', async () => {
  const form = new FormData()
  form.set('file', sound)
  form.set('model', 'builtin-transcribe')
  form.set('language', 'constructor')
  const response = await gateway.request('/v1/audio/transcriptions', { method: 'POST', body: form })
  expect(JSON.stringify(await response.json())).not.toContain('undefined')
})

test('rejects a number as a rerank document, even beyond safe integers', async () => {
  const response = await gateway.request('/v1/rerank', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"model":"builtin-rerank","query":"a","documents":["a",9007199254740993]}',
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { param: 'documents[1]' } })
})

test('rejects a content encoding named like a property of Object.prototype', async () => {
  const headers = { 'content-encoding': 'constructor' }
  const response = await gateway.post('/v1/moderations', { input: 'a' }, { headers })
  expect(response.status).toBe(400)
})

test('answers an undecodable path with a JSON error', async () => {
  for (const path of ['/%zz/cancel', '/v1/videos/%F0%9F', '/%']) {
    const response = await gateway.request(path)
    expect(response.status).toBe(400)
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    const { error } = (await response.json()) as { error: object }
    expect(Object.keys(error).toSorted()).toEqual(['code', 'message', 'param', 'type'])
  }
})

test('reports an invalid content type in the error format of the endpoint', async () => {
  const headers = { 'content-type': 'nonsense' }
  const gemini = await gateway.post('/v1beta/models/builtin-chat:generateContent', {}, { headers })
  expect(gemini.status).toBe(400)
  expect(await gemini.json()).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } })
  const anthropic = await gateway.post('/v1/messages', {}, { headers })
  expect(anthropic.status).toBe(400)
  expect(await anthropic.json()).toMatchObject({ type: 'error' })
})

test('answers 400 for a form truncated anywhere within a file', async () => {
  const form = new FormData()
  form.set('model', 'builtin-transcribe')
  form.set('file', sound)
  const whole = new Response(form)
  const contentType = whole.headers.get('content-type') ?? ''
  const bytes = new Uint8Array(await whole.arrayBuffer())
  for (const part of [0.01, 0.02, 0.1, 0.5, 0.9, 0.999]) {
    const response = await gateway.request('/v1/audio/transcriptions', {
      method: 'POST',
      body: bytes.subarray(0, Math.floor(bytes.length * part)),
      headers: { 'content-type': contentType },
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
  }
})

test('ignores stream on operations that do not stream, also for errors', async () => {
  const counted = { model: 'builtin-chat', messages: hello, stream: true }
  const count = await gateway.post('/v1/messages/count_tokens', counted)
  expect(await count.json()).toMatchObject({ input_tokens: expect.any(Number) })
  const refused = await gateway.post('/v1/messages/count_tokens', { ...counted, tools: [{}] })
  expect(refused.status).toBe(400)
  const embedded = { model: 'builtin-embed', input: 'a', stream: true }
  expect((await gateway.post('/v1/embeddings', embedded)).status).toBe(200)
})

test('logs none of these requests as a failure of the gateway', () => {
  expect(gateway.logged.filter(({ level }) => level !== 'info')).toEqual([])
})
