// Text after a tool call, and calls of tools that only some upstreams know: every format that can express their order
// and type keeps it, whole and streamed.
import { describe, expect, test } from 'vitest'
import { streamedAnswer, wholeAnswer } from '../../support/clients/client-answers.ts'
import { ask, type Face, faces, told } from '../../support/clients/client-formats.ts'
import {
  answerMessage,
  anthropicMessage,
  textBlock,
  toolUse,
} from '../../support/fakes/anthropic-wire.ts'
import { type Answering, sse } from '../../support/fakes/fake-upstream.ts'
import { answerContent } from '../../support/fakes/gemini-wire.ts'
import {
  answerResponse,
  callItem,
  customCallItem,
  messageItem,
} from '../../support/fakes/responses-wire.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

type Fields = Readonly<Record<string, unknown>>

const upstreams = {
  anthropic: [
    'messages',
    (seen, response) =>
      answerMessage(
        seen,
        response,
        anthropicMessage([
          textBlock('First. '),
          toolUse('toolu_1', 'now', { at: 'a' }),
          textBlock('Then. '),
          toolUse('toolu_2', 'now', { at: 'b' }),
          textBlock('Last.'),
        ]),
      ),
  ],
  gemini: [
    'generateContent',
    (seen, response) =>
      answerContent(seen, response, [
        { text: 'First. ' },
        { functionCall: { name: 'now', args: { at: 'a' } } },
        { text: 'Then. ' },
        { functionCall: { name: 'now', args: { at: 'b' } } },
        { text: 'Last.' },
      ]),
  ],
  'openai-responses': [
    'responses',
    (seen, response) =>
      answerResponse(seen, response, [
        messageItem('First. '),
        callItem('call_1', 'now', '{"at":"a"}'),
        messageItem('Then. '),
        callItem('call_2', 'now', '{"at":"b"}'),
        messageItem('Last.'),
      ]),
  ],
} as const satisfies Readonly<Record<string, readonly [Face, Answering]>>

/** What stands where in a turn, texts next to each other as one. */
function orderOf(turn: readonly unknown[]): readonly string[] {
  const order: string[] = []
  for (const piece of turn as readonly Fields[]) {
    const [part] = [...((piece['content'] ?? []) as readonly Fields[])]
    const text = piece['text'] ?? part?.['text']
    const input =
      piece['arguments'] ??
      JSON.stringify(piece['input'] ?? (piece['functionCall'] as Fields | undefined)?.['args'])
    if (typeof text !== 'string') order.push(String(input))
    else if (text.trim() !== '') {
      if (order.at(-1)?.startsWith('{') === false) order.push(`${order.pop()}${text.trim()}`)
      else order.push(text.trim())
    }
  }
  return order
}

const cells = (Object.keys(upstreams) as (keyof typeof upstreams)[]).flatMap((type) =>
  faces
    .filter((face) => face !== upstreams[type][0])
    .flatMap((face) => [false, true].map((stream) => ({ type, face, stream }))),
)

test.each(cells.filter(({ face }) => face !== 'chat'))(
  'keeps text behind tool calls in order: $type to $face, streamed: $stream',
  async ({ type, face, stream }) => {
    await using pair = await inFrontOf(type, upstreams[type][1], 'gemini-2.5-flash')
    const { wire } = await ask(pair, face, { stream })
    const answer = stream
      ? streamedAnswer[face]?.(wire)
      : wholeAnswer[face]?.(JSON.parse(wire) as Fields)
    expect(orderOf(answer?.turn ?? [])).toEqual([
      'First.',
      '{"at":"a"}',
      'Then.',
      '{"at":"b"}',
      'Last.',
    ])
  },
)

test.each(cells.filter(({ face }) => face === 'chat'))(
  'sends all text to chat, which has no order of parts: $type, streamed: $stream',
  async ({ type, stream }) => {
    await using pair = await inFrontOf(type, upstreams[type][1], 'gemini-2.5-flash')
    const { wire } = await ask(pair, 'chat', { stream })
    const answer = told('chat', wire, stream)
    expect(answer.text.replaceAll(/\s+/g, ' ')).toBe('First. Then. Last.')
    expect(answer.calls.map(({ input }) => input)).toEqual(['{"at":"a"}', '{"at":"b"}'])
    expect(wire).not.toContain('text_places')
  },
)

test('keeps the order of a call and text within one stream fragment', async () => {
  const parts = [{ functionCall: { name: 'now', args: {} } }, { text: 'Done.' }]
  const fragment = {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
  }
  await using pair = await inFrontOf('gemini', (_seen, response) => sse(response, [fragment]))
  const { wire } = await ask(pair, 'messages', { stream: true })
  expect(orderOf(streamedAnswer['messages']?.(wire).turn ?? [])).toEqual(['{}', 'Done.'])
})

const patch = '*** Begin "Patch"\n\t+ä 😀\n'
const nobodys: Answering = (seen, response) =>
  answerResponse(seen, response, [
    customCallItem('call_1', 'apply_patch', patch),
    callItem('call_2', 'now', '{}'),
  ])

describe.each([false, true])(
  'a custom tool call that the request did not offer, streamed: %s',
  (stream) => {
    test.each(['messages', 'generateContent'] as const)(
      'becomes a call with a JSON object for %s',
      async (face) => {
        await using pair = await inFrontOf('openai-responses', nobodys)
        const answer = told(face, (await ask(pair, face, { stream })).wire, stream)
        expect(answer.calls.map(({ name, input }) => [name, JSON.parse(input)])).toEqual([
          ['apply_patch', { input: patch }],
          ['now', {}],
        ])
      },
    )

    test('stays a custom call for chat', async () => {
      await using pair = await inFrontOf('openai-responses', nobodys)
      const { wire } = await ask(pair, 'chat', { stream })
      expect(wire).toContain('"type":"custom"')
      const inputs = [...wire.matchAll(/"input":("(?:[^"\\]|\\.)*")/g)]
      expect(inputs.map(([, input]) => JSON.parse(input ?? '')).join('')).toBe(patch)
    })
  },
)
