// Chat completions passed on to OpenAI's reasoning models, which reject parameters that other models accept.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeUpstream, fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { ask, at, good } from '../../support/routes.ts'
import { type Started, start } from '../../support/start.ts'

let upstream: FakeUpstream
let gateway: Started
beforeEach(async () => {
  upstream = await fakeUpstream(good)
  gateway = await start(at({ acme: upstream }))
})
afterEach(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const path = '/v1/chat/completions'

async function sentOf(model: string, fields: object, headers: Record<string, string> = {}) {
  const response = await gateway.post(
    path,
    { model: `acme/${model}`, ...ask, ...fields },
    { headers },
  )
  await response.text()
  const {
    model: _model,
    messages: _messages,
    ...sent
  } = (upstream.seen.at(-1)?.body ?? {}) as Record<string, unknown>
  return { status: response.status, sent, dropped: response.headers.get('x-sluice-dropped') }
}

test.each([
  ['o3', { max_tokens: 50 }, { max_completion_tokens: 50 }, null],
  ['gpt-5.2', { max_tokens: 50 }, { max_completion_tokens: 50 }, null],
  ['gpt-5', { max_tokens: 50, seed: 1 }, { max_completion_tokens: 50, seed: 1 }, null],
  ['o4-mini', { temperature: 0.2, top_p: 0.9 }, {}, 'temperature, top_p'],
  [
    'gpt-5-mini',
    { presence_penalty: 0.5, reasoning_effort: 'low' },
    { reasoning_effort: 'low' },
    'presence_penalty',
  ],
  [
    'gpt-5.2',
    { temperature: 0.2, reasoning_effort: 'high', new_field: 1 },
    { reasoning_effort: 'high', new_field: 1 },
    'temperature',
  ],
  ['gpt-4o-search-preview', { temperature: 0.2 }, {}, 'temperature'],
])('%s: sends %j as %j, dropping %s', async (model, fields, sent, dropped) => {
  expect(await sentOf(model, fields)).toEqual({ status: 200, sent, dropped })
})

test.each([
  ['gpt-4.1', { temperature: 0.2, max_tokens: 50, new_field: 1 }],
  ['o3', { temperature: 1, max_completion_tokens: 50, new_field: 1 }],
  // It takes sampling as long as it does not reason, which is what it does unless asked.
  ['gpt-5.2', { temperature: 0.2, new_field: 1 }],
  ['some-model', { temperature: 0.2, max_tokens: 50, new_field: 1 }],
])('%s: sends %j unchanged', async (model, fields) => {
  expect(await sentOf(model, fields)).toEqual({ status: 200, sent: fields, dropped: null })
})

test('rejects an unsupported field by name if nothing may be dropped', async () => {
  const headers = { 'x-sluice-unsupported': 'refuse' }
  expect((await sentOf('o3', { temperature: 0.2 }, headers)).status).toBe(400)
  expect(upstream.seen).toEqual([])
})

const adaptive = { thinking: { type: 'adaptive' } }
test.each([
  ['alibaba', adaptive, {}],
  ['alibaba', { ...adaptive, output_config: { effort: 'low' } }, { enable_thinking: true }],
  ['alibaba', { thinking: { type: 'disabled' } }, { enable_thinking: false }],
  [
    'alibaba',
    { thinking: { type: 'enabled', budget_tokens: 2000 } },
    { enable_thinking: true, thinking_budget: 2000 },
  ],
  ['siliconflow', adaptive, {}],
  ['siliconflow', { ...adaptive, output_config: { effort: 'max' } }, { reasoning_effort: 'max' }],
  ['siliconflow', { thinking: { type: 'disabled' } }, { enable_thinking: false }],
])('%s: sends only positive thinking budgets: %j', async (provider, asked, expected) => {
  await gateway.configure({ providers: { [provider]: { baseUrl: upstream.url, key: 'k' } } })
  const model = `${provider}/qwen3.6-plus`
  const response = await gateway.post('/v1/messages', { ...ask, ...asked, model, max_tokens: 4000 })
  expect(response.status).toBe(200)
  await response.text()
  const {
    model: _,
    messages: __,
    max_tokens: ___,
    ...sent
  } = upstream.seen.at(-1)?.body as object & Record<string, unknown>
  expect(sent).toEqual(expected)
})

test('prefers the thinking budget over the effort, and reports the dropped effort', async () => {
  await gateway.configure({ providers: { openrouter: { baseUrl: upstream.url, key: 'k' } } })
  const response = await gateway.post('/v1/messages', {
    ...ask,
    model: 'openrouter/some/model',
    max_tokens: 4000,
    thinking: { type: 'enabled', budget_tokens: 2000 },
    output_config: { effort: 'low' },
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('x-sluice-dropped')).toBe('output_config.effort')
  expect(upstream.seen.at(-1)?.body).toMatchObject({ reasoning: { max_tokens: 2000 } })
})
