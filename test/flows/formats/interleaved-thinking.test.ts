// Models that think between tool calls: each thought is sent back at its position, whichever format carried it.
import { expect, test } from 'vitest'
import { bedrock } from '../../../packages/protocols/src/bedrock/index.ts'
import {
  chatAgent,
  contentsAgent,
  messagesAgent,
  responsesAgent,
} from '../../support/clients/agents.ts'
import { codecContext, received } from '../../support/codec-context.ts'
import {
  answerMessage,
  anthropicMessage,
  textBlock,
  thinkingBlock,
  toolUse,
} from '../../support/fakes/anthropic-wire.ts'
import { type Answering, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { readStream } from '../../support/formats/read-stream.ts'
import { start } from '../../support/start.ts'

type Fields = Readonly<Record<string, unknown>>

const listOf = (value: unknown) => (Array.isArray(value) ? value : []) as readonly Fields[]

const agents = {
  chat: chatAgent,
  messages: messagesAgent,
  responses: responsesAgent(false),
  'responses, kept': responsesAgent(true),
  generateContent: contentsAgent,
}

const claude: Answering = (seen, response) => {
  const isOver = seen.text.includes('tool_result')
  return answerMessage(
    seen,
    response,
    anthropicMessage(
      isOver
        ? [textBlock('Done.')]
        : [
            thinkingBlock('First a.', 'signed-a'),
            textBlock('Reading.'),
            thinkingBlock('Really a.', 'signed-b'),
            toolUse('toolu_1', 'read_file', { path: 'a' }),
            thinkingBlock('Then all.', 'signed-c'),
            toolUse('toolu_2', 'list_files', {}),
          ],
    ),
  )
}

const reasoning = (id: string, text: string) => ({
  type: 'reasoning',
  id,
  summary: [{ type: 'summary_text', text }],
  encrypted_content: `gAAAA_${id}`,
})
const called = (id: string, name: string, text: string) => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: text,
  status: 'completed',
})

const gpt: Answering = (seen, response) => {
  const content = [{ type: 'output_text', text: 'Done.', annotations: [] }]
  const output: readonly Fields[] = seen.text.includes('function_call_output')
    ? [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }]
    : [
        reasoning('rs_1', 'First a.'),
        called('call_1', 'read_file', '{"path":"a"}'),
        reasoning('rs_2', 'Then all.'),
        called('call_2', 'list_files', '{}'),
      ]
  const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 }
  const whole = { id: 'resp_1', object: 'response', status: 'completed', output, usage }
  if (seen.body['stream'] !== true) return json(response, whole)
  return sse(response, [
    ...output.flatMap((item, index) => [
      { type: 'response.output_item.added', output_index: index, item },
      { type: 'response.output_item.done', output_index: index, item },
    ]),
    { type: 'response.completed', response: whole },
  ])
}

/** What the model is told again of its own turn. */
const makers = {
  anthropic: {
    answering: claude,
    told: ({ messages }: Fields) =>
      listOf(listOf(messages).find(({ role }) => role === 'assistant')?.['content']).map(
        ({ type, signature, text, id }) => String(signature ?? text ?? id ?? type),
      ),
    expected: ['signed-a', 'Reading.', 'signed-b', 'toolu_1', 'signed-c', 'toolu_2'],
  },
  'openai-responses': {
    answering: gpt,
    told: ({ input }: Fields) =>
      listOf(input)
        .filter(({ type }) => type === 'reasoning' || type === 'function_call')
        .map(({ encrypted_content: encrypted, call_id: id }) => String(encrypted ?? id)),
    expected: ['gAAAA_rs_1', 'call_1', 'gAAAA_rs_2', 'call_2'],
  },
}

const cases = Object.keys(makers).flatMap((maker) =>
  Object.keys(agents)
    // An upstream of Responses keeps the conversation itself.
    .filter((agent) => maker === 'anthropic' || agent !== 'responses, kept')
    .flatMap((agent) => [
      [maker, agent, false],
      [maker, agent, true],
    ]),
) as readonly (readonly [keyof typeof makers, keyof typeof agents, boolean])[]

test.each(cases)(
  'keeps thinking blocks between tool calls in place: %s, by %s, streamed: %s',
  async (maker, client, stream) => {
    const { answering, told, expected } = makers[maker]
    await using upstream = await fakeUpstream(answering)
    await using gateway = await start({
      providers: { up: { type: maker, baseUrl: upstream.url, key: 'k' } },
      defaults: { retries: { attempts: 1 } },
    })
    const model = maker === 'anthropic' ? 'up/claude-sonnet-4-5' : 'up/gpt-5.1'
    const run = () => ({ text: 'ran', failed: false })
    expect(await agents[client]({ gateway, model, stream, run })('Read everything.')).toBe('Done.')
    expect(told(upstream.seen.at(-1)!.body)).toEqual(expected)
  },
)

test('keeps Bedrock’s reasoning blocks in place, whole and streamed', () => {
  const codec = bedrock.codecs.chat!
  const model = 'anthropic.claude-sonnet-4-5-20250929-v1:0'
  const context = codecContext({ model })
  const request = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] }
  const thought = (signature: string) => ({
    reasoningContent: { reasoningText: { text: 'So.', signature } },
  })
  const use = (toolUseId: string) => ({ toolUse: { toolUseId, name: 'f', input: {} } })
  const content = [thought('signed-a'), use('c1'), thought('signed-b'), use('c2')]
  const answer = { output: { message: { content } }, stopReason: 'tool_use' }
  const { reply } = codec.decode(received(JSON.stringify(answer)), context, request)

  const event = (name: string, index: number, fields: Fields) => ({
    event: name,
    data: JSON.stringify({ contentBlockIndex: index, ...fields }),
  })
  const events = [
    ...content
      .flatMap((block, index) =>
        'toolUse' in block
          ? [event('contentBlockStart', index, { start: block })]
          : [
              event('contentBlockDelta', index, {
                delta: { reasoningContent: block.reasoningContent.reasoningText },
              }),
            ],
      )
      .flatMap((each, index) => [each, event('contentBlockStop', index, {})]),
    { event: 'messageStop', data: '{"stopReason":"tool_use"}' },
  ]
  const { steps } = readStream(codec.stream!, { events, context, request })
  const deltas = steps.flatMap((step) => ('event' in step ? [step.event.choices[0]!.delta] : []))
  const streamed = {
    ...reply.choices[0]!.message,
    thinking_blocks: deltas.flatMap(({ thinking_blocks: blocks }) => blocks ?? []),
  }
  for (const message of [reply.choices[0]!.message, streamed]) {
    const results = ['c1', 'c2'].map((id) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: 'ran',
    }))
    const messages = [...request.messages, message, ...results]
    const { body } = codec.encode({ ...request, messages }, context)
    const turns = (body as { value: { messages: readonly Fields[] } }).value.messages
    expect(turns[1]!['content']).toEqual(content)
  }
})
