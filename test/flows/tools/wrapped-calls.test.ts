// OpenAI's models sometimes call an internal tool that wraps several of the caller's calls: the caller receives the
// single calls, whole and streamed.
import { describe, expect, test } from 'vitest'
import { ask, chatOnly, type Face, faces, told } from '../../support/clients/client-formats.ts'
import { type Answering, sse } from '../../support/fakes/fake-upstream.ts'
import { answerCompletion } from '../../support/fakes/openai-wire.ts'
import { answerResponse, callItem, messageItem } from '../../support/fakes/responses-wire.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

type Call = readonly [id: string, name: string, text: string]

const use = (name: string, at: string) => ({ recipient_name: name, parameters: { at } })
const wrapped = (...uses: readonly object[]) => JSON.stringify({ tool_uses: uses })
const both = wrapped(use('functions.now', 'a'), use('functions.now', 'b'))

const upstreams: Readonly<
  Record<'openai' | 'openai-responses', (calls: readonly Call[]) => Answering>
> = {
  openai: (calls) => chatOnly((seen, response) => answerCompletion(seen, response, { calls })),
  'openai-responses': (calls) => (seen, response) =>
    answerResponse(seen, response, [
      messageItem('Both. '),
      ...calls.map((call) => callItem(...call)),
    ]),
}

async function callsTold(
  type: keyof typeof upstreams,
  calls: readonly Call[],
  { face, stream, further = {} }: { face: Face; stream: boolean; further?: object },
) {
  await using pair = await inFrontOf(type, upstreams[type](calls), 'gpt-4.1')
  const { status, wire } = await ask(pair, face, { stream, further: { ...further } })
  expect(status, wire).toBe(200)
  return told(face, wire, stream)
}

const cells = (['openai', 'openai-responses'] as const).flatMap((type) =>
  faces
    .filter((face) => type === 'openai' || face !== 'responses')
    .flatMap((face) => [false, true].map((stream) => ({ type, face, stream }))),
)

describe.each(cells)(
  'unwraps parallel tool calls of $type for $face, streamed: $stream',
  ({ type, face, stream }) => {
    test.each(['parallel', 'multi_tool_use.parallel'])('%s', async (name) => {
      const calls: Call[] = [
        ['call_0', 'now', '{"at":"z"}'],
        ['call_1', name, both],
        ['call_2', 'now', '{"at":"c"}'],
      ]
      const answer = await callsTold(type, calls, { face, stream })
      expect(answer.calls.map((call) => [call.name, JSON.parse(call.input)])).toEqual(
        ['z', 'a', 'b', 'c'].map((at) => ['now', { at }]),
      )
      expect(answer.finish).toMatch(/^(tool_calls|tool_use|completed|STOP)$/)
    })

    test('keeps a wrapper that calls an unknown tool', async () => {
      const text = wrapped(use('functions.now', 'a'), use('functions.gone', 'b'))
      const answer = await callsTold(type, [['call_1', 'parallel', text]], { face, stream })
      expect(answer.calls.map((call) => [call.name, JSON.parse(call.input)])).toEqual([
        ['parallel', JSON.parse(text)],
      ])
    })
  },
)

test.each([false, true])('gives each unwrapped call its own id, streamed: %s', async (stream) => {
  const answer = await callsTold('openai', [['call_1', 'parallel', both]], { face: 'chat', stream })
  expect([...answer.wire.matchAll(/"id":"(call_[^"]*)"/g)].map(([, id]) => id)).toEqual([
    'call_1_0',
    'call_1_1',
  ])
})

test.each([false, true])(
  'keeps calls of an offered tool with the wrapper’s name, streamed: %s',
  async (stream) => {
    const parameters = { type: 'object', properties: {} }
    const tools = ['now', 'parallel'].map((name) => ({
      type: 'function',
      function: { name, parameters },
    }))
    const answer = await callsTold('openai', [['call_1', 'parallel', both]], {
      face: 'chat',
      stream,
      further: { tools },
    })
    expect(answer.calls).toEqual([{ name: 'parallel', input: both }])
  },
)

test('sends what arrived of a wrapper when the stream ends within it', async () => {
  const piece = {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name: 'parallel', arguments: '{"tool_uses":[{"recip' },
  }
  const chunk = (delta: object, finish_reason: string | null) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  })
  await using pair = await inFrontOf(
    'openai',
    chatOnly((_seen, response) =>
      sse(response, [
        chunk({ tool_calls: [piece] }, null),
        chunk({}, 'length'),
        'data: [DONE]\n\n',
      ]),
    ),
  )
  const answer = told('chat', (await ask(pair, 'chat', { stream: true })).wire, true)
  expect(answer.calls).toEqual([{ name: 'parallel', input: '{"tool_uses":[{"recip' }])
  expect(answer.finish).toBe('length')
})
