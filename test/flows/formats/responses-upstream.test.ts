import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { ask, faces, told } from '../../support/clients/client-formats.ts'
import { type FakeUpstream, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { type Started, start } from '../../support/start.ts'

let upstream: FakeUpstream
let gateway: Started

beforeAll(async () => {
  upstream = await fakeUpstream(() => {})
  gateway = await start({
    providers: {
      mine: { type: 'openai-responses', key: 'k', baseUrl: `${upstream.url}/v1` },
      openai: { key: 'k', baseUrl: `${upstream.url}/v1` },
    },
    defaults: { retries: { attempts: 1 } },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const message = {
  type: 'message',
  id: 'msg_1',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Noon.', annotations: [] }],
}
const call = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  status: 'completed',
  name: 'now',
  arguments: 'null',
}
const searched = {
  type: 'custom_tool_call',
  id: 'ctc_1',
  call_id: 'xs_call_1',
  status: 'completed',
  name: 'x_keyword_search',
  input: '{"query":"noon"}',
}

function answering(output: readonly object[]) {
  const response = {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    output,
    usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
  }
  upstream.answer(({ body }, reply) =>
    body['stream'] === true
      ? sse(reply, [
          ...output.flatMap((item, index) => [
            { type: 'response.output_item.added', output_index: index, item },
            { type: 'response.output_item.done', output_index: index, item },
          ]),
          { type: 'response.completed', response },
        ])
      : json(reply, response),
  )
}

const others = faces.filter((face) => face !== 'responses')

describe.each(['mine/gpt-6-pro', 'openai/gpt-5-codex', 'openai/o3-pro'])('model %s', (model) => {
  it.each(others)('is called by the Responses API for a caller of %s', async (face) => {
    answering([message])
    for (const stream of [false, true]) {
      const { wire } = await ask({ gateway, model }, face, { stream })
      expect(upstream.seen.at(-1)?.path).toBe('/v1/responses')
      expect(told(face, wire, stream).text).toBe('Noon.')
    }
  })

  it.each(others)('returns its calls to a caller of %s', async (face) => {
    answering([call])
    for (const stream of [false, true]) {
      const { wire } = await ask({ gateway, model }, face, { stream })
      expect(told(face, wire, stream).calls).toMatchObject([{ name: 'now', input: '{}' }])
    }
  })
})

test.each(others)('does not return server tools as calls of %s', async (face) => {
  answering([searched, message])
  for (const stream of [false, true]) {
    const { wire } = await ask({ gateway, model: 'mine/grok-4' }, face, { stream })
    const { calls, text, finish } = told(face, wire, stream)
    expect({ calls, text }).toEqual({ calls: [], text: 'Noon.' })
    expect(finish).toMatch(/^(stop|end_turn|STOP)$/)
  }
})

test('a response that ends within a tool call is an error', async () => {
  upstream.answer((_, reply) =>
    sse(reply, [
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { ...call, arguments: '', status: 'in_progress' },
      },
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"a":' },
      { type: 'response.completed', response: { status: 'completed', output: [] } },
    ]),
  )
  const { wire } = await ask({ gateway, model: 'mine/m' }, 'messages', { stream: true })
  expect(wire).toMatch(/^event: error$/m)
})

test.each([
  [
    'gpt-5.1-codex',
    { temperature: 0.5, top_p: 0.9, reasoning_effort: 'xhigh', verbosity: 'low' },
    { reasoning: { effort: 'high' }, text: { verbosity: 'low' } },
    'temperature, top_p',
  ],
  [
    'gpt-4.1',
    { temperature: 0.5, reasoning_effort: 'high', verbosity: 'low' },
    { temperature: 0.5 },
    'verbosity, reasoning_effort',
  ],
])('%s gets only the fields that it supports', async (model, given, taken, dropped) => {
  answering([message])
  const response = await gateway.post('/v1/chat/completions', {
    model: `mine/${model}`,
    messages: [{ role: 'user', content: 'Hi' }],
    ...given,
  })
  expect(response.headers.get('x-sluice-dropped')).toBe(dropped)
  await response.text()
  const { temperature, top_p, reasoning, text } = upstream.seen.at(-1)!.body
  expect({ temperature, top_p, reasoning, text }).toEqual(taken)
})
