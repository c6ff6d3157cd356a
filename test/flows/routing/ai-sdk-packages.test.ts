import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FakeUpstream, fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { type Started, start } from '../../support/start.ts'

let upstream: FakeUpstream
let sluice: Started

const answer = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'gpt-x',
  output: [
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hello from a package.', annotations: [] }],
    },
  ],
  usage: { input_tokens: 4, output_tokens: 5, total_tokens: 9 },
}

beforeAll(async () => {
  upstream = await fakeUpstream(({ path }, response) => {
    const known = path === '/v1/responses'
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(known ? answer : { error: { message: path } }))
  })
  sluice = await start({
    providers: {
      packaged: {
        type: 'ai-sdk',
        package: '@ai-sdk/openai',
        key: 'k',
        baseUrl: `${upstream.url}/v1`,
      },
      missing: { type: 'ai-sdk', package: '@ai-sdk/of-nobody' },
    },
  })
})

afterAll(async () => {
  await sluice[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const messages = [{ role: 'user', content: 'hi' }]

it('answers through a provider package that the user installed', async () => {
  const response = await sluice.post('/v1/chat/completions', { model: 'packaged/gpt-x', messages })
  expect(response.status).toBe(200)
  expect(response.headers.get('x-sluice-provider')).toBe('packaged')
  expect(await response.json()).toMatchObject({
    model: 'packaged/gpt-x',
    choices: [{ message: { content: 'Hello from a package.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 4, completion_tokens: 5 },
  })
})

it('rejects a field that the package cannot express and names its path', async () => {
  const response = await sluice.post('/v1/chat/completions', {
    model: 'packaged/gpt-x',
    messages,
    logit_bias: { '1': 1 },
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    error: { code: 'unsupported_parameter', param: 'logit_bias' },
  })
})

it('answers 503 for a package that is not installed', async () => {
  const response = await sluice.post('/v1/chat/completions', { model: 'missing/x', messages })
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ error: { code: 'upstream_unavailable' } })
})
