// What is optional in requests of the Responses API, and refusals that are true.
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'
import { type Started, start, testKey } from '../../support/start.ts'

const client = ({ url }: Started) =>
  new OpenAI({ apiKey: testKey, baseURL: `${url}/v1`, maxRetries: 0 })

const item = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hello', annotations: [], logprobs: [] }],
}
const reply = (id: string) => ({
  id,
  object: 'response',
  created_at: 1_760_000_001,
  status: 'completed',
  model: 'm',
  output: [item],
  usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
})

async function sharing(setting: 'allow' | 'refuse') {
  let count = 0
  const upstream = await fakeUpstream((_seen, response) =>
    json(response, reply(`resp_${(count += 1)}`)),
  )
  const up = { type: 'openai', baseUrl: upstream.url, key: 'k', sharedIds: setting } as const
  const gateway = await start({ providers: { up } })
  return {
    upstream,
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

const model = 'up/m'

test('a prompt needs no input', async () => {
  await using stage = await sharing('allow')
  const asked = { model, prompt: { id: 'pmpt_1' } }
  expect((await stage.gateway.post('/v1/responses', asked)).status).toBe(200)
  expect(stage.upstream.seen.at(-1)?.body).toEqual({ ...asked, model: 'm' })
})

test('a prompt without a model is refused with the reason', async () => {
  await using stage = await sharing('allow')
  const answer = await stage.gateway.post('/v1/responses', { prompt: { id: 'pmpt_1' } })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({
    error: { param: 'model', message: expect.stringContaining('also with a prompt') },
  })
})

test('a previous response needs no input, at an upstream that has it', async () => {
  await using stage = await sharing('allow')
  const { id } = await client(stage.gateway).responses.create({ model, input: 'Hi' })
  const next = await client(stage.gateway).responses.create({ model, previous_response_id: id })
  expect(next.output_text).toBe('Hello')
  expect(stage.upstream.seen.at(-1)?.body).toEqual({ model: 'm', previous_response_id: id })
  const items = await client(stage.gateway).responses.inputItems.list(next.id)
  expect(items.data).toEqual([])
})

test('a previous response needs no input, in the built-in engine', async () => {
  await using gateway = await start()
  const sdk = client(gateway)
  const { id } = await sdk.responses.create({ model: 'builtin-chat', input: 'What is 6 times 7?' })
  const next = await sdk.responses.create({ model: 'builtin-chat', previous_response_id: id })
  expect(next.status).toBe('completed')
})

test('a request without input and without anything stored is refused', async () => {
  await using gateway = await start()
  for (const input of [{}, { input: null }]) {
    const answer = await gateway.post('/v1/responses', { model: 'builtin-chat', ...input })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      error: { param: 'input', code: 'missing_required_parameter' },
    })
  }
})

test('an id from elsewhere is refused with the setting that allows it', async () => {
  await using stage = await sharing('refuse')
  const answer = await stage.gateway.post('/v1/responses', { model, prompt: { id: 'pmpt_1' } })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({
    error: { param: 'prompt.id', message: expect.stringContaining('sharedIds: allow') },
  })
})

test.each(['openai', 'openai-responses'] as const)(
  'a response in the background is refused by %s with the true reason',
  async (type) => {
    await using pair = await inFrontOf(type, (_seen, response) => json(response, reply('resp_1')))
    const asked = { model: pair.model, input: 'Hi', background: true }
    const answer = await pair.gateway.post('/v1/responses', asked)
    const { error } = (await answer.json()) as { error: { param: string; message: string } }
    expect(error.param).toBe('background')
    expect(error.message).toContain('does not run responses in the background')
    expect(error.message).not.toContain('speaks this format itself')
  },
)

test.each(['native', 'built in'])(
  'a stored response is replayed as its stream, %s',
  async (which) => {
    await using stage = await sharing('allow')
    const sdk = client(stage.gateway)
    const asked = {
      model: which === 'native' ? model : 'builtin-chat',
      input: 'What is 6 times 7?',
    }
    const made = await sdk.responses.create(asked)
    const events: OpenAI.Responses.ResponseStreamEvent[] = []
    for await (const event of await sdk.responses.retrieve(made.id, { stream: true }))
      events.push(event)
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    expect(events[0]).toMatchObject({
      type: 'response.created',
      response: { id: made.id, status: 'in_progress', output: [] },
    })
    const text = events
      .map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''))
      .join('')
    expect(text).toBe(made.output_text)
    const last = events.at(-1)
    expect(last?.type).toBe('response.completed')
    expect(last && 'response' in last && last.response.output).toEqual(made.output)

    const later: unknown[] = []
    const after = events.length - 2
    const resumed = { stream: true, starting_after: after } as const
    for await (const event of await sdk.responses.retrieve(made.id, resumed)) later.push(event)
    expect(later).toEqual(events.slice(after + 1))
  },
)

test('a stored function call is replayed with its arguments', async () => {
  const call = { id: 'fc_1', type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' }
  await using pair = await inFrontOf('openai', (_seen, response) =>
    json(response, { ...reply('resp_1'), output: [{ ...call, status: 'completed' }] }),
  )
  const sdk = client(pair.gateway)
  const made = await sdk.responses.create({ model: pair.model, input: 'Hi' })
  const found = []
  for await (const event of await sdk.responses.retrieve(made.id, { stream: true }))
    found.push(event)
  expect(found.map(({ type }) => type)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.function_call_arguments.delta',
    'response.function_call_arguments.done',
    'response.output_item.done',
    'response.completed',
  ])
  expect(found[4]).toMatchObject({ arguments: '{"a":1}', name: 'f', item_id: 'fc_1' })
})

test.each([
  ['stream=maybe', 'stream'],
  ['stream=true&starting_after=x', 'starting_after'],
])('%s of a stored response is refused', async (query, param) => {
  await using gateway = await start()
  const answer = await gateway.request(`/v1/responses/resp_1?${query}`)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ error: { param } })
})

test('a model list with anthropic-version has Anthropic’s form, also with a bearer token', async () => {
  await using gateway = await start()
  const headers = { 'anthropic-version': '2023-06-01' }
  const list = (await (await gateway.request('/v1/models', { headers })).json()) as {
    data: readonly object[]
  }
  expect(list.data[0]).toMatchObject({ type: 'model', display_name: expect.any(String) })
})
