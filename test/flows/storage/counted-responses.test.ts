// POST /v1/responses/input_tokens: the provider counts where it can, and the gateway where it cannot; nothing is generated.
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { type Answering, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { answerResponse, messageItem } from '../../support/fakes/responses-wire.ts'
import { adminKey, type Started, start, testKey } from '../../support/start.ts'

const client = (gateway: Started) =>
  new OpenAI({ apiKey: testKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 })

/** Answers, and counts with a number that the gateway's own count does not have. */
const counting: Answering = (seen, response) =>
  seen.path.endsWith('/input_tokens')
    ? json(response, { object: 'response.input_tokens', input_tokens: 4711 })
    : answerResponse(seen, response, [messageItem('Hello')])

const upstreamAt = (url: string, further = {}) => ({
  providers: { up: { type: 'openai-responses' as const, baseUrl: url, keys: ['a', 'b'] } },
  ...further,
})

const long = 'A long story about a gateway and its many models. '.repeat(20)

test('the built-in model counts exactly, and says nothing of an estimate', async () => {
  await using gateway = await start()
  const { data, response } = await client(gateway)
    .responses.inputTokens.count({ model: 'builtin-chat', input: 'What is 6 times 7?' })
    .withResponse()
  const said = await client(gateway).responses.create({
    model: 'builtin-chat',
    input: 'What is 6 times 7?',
  })
  expect(data).toEqual({
    object: 'response.input_tokens',
    input_tokens: said.usage!.input_tokens,
  })
  expect(response.headers.get('x-sluice-count-estimated')).toBeNull()
})

test('instructions, tools and the earlier conversation count', async () => {
  await using gateway = await start()
  const { responses } = client(gateway)
  const model = 'builtin-chat'
  const count = async (body: object) =>
    (await responses.inputTokens.count({ model, input: 'Hi', ...body })).input_tokens
  const first = await responses.create({ model, input: long })
  const least = await count({})
  const tool = { type: 'function', name: 'look', parameters: {}, strict: null, description: long }
  for (const body of [
    { instructions: long },
    { tools: [tool] },
    { previous_response_id: first.id },
  ])
    expect(await count(body)).toBeGreaterThan(least + 100)
})

test('the provider counts with its own fields, once, and no call is paid for', async () => {
  await using up = await fakeUpstream(counting)
  await using gateway = await start(
    upstreamAt(up.url, { prices: { 'up/m': { inputPerMillion: 1, outputPerMillion: 1 } } }),
  )
  const { data, response } = await client(gateway)
    .responses.inputTokens.count({ model: 'up/m', input: 'Hi', personality: 'friendly' })
    .withResponse()
  expect(data).toEqual({ object: 'response.input_tokens', input_tokens: 4711 })
  expect(response.headers.get('x-sluice-count-estimated')).toBeNull()
  expect(up.seen.map(({ path }) => path)).toEqual(['/v1/responses/input_tokens'])
  expect(up.seen[0]!.body).toEqual({ model: 'm', input: 'Hi', personality: 'friendly' })
  const usage = await gateway.request('/admin/v1/requests', { key: adminKey })
  expect(await usage.json()).toMatchObject({
    data: [{ format: 'responsesInputTokens', inputTokens: 0, costMicroUsd: 0, unknownCosts: 0 }],
  })
})

describe('a response that the provider keeps', () => {
  const keyOf = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
    headers['authorization']

  test('is counted with the key that made it', async () => {
    await using up = await fakeUpstream(counting)
    await using gateway = await start(upstreamAt(up.url))
    const { responses } = client(gateway)
    for (let round = 0; round < 4; round += 1) {
      const first = await responses.create({ model: 'up/m', input: 'Hi' })
      await responses.inputTokens.count({
        model: 'up/m',
        input: 'And?',
        previous_response_id: first.id,
      })
      const [made, asked] = up.seen.slice(-2)
      expect(asked!.body).toMatchObject({ previous_response_id: first.id })
      expect(keyOf(asked!)).toBe(keyOf(made!))
    }
  })

  test('is counted here with all that it continues if the provider cannot count', async () => {
    await using up = await fakeUpstream((seen, response, connections) =>
      seen.path.endsWith('/input_tokens')
        ? json(response, { error: { message: 'x' } }, { status: 500 })
        : counting(seen, response, connections),
    )
    await using gateway = await start(upstreamAt(up.url))
    const { responses } = client(gateway)
    const first = await responses.create({ model: 'up/m', input: long })
    const { data, response } = await responses.inputTokens
      .count({ model: 'up/m', input: 'And?', previous_response_id: first.id })
      .withResponse()
    expect(data.input_tokens).toBeGreaterThan(200)
    expect(response.headers.get('x-sluice-count-estimated')).toBe('true')
  })
})

test('a model of another protocol is not asked: the gateway counts', async () => {
  await using up = await fakeUpstream((_seen, response) => json(response, chatReply('Hello')))
  await using gateway = await start({
    providers: { claude: { type: 'anthropic', baseUrl: up.url, key: 'k' } },
  })
  const { data, response } = await client(gateway)
    .responses.inputTokens.count({ model: 'claude/m', input: long })
    .withResponse()
  expect(data.input_tokens).toBeGreaterThan(200)
  expect(response.headers.get('x-sluice-count-estimated')).toBe('true')
  expect(up.seen).toEqual([])
})

test.each([
  [{ model: 'builtin-chat' }, 'input'],
  [{ model: 'builtin-chat', input: 7 }, 'input'],
  [{ model: 'builtin-chat', input: 'Hi', truncation: 'some' }, 'truncation'],
  [{ model: 'builtin-chat', input: 'Hi', previous_response_id: 'resp_1' }, 'previous_response_id'],
  [{ input: 'Hi' }, 'model'],
])('%j is refused and %s named', async (body, param) => {
  await using gateway = await start()
  const refused = await gateway.post('/v1/responses/input_tokens', body)
  expect(refused.status).toBe(400)
  expect(await refused.json()).toMatchObject({ error: { param } })
})
