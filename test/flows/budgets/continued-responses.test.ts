// Continuing a stored response, where a limit depends on its size.
import { expect, test, vi } from 'vitest'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { noSuchAddress } from '../../support/gateways/two-keys.ts'
import { type Started, start, testKey } from '../../support/start.ts'

const limits = { tokensPerMinute: 50_000_000 }
const said = { model: 'builtin-chat', input: 'Hi', max_output_tokens: 16 }

async function post(gateway: Started, body: object) {
  const answer = await gateway.post('/v1/responses', body)
  return { status: answer.status, body: (await answer.json()) as Record<string, never> }
}

const keyId = (gateway: Started) => gateway.gateway.keys.find(testKey)?.id ?? ''

test('reads the stored response once', async () => {
  await using gateway = await start({ limits })
  const first = await post(gateway, said)
  const reading = vi.spyOn(gateway.gateway.store, 'findResponse')
  const next = await post(gateway, { ...said, previous_response_id: first.body['id'] })
  expect(next.status).toBe(200)
  expect(reading).toHaveBeenCalledTimes(1)
})

test('counts a huge stored response by its tokens, and passes an id that the upstream knows', async () => {
  await using upstream = await fakeUpstream((seen, response) =>
    seen.path.endsWith('/responses')
      ? json(response, { id: 'resp_up', object: 'response', output: [], usage: null })
      : noSuchAddress(response),
  )
  const up = { type: 'openai' as const, baseUrl: upstream.url, key: 'k' }
  await using gateway = await start({ limits, providers: { up } })
  const output = [{ type: 'odd', values: Array.from({ length: 400_000 }, (_, n) => `v${n}`) }]
  const usage = { input_tokens: 1_000_000, output_tokens: 234_567, total_tokens: 1_234_567 }
  // What is said in a text is no field.
  const instructions = 'He said: "total_tokens": 49000000'
  const kept = { createdAt: 1, keyId: keyId(gateway), input: '[]' }
  const response = JSON.stringify({ id: 'resp_large', instructions, output, usage })
  await gateway.gateway.store.addResponse(
    { ...kept, id: 'resp_large', response, provider: 'up' },
    [],
  )
  const passed = await post(gateway, {
    ...said,
    model: 'up/m',
    previous_response_id: 'resp_large',
  })
  expect(passed.status, JSON.stringify(passed.body)).toBe(200)
  expect(upstream.seen).toHaveLength(1)
  expect(upstream.seen[0]?.body['previous_response_id']).toBe('resp_large')

  // Put in front of a request it is too much, which is said of the field.
  await gateway.gateway.store.addResponse({ ...kept, id: 'resp_here', response }, [])
  const refused = await post(gateway, { ...said, previous_response_id: 'resp_here' })
  expect(refused.status).toBe(400)
  expect(refused.body).toMatchObject({
    error: { code: 'context_length_exceeded', param: 'previous_response_id' },
  })
})

test('reserves the tokens that the upstream reported for the stored response', async () => {
  await using upstream = await fakeUpstream((seen, response) => {
    if (seen.path.endsWith('/responses')) return noSuchAddress(response)
    return json(response, {
      ...chatReply('Hello'),
      usage: { prompt_tokens: 700_000, completion_tokens: 77_777, total_tokens: 777_777 },
    })
  })
  const up = { type: 'openai' as const, baseUrl: upstream.url, key: 'k' }
  await using gateway = await start({ limits, providers: { up } })
  const first = await post(gateway, { ...said, model: 'up/m' })
  const reserving = vi.spyOn(gateway.gateway.limiter, 'reserve')
  const put = async (body: object) => {
    expect((await post(gateway, body)).status).toBe(200)
    const claims = reserving.mock.lastCall?.[0] ?? []
    const claim = claims.find((one) => one.kind === 'rate' && one.unit === 'tokens')
    return claim?.kind === 'rate' ? claim.amount : 0
  }
  const before = await put(said)
  const after = await put({ ...said, previous_response_id: first.body['id'] })
  expect(after - before).toBeGreaterThanOrEqual(777_777)
  // And the id, as any text.
  expect(after - before).toBeLessThan(777_800)
})

test('reserves what a conversation has: its items, and later the tokens that the upstream reported', async () => {
  await using upstream = await fakeUpstream((_seen, response) =>
    json(response, {
      ...chatReply('Hello'),
      usage: { prompt_tokens: 700_000, completion_tokens: 77_777, total_tokens: 777_777 },
    }),
  )
  await using gateway = await start({
    limits,
    providers: { cerebras: { baseUrl: upstream.url, key: 'k' } },
  })
  const made = await gateway.post('/v1/conversations', {
    items: [{ role: 'user', content: 'word '.repeat(2_000) }],
  })
  const { id: conversation } = (await made.json()) as { readonly id: string }
  const reserving = vi.spyOn(gateway.gateway.limiter, 'reserve')
  const put = async (further: object) => {
    const answer = await post(gateway, { ...said, model: 'cerebras/m', ...further })
    expect(answer.status).toBe(200)
    const claims = reserving.mock.lastCall?.[0] ?? []
    const claim = claims.find((one) => one.kind === 'rate' && one.unit === 'tokens')
    return claim?.kind === 'rate' ? claim.amount : 0
  }
  const alone = await put({})
  const first = await put({ conversation })
  expect(first - alone).toBeGreaterThanOrEqual(5_000)
  expect(first - alone).toBeLessThan(5_200)
  const second = await put({ conversation: { id: conversation } })
  expect(second - alone).toBeGreaterThanOrEqual(777_777)
  expect(second - alone).toBeLessThan(777_800)
})
