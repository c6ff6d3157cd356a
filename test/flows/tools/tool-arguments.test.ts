import { describe, expect, test } from 'vitest'
import { ask, chatOnly, faces, failureIn, told } from '../../support/clients/client-formats.ts'
import {
  blockStop,
  inputDelta,
  messageDelta,
  messageStart,
  messageStop,
  namedEvents,
  toolStart,
} from '../../support/fakes/anthropic-events.ts'
import { type Answering, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply, chunk, done, usageChunk } from '../../support/fakes/openai-wire.ts'
import { atPath } from '../../support/formats/at-path.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

const calling = (text: string | null) => ({
  id: 'call_1',
  type: 'function',
  function: { name: 'now', ...(text === null ? {} : { arguments: text }) },
})

function chatOf(text: string | null): object {
  const message = { role: 'assistant', content: null, tool_calls: [calling(text)] }
  return chatReply('', { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })
}

function cohereEvents(pieces: readonly string[]): readonly object[] {
  const call = (rest: object) => ({ delta: { message: { tool_calls: rest } } })
  return [
    { type: 'message-start', id: 'm', delta: { message: { role: 'assistant' } } },
    {
      type: 'tool-call-start',
      index: 0,
      ...call({ id: 'c_1', type: 'function', function: { name: 'now', arguments: '' } }),
    },
    ...pieces.map((text) => ({
      type: 'tool-call-delta',
      index: 0,
      ...call({ function: { arguments: text } }),
    })),
    { type: 'tool-call-end', index: 0 },
    { type: 'message-end', delta: { finish_reason: 'TOOL_CALL', usage: {} } },
  ]
}

interface Upstream {
  readonly type: 'openai' | 'cohere' | 'anthropic'
  readonly says: string
  readonly answering: Answering
}

const upstreams: readonly Upstream[] = [
  ...(['null', ' null\n', '', null] as const).map(
    (text): Upstream => ({
      type: 'openai',
      says: `arguments ${JSON.stringify(text)}`,
      answering: ({ body }, response) =>
        body['stream'] === true
          ? sse(response, [
              chunk({
                role: 'assistant',
                content: null,
                tool_calls: [{ index: 0, ...calling(text) }],
              }),
              chunk({}, 'tool_calls'),
              usageChunk,
              done,
            ])
          : json(response, chatOf(text)),
    }),
  ),
  {
    type: 'openai',
    says: 'null in pieces',
    answering: ({ body }, response) =>
      body['stream'] === true
        ? sse(response, [
            chunk({ role: 'assistant', tool_calls: [{ index: 0, ...calling('') }] }),
            ...['nu', 'll'].map((text) =>
              chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] }),
            ),
            chunk({}, 'tool_calls'),
            done,
          ])
        : json(response, chatOf('null')),
  },
  {
    type: 'cohere',
    says: 'null',
    answering: ({ body }, response) =>
      body['stream'] === true
        ? sse(response, cohereEvents(['null']))
        : json(response, {
            id: 'm',
            message: { role: 'assistant', tool_calls: [calling('null')] },
            finish_reason: 'TOOL_CALL',
            usage: {},
          }),
  },
  {
    type: 'anthropic',
    says: 'an input of null',
    answering: ({ body }, response) =>
      body['stream'] === true
        ? sse(
            response,
            namedEvents(
              messageStart('msg_1'),
              toolStart(0, 'now'),
              inputDelta(0, 'null'),
              blockStop(0),
              messageDelta,
              messageStop,
            ),
          )
        : json(response, {
            ...messageStart('msg_1').message,
            content: [{ type: 'tool_use', id: 'toolu_0', name: 'now', input: null }],
            stop_reason: 'tool_use',
          }),
  },
]

describe.each(upstreams)('empty tool arguments: $type sends $says', ({ type, answering }) => {
  const others = faces.filter((face) => type !== 'anthropic' || face !== 'messages')

  test.each(others)('become {} in %s, whole and streamed', async (face) => {
    await using pair = await inFrontOf(type, chatOnly(answering))
    for (const stream of [false, true]) {
      const { wire } = await ask(pair, face, { stream })
      expect(told(face, wire, stream).calls).toMatchObject([{ name: 'now', input: '{}' }])
    }
  })
})

const inChat = 'messages.1.tool_calls.0.function.arguments'

test.each([
  ['anthropic', 'messages.1.content.0.input'],
  ['gemini', 'contents.1.parts.0.functionCall.args'],
  ['cohere', inChat],
  ['openai', inChat],
] as const)(
  'sends empty tool arguments of a history to %s as an empty object',
  async (type, path) => {
    await using pair = await inFrontOf(
      type,
      chatOnly((_, response) => json(response, {})),
    )
    const argumentsAt = (place: string): unknown => {
      const found = atPath(pair.upstream.seen.at(-1)?.body, place)
      return typeof found === 'string' ? JSON.parse(found) : found
    }
    for (const text of ['null', ' ', '']) {
      await pair.gateway.post('/v1/chat/completions', {
        model: pair.model,
        messages: [
          { role: 'user', content: 'What time is it?', server_tool_calls: [] },
          { role: 'assistant', content: null, tool_calls: [calling(text)] },
          { role: 'tool', tool_call_id: 'call_1', content: 'noon' },
        ],
      })
      expect(argumentsAt(path)).toEqual({})
      await pair.gateway.post('/v1/responses', {
        model: pair.model,
        input: [
          { role: 'user', content: 'What time is it?' },
          { type: 'function_call', call_id: 'call_1', name: 'now', arguments: text },
          { type: 'function_call_output', call_id: 'call_1', output: 'noon' },
        ],
      })
      expect(argumentsAt(path)).toEqual({})
    }
  },
)

