// Costs that a provider reports: recorded beside the calculated cost, and used where they are actual charges.
import { describe, expect, test } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import { fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply, chunk, done } from '../../support/fakes/openai-wire.ts'
import { ledger } from '../../support/ledger.ts'
import { start } from '../../support/start.ts'

const tokens = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }

interface Case {
  readonly kind: string
  readonly model: string
  readonly usage: object
  /** What is recorded: the cost in millionths of a dollar, its source, and the provider's figure. */
  readonly cost: number | undefined
  readonly source: RegExp | undefined
  readonly charged: number | undefined
  readonly prices?: ConfigFile['prices']
}

const charged = /^charged by the provider$/
const openrouter = { kind: 'openrouter', model: 'openai/gpt-4o' }

const cases: readonly (readonly [string, Case])[] = [
  [
    'OpenRouter’s charge replaces the price',
    { ...openrouter, usage: { cost: 0.00314 }, cost: 3140, source: charged, charged: 0.00314 },
  ],
  [
    'OpenRouter’s charge for a model without a price',
    {
      kind: 'openrouter',
      model: 'acme/unheard-of',
      usage: { cost: 0.0005, is_byok: false },
      cost: 500,
      source: charged,
      charged: 0.0005,
    },
  ],
  [
    'OpenRouter with the caller’s provider key: both parts',
    {
      ...openrouter,
      usage: { cost: 0.0001, is_byok: true, cost_details: { upstream_inference_cost: 0.002 } },
      cost: 2100,
      source: charged,
      charged: 0.0021,
    },
  ],
  [
    'OpenRouter with the caller’s provider key, without the upstream part: the price',
    {
      ...openrouter,
      usage: { cost: 0.0001, is_byok: true },
      cost: 48,
      source: /^genai-prices /,
      charged: undefined,
    },
  ],
  [
    'a charge of 0 is ignored if the model has a price',
    { ...openrouter, usage: { cost: 0 }, cost: 48, source: /^genai-prices /, charged: 0 },
  ],
  [
    'a charge of 0 is ignored if the price is unknown',
    {
      kind: 'openrouter',
      model: 'acme/unheard-of',
      usage: { cost: 0 },
      cost: undefined,
      source: undefined,
      charged: 0,
    },
  ],
  [
    'a charge of 0 is used if the model is free',
    {
      kind: 'openrouter',
      model: 'acme/small:free',
      usage: { cost: 0 },
      cost: 0,
      source: charged,
      charged: 0,
    },
  ],
  [
    'xAI in ticks',
    {
      kind: 'xai',
      model: 'grok-4',
      usage: { cost_in_usd_ticks: 37_756_000 },
      cost: 3776,
      source: charged,
      charged: 0.0037756,
    },
  ],
  [
    'DeepInfra, which has no prices in the catalog',
    {
      kind: 'deepinfra',
      model: 'meta-llama/Llama-3.3-70B-Instruct',
      usage: { estimated_cost: 0.000013 },
      cost: 13,
      source: charged,
      charged: 0.000013,
    },
  ],
  [
    'Perplexity',
    {
      kind: 'perplexity',
      model: 'sonar-deep-research',
      usage: { cost: { input_tokens_cost: 0.1, total_cost: 0.404 } },
      cost: 404_000,
      source: charged,
      charged: 0.404,
    },
  ],
  [
    'the charge of an unlisted provider is recorded, but not used',
    {
      kind: '',
      model: 'm',
      usage: { cost: 5 },
      cost: 44,
      source: /^sluice\.yaml$/,
      charged: 5,
      prices: { 'up/*': { input: 2, output: 10 } },
    },
  ],
]

describe.each([false, true])('the cost that a provider reports, streamed: %s', (stream) => {
  test.each(cases)('%s', async (_name, { kind, model, usage, cost, source, charged, prices }) => {
    const told = { ...tokens, ...usage }
    await using upstream = await fakeUpstream(({ path }, response) => {
      if (path.endsWith('/models')) return json(response, { data: [] })
      if (!stream) return json(response, chatReply('Hello', { usage: told }))
      return sse(response, [
        chunk({ role: 'assistant', content: 'Hello' }),
        chunk({}, 'stop'),
        { ...chunk({}), choices: [], usage: told },
        done,
      ])
    })
    const provider = { baseUrl: upstream.url, key: 'k' }
    await using gateway = await start({
      providers: { up: kind === '' ? { type: 'openai', ...provider } : { kind, ...provider } },
      prices: prices ?? {},
    })
    const body = { model: `up/${model}`, stream, messages: [{ role: 'user', content: 'Hi' }] }
    const answer = await gateway.post('/v1/chat/completions', body)
    expect(answer.status).toBe(200)
    await answer.text()
    const [record] = await ledger(gateway)
    expect([record?.costMicroUsd, record?.chargedUsd]).toEqual([cost, charged])
    if (source) expect(record?.priceSource).toMatch(source)
    else expect(record?.priceSource).toBeUndefined()
  })
})
