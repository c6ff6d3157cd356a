// Deployments and inference profiles have names that their accounts gave: the rules of a model's family are found by its id or by a
// setting.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminKey, type Started, start } from '../../support/start.ts'

type Fields = Readonly<Record<string, unknown>>

let gateway: Started
beforeAll(async () => {
  const profile = 'arn:aws:bedrock:us-east-1:1:application-inference-profile/x'
  const at = { baseUrl: 'https://models.acme.example', key: 'k' }
  gateway = await start({
    providers: {
      bedrock: {
        type: 'bedrock',
        key: 'a:b',
        models: [
          { id: 'claude-sonnet-4-5', upstream: profile },
          { id: 'fast', upstream: `${profile}2`, family: 'claude-sonnet-4-5' },
        ],
      },
      azure: {
        type: 'azure',
        ...at,
        models: [
          { id: 'gpt-5.2', upstream: 'team-a-prod' },
          { id: 'gpt-5.1', upstream: 'gpt-4-prod' },
          { id: 'fast', upstream: 'team-b-prod', family: 'gpt-5.2' },
        ],
      },
      'azure-openai-v1': { ...at, models: [{ id: 'gpt-5.2', upstream: 'team-a-prod' }] },
      server: { type: 'openai', ...at, models: [{ id: 'gpt-5.2', upstream: 'team-a-prod' }] },
      messages: { type: 'anthropic', ...at, models: [{ id: 'claude-opus-4-8', upstream: 'prod' }] },
      google: { type: 'gemini', ...at, models: [{ id: 'gemini-2.5-flash', upstream: 'tuned' }] },
      own: { type: 'openai', ...at, models: [{ id: 'gpt-4o', upstream: 'llama-3.3-70b' }] },
    },
  })
})
afterAll(() => gateway[Symbol.asyncDispose]())

const messages = [{ role: 'user', content: 'Hi' }]

async function explained(request: Fields): Promise<Fields> {
  const body = { request: { messages, ...request } }
  const response = await gateway.post('/admin/v1/explain', body, { key: adminKey })
  const { targets } = (await response.json()) as { readonly targets: readonly Fields[] }
  return targets[0]!
}

test.each(['bedrock/claude-sonnet-4-5', 'bedrock/fast'])('%s thinks', async (model) => {
  expect(await explained({ model, reasoning_effort: 'low' })).toMatchObject({
    dropped: [],
    upstream: {
      body: { additionalModelRequestFields: { thinking: { type: 'enabled' } } },
    },
  })
})

test.each([
  'azure/gpt-5.2',
  'azure/gpt-5.1',
  'azure/fast',
  'azure-openai-v1/gpt-5.2',
  'server/gpt-5.2',
])('%s gets no temperature beside an effort', async (model) => {
  const asked = { model, reasoning_effort: 'low', temperature: 0.5 }
  const { dropped, upstream } = await explained(asked)
  expect(dropped).toEqual(['temperature'])
  expect(upstream).toMatchObject({ body: { reasoning_effort: 'low' } })
})

test('a model at another base URL keeps its rules in Messages and Gemini', async () => {
  expect(await explained({ model: 'messages/claude-opus-4-8', temperature: 0.5 })).toMatchObject({
    dropped: ['temperature'],
  })
  expect(
    await explained({ model: 'google/gemini-2.5-flash', presence_penalty: 0.5 }),
  ).toMatchObject({ dropped: ['presence_penalty'] })
})

test('the name at the upstream says more than the id', async () => {
  expect(await explained({ model: 'own/gpt-4o', top_k: 4 })).toMatchObject({ dropped: [] })
})
