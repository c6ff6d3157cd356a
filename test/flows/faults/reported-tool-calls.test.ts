// Streams of tool calls as observed at upstreams, which users of other gateways reported as lost or broken.
import { expect, test } from 'vitest'
import { ask, chatOnly, faces, told } from '../../support/clients/client-formats.ts'
import { sse } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
})
const call = (fields: object, named: object = {}) => ({
  tool_calls: [{ index: 0, ...named, function: fields }],
})
const id = { id: 'call_1', type: 'function' }
const whole = call({ name: 'now', arguments: '{"at":"a b"}' }, id)
const parts = (...list: readonly object[]) => ({
  candidates: [{ content: { role: 'model', parts: list }, index: 0 }],
  modelVersion: 'm',
  responseId: 'r',
})
const geminiEnd = {
  ...parts({ text: '' }),
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
}
const stop = { ...geminiEnd, candidates: [{ ...geminiEnd.candidates[0], finishReason: 'STOP' }] }
const args = { at: 'a b' }

const streams: Readonly<
  Record<string, readonly ['openai' | 'gemini', text: string, events: readonly object[]]>
> = {
  'text and the name of the call in one chunk (litellm#18238)': [
    'openai',
    'First: ',
    [
      chunk({ content: 'First: ', ...call({ name: 'now', arguments: '' }, id) }),
      chunk(call({ arguments: '{"at":"a b"}' })),
      chunk({}, 'tool_calls'),
    ],
  ],
  'name and arguments in the first piece (litellm#25605)': [
    'openai',
    '',
    [chunk(whole), chunk({}, 'tool_calls')],
  ],
  'a call that ends with stop (litellm#34692)': [
    'openai',
    '',
    [chunk({ content: '' }), chunk(whole), chunk({}, 'stop')],
  ],
  'a call and its end in one chunk': ['openai', '', [chunk(whole, 'tool_calls')]],
  'pieces that repeat id and name (litellm#29491)': [
    'openai',
    '',
    [
      chunk(call({ name: 'now', arguments: '{"at"' }, id)),
      chunk(call({ name: 'now', arguments: ':"a b"}' }, id)),
      chunk({}, 'tool_calls'),
    ],
  ],
  'a text of one character before the call (litellm#20097)': [
    'openai',
    'I',
    [chunk({ content: 'I' }), chunk(whole), chunk({}, 'tool_calls')],
  ],
  'null in place of what is absent': [
    'openai',
    '',
    [
      chunk({ role: 'assistant', content: null, tool_calls: null, refusal: null }),
      chunk({ content: null, ...whole }),
      chunk({ content: null, tool_calls: null }, 'tool_calls'),
    ],
  ],
  'a whole call of Gemini (litellm#25836)': [
    'gemini',
    '',
    [parts({ functionCall: { name: 'now', args } }), stop],
  ],
  'a call of Gemini after a thought (litellm#25561)': [
    'gemini',
    '',
    [
      parts({ text: 'Hm.', thought: true }),
      parts({ functionCall: { name: 'now', args }, thoughtSignature: 'c2ln' }),
      stop,
    ],
  ],
  'text and a call of Gemini in one event': [
    'gemini',
    'Now. ',
    [parts({ text: 'Now. ' }, { functionCall: { name: 'now', args } }), stop],
  ],
}

test.each(
  Object.entries(streams).flatMap(([name, [type, text, events]]) =>
    faces.map((face) => ({ name, type, text, events, face })),
  ),
)('keeps text and tool calls of $name, read as $face', async ({ type, text, events, face }) => {
  const ending = type === 'openai' ? ['data: [DONE]\n\n'] : []
  await using pair = await inFrontOf(
    type,
    chatOnly((_seen, response) => sse(response, [...events, ...ending])),
  )
  const { wire } = await ask(pair, face, { stream: true })
  const answer = told(face, wire, true)
  expect(answer.text).toBe(text)
  expect(answer.calls.map(({ name, input }) => [name, JSON.parse(input)])).toEqual([['now', args]])
})
