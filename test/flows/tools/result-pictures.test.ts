// OpenAI takes pictures and files from users alone; where it answers, those in results of tools follow the results.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { brokenChatRule } from '../../support/fakes/openai-rules.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { adminKey, type Started, start } from '../../support/start.ts'

type Fields = Readonly<Record<string, unknown>>

const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
const other = { type: 'image_url', image_url: { url: 'https://pictures.example/cat.png' } }
const text = (words: string) => ({ type: 'text', text: words })
const call = (id: string) => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: '{}' },
})
const result = (id: string, content: unknown) => ({ role: 'tool', tool_call_id: id, content })
const asked = { role: 'user', content: 'Look twice.' }
const calls = { role: 'assistant', content: null, tool_calls: [call('call_a'), call('call_b')] }

let gateway: Started
let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await fakeUpstream((seen, response) => {
    const message = brokenChatRule(seen.body)
    if (message === undefined) json(response, chatReply('Seen'))
    else json(response, { error: { message } }, { status: 400 })
  })
  const at = { baseUrl: upstream.url, key: 'k' }
  gateway = await start({
    providers: {
      openai: { key: 'k' },
      azure: { type: 'azure', ...at },
      own: { type: 'openai', ...at },
      openrouter: at,
      mistral: at,
    },
    defaults: { retries: { attempts: 1 } },
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

async function sentTo(model: string, messages: readonly Fields[]): Promise<unknown> {
  const request = { model, messages }
  const response = await gateway.post('/admin/v1/explain', { request }, { key: adminKey })
  const { targets } = (await response.json()) as { readonly targets: readonly Fields[] }
  return (targets[0]?.['upstream'] as { readonly body: Fields }).body['messages']
}

const showing = ['openai/gpt-4.1', 'own/gpt-4.1', 'azure/gpt-4.1', 'openai/unheard-of']

test.each(showing)('%s gets one picture after all results', async (model) => {
  const given = [
    asked,
    calls,
    result('call_a', [text('A cat'), picture]),
    result('call_b', 'A dog'),
  ]
  expect(await sentTo(model, given)).toEqual([
    asked,
    calls,
    result('call_a', [text('A cat')]),
    result('call_b', 'A dog'),
    { role: 'user', content: [picture] },
  ])
})

test.each(showing)('%s gets several pictures, in two turns', async (model) => {
  const given = [
    asked,
    calls,
    result('call_a', [picture]),
    result('call_b', [other, text('A dog'), picture]),
    { role: 'assistant', content: 'And once more.', tool_calls: [call('call_c')] },
    result('call_c', [other]),
    { role: 'user', content: [text('And this?'), picture] },
  ]
  expect(await sentTo(model, given)).toEqual([
    asked,
    calls,
    result('call_a', ''),
    result('call_b', [text('A dog')]),
    { role: 'user', content: [picture, other, picture] },
    given[4],
    result('call_c', ''),
    { role: 'user', content: [other] },
    given[6],
  ])
})

test.each(['own/qwen3-vl', 'openrouter/openai/gpt-4.1'])(
  '%s gets them as they are',
  async (model) => {
    const given = [asked, calls, result('call_a', [text('A'), picture]), result('call_b', [other])]
    expect(await sentTo(model, given)).toEqual(given)
  },
)

test('such a conversation is answered', async () => {
  const messages = [asked, calls, result('call_a', [picture]), result('call_b', 'A dog')]
  const response = await gateway.post('/v1/chat/completions', {
    model: 'own/gpt-4.1',
    messages,
    tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }],
  })
  expect(response.status).toBe(200)
  expect(upstream.seen.at(-1)?.body).toMatchObject({
    messages: [{}, {}, { content: '' }, { content: 'A dog' }, { role: 'user', content: [picture] }],
  })
})
