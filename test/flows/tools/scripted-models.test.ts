// The fake models that other tests use reject what the real ones reject.
import { expect, test } from 'vitest'
import { fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { type Maker, makers } from '../../support/fakes/scripted-models.ts'

const user = { role: 'user', content: 'Hi' }
const schema = { type: 'object' }

const use = { type: 'tool_use', id: 'toolu_1', name: 'now', input: {} }
const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'noon' }
const called = [user, { role: 'assistant', content: [use] }]
const messages = (...list: object[]) => ({ model: 'm', max_tokens: 9, messages: list })
const thinking = { type: 'enabled', budget_tokens: 2000 }

const says = (role: string, ...parts: object[]) => ({ role, parts })
const call = { functionCall: { name: 'now', args: {} } }
const response = { functionResponse: { name: 'now', response: {} } }
const hi = says('user', { text: 'Hi' })

const asked = { id: 'call_1', type: 'function', function: { name: 'now', arguments: '{}' } }
const chatCall = { role: 'assistant', content: null, tool_calls: [asked] }

const refused: readonly [Maker, string, object, string][] = [
  ['anthropic', 'assistant first', messages({ role: 'assistant', content: 'x' }), 'first message'],
  ['anthropic', 'no limit', { messages: [user] }, 'max_tokens'],
  ['anthropic', 'unknown field', { ...messages(user), n: 2 }, 'Extra inputs'],
  ['anthropic', 'blank text', messages({ role: 'user', content: ' ' }), 'non-whitespace'],
  ['anthropic', 'unanswered call', messages(...called, user), 'without `tool_result`'],
  ['anthropic', 'call at the end', messages(...called), 'without `tool_result`'],
  [
    'anthropic',
    'result after text',
    messages(...called, { role: 'user', content: [{ type: 'text', text: 'x' }, result] }),
    'come first',
  ],
  ['anthropic', 'stray result', messages({ role: 'user', content: [result] }), 'unexpected'],
  [
    'anthropic',
    'forged signature',
    messages(user, {
      role: 'assistant',
      content: [{ type: 'thinking', thinking: 'Hm', signature: 'x' }],
    }),
    'Invalid `signature`',
  ],
  [
    'anthropic',
    'loop without thoughts',
    {
      ...messages(...called, {
        role: 'user',
        content: [result],
      }),
      max_tokens: 4e3,
      thinking,
    },
    'Expected `thinking`',
  ],
  ['anthropic', 'budget', { ...messages(user), thinking }, 'must be greater'],
  ['anthropic', 'tool', { ...messages(user), tools: [{ name: 'a', input_schema: {} }] }, 'type'],
  ['gemini', 'model first', { contents: [says('model', call)] }, 'function call turn'],
  ['gemini', 'no parts', { contents: [says('user')] }, 'must not be empty'],
  [
    'gemini',
    'unsigned call',
    { contents: [hi, says('model', call), says('user', response)] },
    'missing a thought_signature',
  ],
  [
    'gemini',
    'forged signature',
    { contents: [hi, says('model', { ...call, thoughtSignature: 'x' }), says('user', response)] },
    'Corrupted',
  ],
  [
    'gemini',
    'too few results',
    { contents: [hi, says('model', call, call), says('user', response)] },
    'number of function response parts',
  ],
  [
    'gemini',
    'schema',
    {
      contents: [hi],
      tools: [{ functionDeclarations: [{ name: 'a', parameters: { $ref: '#' } }] }],
    },
    'Unknown name',
  ],
  ['openai', 'unknown field', { messages: [user], top_k: 3 }, 'Unrecognized'],
  ['openai', 'unanswered call', { messages: [user, chatCall, user] }, 'must be followed'],
  [
    'openai',
    'stray result',
    { messages: [user, { role: 'tool', tool_call_id: 'x', content: '' }] },
    'preceding message',
  ],
  ['openai', 'reasoning', { messages: [{ ...user, reasoning_content: 'x' }] }, 'Unknown parameter'],
  ['openai', 'choice without tools', { messages: [user], tool_choice: 'auto' }, 'tools'],
]

const paths: Readonly<Record<Maker, string>> = {
  anthropic: '/v1/messages',
  gemini: '/v1beta/models/m:generateContent',
  openai: '/v1/chat/completions',
}

test.each(refused)('the fake of %s rejects: %s', async (maker, _, body, sentence) => {
  await using upstream = await fakeUpstream(makers[maker].answering(() => ({ text: 'Hi' })))
  const answer = await fetch(upstream.url + paths[maker], {
    method: 'POST',
    body: JSON.stringify(body),
  })
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain(sentence)
})

const accepted: readonly [Maker, object][] = [
  ['anthropic', { ...messages(user), tools: [{ name: 'now', input_schema: schema }] }],
  ['gemini', { contents: [hi] }],
  ['openai', { model: 'm', messages: [user] }],
]

test.each(accepted)('the fake of %s answers a valid request', async (maker, body) => {
  await using upstream = await fakeUpstream(makers[maker].answering(() => ({ text: 'Hi' })))
  const answer = await fetch(upstream.url + paths[maker], {
    method: 'POST',
    body: JSON.stringify(body),
  })
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('"Hi"')
})
