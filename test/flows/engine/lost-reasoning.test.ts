// The built-in engine computes its answers anew: the reasoning of a history, and betas, are named as dropped.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminKey, type Started, start } from '../../support/start.ts'

type Fields = Readonly<Record<string, unknown>>

let gateway: Started
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const model = 'builtin-chat'
const user = { role: 'user', content: 'What is 6 times 7?' }

const histories: readonly (readonly [path: string, dropped: string, request: Fields])[] = [
  [
    '/v1/chat/completions',
    'messages[1].reasoning_content',
    {
      model,
      messages: [user, { role: 'assistant', content: 'Ho', reasoning_content: 'Hm' }, user],
    },
  ],
  [
    '/v1/messages',
    'messages[1].content[0]',
    {
      model,
      max_tokens: 100,
      messages: [
        user,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
            { type: 'text', text: 'Ho' },
          ],
        },
        user,
      ],
    },
  ],
  [
    '/v1/responses',
    'input[1]',
    {
      model,
      input: [
        user,
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }] },
        { role: 'assistant', content: 'Ho' },
        user,
      ],
    },
  ],
  [
    `/v1beta/models/${model}:generateContent`,
    'contents[1].parts[0]',
    {
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        { role: 'model', parts: [{ text: 'Hm', thought: true }, { text: 'Ho' }] },
        { role: 'user', parts: [{ text: 'What is 6 times 7?' }] },
      ],
    },
  ],
]

test.each(histories)('%s names %s', async (path, dropped, request) => {
  const answer = await gateway.post(path, request)
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('42')
  expect(answer.headers.get('x-sluice-dropped')).toBe(dropped)
  const explained = await gateway.post('/admin/v1/explain', { path, request }, { key: adminKey })
  expect(await explained.json()).toMatchObject({
    targets: [{ mode: 'engine', dropped: [dropped] }],
  })
  const refused = await gateway.post(path, request, {
    headers: { 'x-sluice-unsupported': 'refuse' },
  })
  expect(refused.status).toBe(400)
})

test('betas are named', async () => {
  const answer = await gateway.post(
    '/v1/messages',
    { model, max_tokens: 100, messages: [user] },
    { headers: { 'anthropic-beta': 'context-1m-2025-08-07' } },
  )
  expect(answer.headers.get('x-sluice-dropped')).toBe('anthropic-beta')
})
