// A call whose arguments end within their object, although the upstream reports a complete answer: reported as cut in
// every format.
import { expect, test } from 'vitest'
import {
  inputDelta,
  messageDelta,
  messageStart,
  messageStop,
  namedEvents,
  toolStart,
} from '../../support/fakes/anthropic-events.ts'
import { json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply, chunk, done, usageChunk } from '../../support/fakes/openai-wire.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'
import { ledger } from '../../support/ledger.ts'

const messages = [{ role: 'user', content: 'Write it.' }]
const cut = '{"path":"a.txt","text":"It was'
const call = {
  id: 'call_1',
  type: 'function',
  function: { name: 'write', arguments: cut },
}
const declared = { name: 'write', description: 'w' }

const asking = {
  '/v1/messages': {
    max_tokens: 64,
    messages,
    tools: [{ ...declared, input_schema: { type: 'object' } }],
  },
  '/v1/responses': { input: 'Write it.', tools: [{ type: 'function', ...declared }] },
} as const

/** What says in each format that an answer was cut. */
const told = {
  '/v1/messages': '"stop_reason":"max_tokens"',
  '/v1/responses': '"reason":"max_output_tokens"',
} as const

const paths = ['/v1/messages', '/v1/responses'] as const

test.each(paths.flatMap((path) => ['stop', 'tool_calls'].map((reason) => [path, reason] as const)))(
  '%s: truncated tool arguments are reported as cut when the upstream says %s',
  async (path, reason) => {
    const whole = {
      ...chatReply(''),
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: null, tool_calls: [call] },
          finish_reason: reason,
        },
      ],
    }
    const events = [
      chunk({ role: 'assistant', tool_calls: [{ index: 0, ...call }] }),
      chunk({}, reason),
      done,
    ]
    await using pair = await inFrontOf('openai', ({ path: asked, body }, response) => {
      // It speaks chat alone.
      if (asked.endsWith('/responses')) return json(response, {}, { status: 404 })
      return body['stream'] === true ? sse(response, events) : json(response, whole)
    })
    for (const stream of [false, true]) {
      const body = { model: pair.model, ...asking[path], stream }
      const answer = await pair.gateway.post(path, body)
      expect(answer.status).toBe(200)
      expect(await answer.text()).toContain(told[path])
    }
  },
)

/** What begins like an object and is none. */
const oddArguments = ['{path: a}', '{"path":"a"} and more', '{"path":"a",}']

test.each(oddArguments)(
  'complete arguments that are invalid JSON pass as text: %s',
  async (text) => {
    const odd = { ...call, function: { name: 'write', arguments: text } }
    const whole = {
      ...chatReply(''),
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: null, tool_calls: [odd] },
          finish_reason: 'tool_calls',
        },
      ],
    }
    await using pair = await inFrontOf('openai', (_, response) => json(response, whole))
    const body = { model: pair.model, ...asking['/v1/messages'] }
    const answer = await pair.gateway.post('/v1/messages', body)
    expect(await answer.json()).toMatchObject({
      content: [{ type: 'tool_use', input: { raw_arguments: text } }],
      stop_reason: 'tool_use',
    })
  },
)

test.each(oddArguments)(
  'a stream that has begun to write them ends with an error: %s',
  async (text) => {
    const piece = (index: number, part: string) => ({
      tool_calls: [{ index, id: `call_${index}`, function: { name: 'write', arguments: part } }],
    })
    const events = [
      chunk(piece(0, text.slice(0, 4))),
      chunk({ tool_calls: [{ index: 0, function: { arguments: text.slice(4) } }] }),
      chunk(piece(1, '{}')),
      chunk({ content: 'And a text.' }),
      chunk({}, 'tool_calls'),
      usageChunk,
      done,
    ]
    await using pair = await inFrontOf('openai', (_, response) => sse(response, events))
    const body = { model: pair.model, ...asking['/v1/messages'], stream: true }
    const answer = await pair.gateway.post('/v1/messages', body)
    const types = [...(await answer.text()).matchAll(/^event: (.*)\ndata: (.*)$/gm)]
    expect(types.map(([, type]) => type)).toEqual([
      'message_start',
      'content_block_start',
      ...types.slice(2, -1).map(() => 'content_block_delta'),
      'error',
    ])
    expect(types.at(-1)?.[2]).toContain("its call of 'write' that are not JSON")
    // The model has written them, and is paid for it.
    expect(await ledger(pair.gateway)).toMatchObject([
      { inputTokens: 7, outputTokens: 3, outcome: 'completed' },
    ])
  },
)

test.each(['tool_use', 'end_turn'])(
  'a passed-through stream that says %s within a tool call ends with an error event',
  async (reason) => {
    const events = namedEvents(
      messageStart('msg_1'),
      toolStart(0, 'write'),
      inputDelta(0, cut),
      { ...messageDelta, delta: { stop_reason: reason, stop_sequence: null } },
      messageStop,
    )
    await using pair = await inFrontOf('anthropic', (_, response) => sse(response, events))
    const body = { model: pair.model, ...asking['/v1/messages'], stream: true }
    const text = await (await pair.gateway.post('/v1/messages', body)).text()
    expect(text).toContain('It was')
    expect(text).toContain('event: error')
    expect(text).toContain('within a tool call')
    expect(text).not.toContain('message_stop')
  },
)