const spliced = namedEvents(
  messageStart('msg_1'),
  toolStart(0, 'first'),
  inputDelta(0, '{"value":"Spark'),
  messageStart('msg_2'),
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
  blockStop(0),
  toolStart(1, 'second'),
  inputDelta(1, '{}'),
  blockStop(1),
  messageDelta,
  messageStop,
)
const unclosed = namedEvents(
  messageStart('msg_1'),
  toolStart(0, 'first'),
  inputDelta(0, '{"value":"Spark'),
  messageDelta,
  messageStop,
)
const torn: readonly {
  readonly what: string
  readonly type: 'anthropic' | 'cohere' | 'gemini'
  readonly events: readonly (string | object)[]
}[] = [
  { what: 'another message within a call', type: 'anthropic', events: spliced },
  { what: 'a call that was not closed', type: 'anthropic', events: unclosed },
  {
    what: 'a call that was not closed',
    type: 'cohere',
    events: cohereEvents(['{"value":"Sp']).filter(
      (event) => !JSON.stringify(event).includes('tool-call-end'),
    ),
  },
  {
    what: 'a call that goes on for ever',
    type: 'gemini',
    events: [
      {
        candidates: [
          {
            index: 0,
            content: {
              parts: [
                {
                  functionCall: {
                    name: 'first',
                    partialArgs: [
                      { jsonPath: '$.value', stringValue: 'Spark', willContinue: true },
                    ],
                    willContinue: true,
                  },
                },
              ],
            },
          },
        ],
      },
      { candidates: [{ index: 0, content: { parts: [] }, finishReason: 'STOP' }] },
    ],
  },
]

describe.each(torn)('incomplete tool arguments: $what of $type', ({ type, events }) => {
  // Gemini's own clients put the pieces together themselves.
  const own = { anthropic: '', cohere: '', gemini: 'generateContent' }[type]
  const others = faces.filter((face) => face !== own)

  test.each(others)('end with an error in %s', async (face) => {
    await using pair = await inFrontOf(type, (_, response) => sse(response, events))
    const { status, wire } = await ask(pair, face, { stream: true })
    if (status === 200) expect(wire).toMatch(failureIn[face])
    else expect(status).toBe(502)
    expect(() => told(face, wire, true).calls).toSatisfy(
      (read: () => Told['calls']) => thrown(read) || read().length === 0,
    )
  })
})

type Told = ReturnType<typeof told>

function thrown(read: () => unknown): boolean {
  try {
    read()
    return false
  } catch {
    return true
  }
}

const partial = (functionCall: object) => ({
  candidates: [{ index: 0, content: { role: 'model', parts: [{ functionCall }] } }],
})

test.each(['chat', 'messages', 'responses'] as const)(
  'assembles Vertex’s partialArgs for %s',
  async (face) => {
    await using pair = await inFrontOf('gemini', (_, response) =>
      sse(response, [
        partial({ name: 'weather', willContinue: true }),
        partial({
          partialArgs: [{ jsonPath: '$.place.city', stringValue: 'Bos', willContinue: true }],
          willContinue: true,
        }),
        partial({
          partialArgs: [
            { jsonPath: '$.place.city', stringValue: 'ton' },
            { jsonPath: '$.days[0]', numberValue: 3 },
            { jsonPath: "$.days[1]['exact']", boolValue: true },
          ],
          willContinue: true,
        }),
        partial({}),
        partial({ name: 'now', args: {} }),
        { candidates: [{ index: 0, content: { parts: [] }, finishReason: 'STOP' }] },
      ]),
    )
    const { wire } = await ask(pair, face, { stream: true })
    const { calls } = told(face, wire, true)
    expect(calls.map(({ name, input }) => [name, JSON.parse(input)])).toEqual([
      ['weather', { place: { city: 'Boston' }, days: [3, { exact: true }] }],
      ['now', {}],
    ])
  },
)

test.each([
  ['__proto__', { jsonPath: '$.__proto__.x', stringValue: 'y' }],
  ['a huge index', { jsonPath: '$.list[4000000]', stringValue: 'y' }],
  ['no path', { stringValue: 'y' }],
])('ignores partialArgs with %s', async (_, piece) => {
  await using pair = await inFrontOf('gemini', (_seen, response) =>
    sse(response, [
      partial({ name: 'weather', partialArgs: [piece] }),
      { candidates: [{ index: 0, content: { parts: [] }, finishReason: 'STOP' }] },
    ]),
  )
  const { wire } = await ask(pair, 'chat', { stream: true })
  expect(({} as { x?: string }).x).toBeUndefined()
  expect(wire.length).toBeLessThan(2_000)
})
