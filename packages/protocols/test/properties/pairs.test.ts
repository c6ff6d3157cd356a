import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ClientAnswer,
  streamedAnswer,
  wholeAnswer,
} from '../../../../test/support/clients/client-answers.ts'
import { codecContext, formatContext } from '../../../../test/support/codec-context.ts'
import {
  type Answer,
  answer,
  replyOf,
  stepsOf,
} from '../../../../test/support/generated/arbitrary-answer.ts'
import { shownText } from '../../../../test/support/generated/arbitrary-chat.ts'
import { type Talk, talk, writtenTalk } from '../../../../test/support/generated/conversation.ts'
import {
  callFact,
  type Fact,
  factsOf,
  plainJson,
  resultFact,
} from '../../../../test/support/generated/upstream-facts.ts'
import type { ChatChunk } from '../../../contract/src/operations/chat.ts'
import type { ThinkingBlock } from '../../../contract/src/operations/chat-message.ts'
import type { ChatRequest } from '../../../contract/src/operations/chat-request.ts'
import { operations } from '../../../contract/src/operations/index.ts'
import type { Step } from '../../../contract/src/operations/operation.ts'
import { validate } from '../../../contract/src/operations/validate.ts'
import { formatJson, parseJson } from '../../../contract/src/wire/json.ts'
import { formats as allFormats } from '../../src/formats.ts'
import type { ClientFormat } from '../../src/client-format.ts'
import { protocols } from '../../src/protocols.ts'
import '../../../../test/support/property-limits.ts'

// Those that translate: the operations' own say the canonical form itself.
const formats = allFormats.filter(({ isOwn }) => isOwn !== true)

// Every client format in front of every upstream protocol, the wires written and read by hand.

const upstreams = {
  anthropic: 'claude-sonnet-4-5',
  bedrock: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
  cohere: 'command-a-03-2025',
  gemini: 'gemini-3-pro-preview',
  openai: 'gpt-5.1',
  'openai-responses': 'gpt-5.1',
} as const
type Upstream = keyof typeof upstreams
const upstreamNames = Object.keys(upstreams) as Upstream[]
const clients = ['generateContent', 'messages', 'responses'] as const
type Client = (typeof clients)[number]

const pairs = [...clients, 'chat' as const].flatMap((client) =>
  upstreamNames.map((upstream) => ({ client, upstream })),
)

function formatOf(client: Client, streamed = false): ClientFormat<'chat'> {
  const id = streamed && client === 'generateContent' ? 'streamGenerateContent' : client
  // All of these are formats of chat.
  return formats.find((format) => format.id === id) as ClientFormat<'chat'>
}

/** A client's body as the gateway takes it in. */
function canonical(client: Client | 'chat', body: object): ChatRequest {
  const wire = parseJson(formatJson(body))
  if (client === 'chat') return checked(wire)
  const format = formatOf(client)
  return checked(format.toCanonical(validate(format.request, wire), formatContext()))
}

function checked(value: unknown): ChatRequest {
  const request = validate(operations.chat.request, value)
  operations.chat.check?.(request)
  return request
}

/** What the upstream is told. Cohere reads no documents; there the route leaves them out. */
function told(upstream: Upstream, request: ChatRequest): readonly Fact[] {
  const codec = protocols.find(({ id }) => id === upstream)?.codecs.chat
  const reports = upstream === 'cohere' ? { unsupported: () => undefined } : {}
  const context = codecContext({ model: upstreams[upstream], ...reports })
  const { body } = codec!.encode(request, context)
  if (body?.kind !== 'json') throw new Error('No JSON')
  return factsOf[upstream]!(parseJson(formatJson(body.value)) as Record<string, unknown>)
}

/** Where system messages belong at the beginning alone, a late one stays in its place, marked. */
const marking: ReadonlySet<string> = new Set(['anthropic', 'bedrock', 'gemini'])

function factsOfTalk(
  { system, turns, last }: Talk,
  { client, upstream }: { readonly client: string; readonly upstream: Upstream },
): readonly Fact[] {
  const instructed = (late: string | undefined): readonly Fact[] => {
    if (late === undefined || client === 'generateContent') return []
    return [marking.has(upstream) ? ['user', `<system>\n${late}\n</system>`] : ['system', late]]
  }
  const asked = (parts: Talk['last']): readonly Fact[] =>
    parts.flatMap((part): readonly Fact[] => {
      if (part.kind === 'text') return [['user', part.text]]
      return part.kind === 'document' && upstream === 'cohere' ? [] : [[part.kind, part.base64]]
    })
  return [
    ...(system === undefined ? [] : [['system', system]]),
    ...turns.flatMap((turn) => [
      ...asked(turn.asked),
      ...turn.steps.flatMap(({ said, calls }) => [
        ...(said === undefined ? [] : [['assistant', said]]),
        ...calls.map(({ id, name, input }) => callFact(id, name, input)),
        ...calls.map(({ id, result }) => resultFact(id, result)),
      ]),
      ['assistant', turn.answer],
      ...instructed(turn.late),
    ]),
    ...asked(last),
  ]
}

/** Some upstreams want a text beside a document; it says nothing. */
const isMeant = ([role, text]: Fact): boolean => role !== 'user' || text !== '.'

describe.each(pairs)('$client before $upstream', ({ client, upstream }) => {
  it('property: keeps the meaning of a conversation', () => {
    fc.assert(
      fc.property(talk, (given) => {
        const request = canonical(client, writtenTalk[client]!(given))
        const facts = told(upstream, request).filter(isMeant)
        expect(facts).toEqual(factsOfTalk(given, { client, upstream }).filter(isMeant))
      }),
      { numRuns: 40 },
    )
  })
})

const kindsOf: Readonly<Record<Upstream, readonly ThinkingBlock['type'][]>> = {
  anthropic: ['thinking', 'redacted_thinking'],
  bedrock: ['thinking', 'redacted_thinking'],
  cohere: [],
  gemini: ['thought'],
  openai: [],
  'openai-responses': ['reasoning'],
}

function factOfBlock(block: ThinkingBlock): Fact {
  const { type, thinking = '', signature, data = '', encrypted_content: encrypted } = block
  if (type === 'thinking') return ['thinking', signature ?? '', thinking]
  if (type === 'redacted_thinking') return ['redacted', data]
  if (type === 'thought') return ['thought', signature ?? '']
  return ['reasoning', encrypted ?? '', (block.summary ?? []).join('')]
}

const reasoningFacts: ReadonlySet<string | undefined> = new Set([
  'thinking',
  'redacted',
  'reasoning',
  'thought',
  'signed',
])
const isReasoning = ([kind]: Fact): boolean => reasoningFacts.has(kind)

/** What an upstream must hear when its own answer and the tools' results come back to it. */
function factsOfAnswer(given: Answer, upstream: Upstream) {
  const { text, refusal, blocks, calls } = given
  const own = blocks.filter(({ type }) => kindsOf[upstream].includes(type)).map(factOfBlock)
  const signed = calls.flatMap(({ id, signature }): readonly Fact[] =>
    upstream === 'gemini' && signature !== undefined ? [['signed', id, signature]] : [],
  )
  return {
    reasoning: [...own, ...signed],
    speech: [
      ['user', 'First'],
      ...(text === '' ? [] : [['assistant', text]]),
      ...(refusal === undefined ? [] : [['assistant', refusal]]),
      ...calls.map(({ id, name, input }) => callFact(id, name, input)),
      ...calls.map(({ id, result }) => resultFact(id, result)),
      ['user', 'Next'],
    ],
  }
}

/** The next request of a client that keeps the turn it got as it is. */
const nextRequest: Readonly<Record<Client, (turn: readonly unknown[], given: Answer) => object>> = {
  messages: (turn, { calls }) => ({
    model: 'm',
    max_tokens: 100,
    messages: [
      { role: 'user', content: 'First' },
      { role: 'assistant', content: turn },
      {
        role: 'user',
        content: [
          ...calls.map(({ id, result }) => ({
            type: 'tool_result',
            tool_use_id: id,
            content: result,
          })),
          { type: 'text', text: 'Next' },
        ],
      },
    ],
  }),
  responses: (turn, { calls }) => ({
    model: 'm',
    input: [
      { role: 'user', content: 'First' },
      ...turn,
      ...calls.map(({ id, result }) => ({
        type: 'function_call_output',
        call_id: id,
        output: result,
      })),
      { role: 'user', content: 'Next' },
    ],
  }),
  generateContent: (turn, { calls }) => ({
    model: 'm',
    contents: [
      { role: 'user', parts: [{ text: 'First' }] },
      { role: 'model', parts: turn },
      {
        role: 'user',
        parts: [
          ...calls.map(({ id, name, result }) => ({
            functionResponse: { id, name, response: { output: result } },
          })),
          { text: 'Next' },
        ],
      },
    ],
  }),
}

/** The first request; `shown`: whether it asks for the words of thoughts, where the format lets it choose. */
const firstRequest: Readonly<Record<Client, (shown: boolean) => object>> = {
  messages: (shown) => ({
    model: 'm',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'First' }],
    thinking: { type: 'adaptive', display: shown ? 'summarized' : 'omitted' },
  }),
  responses: () => ({ model: 'm', input: 'First', include: ['reasoning.encrypted_content'] }),
  generateContent: (shown) => ({
    model: 'm',
    contents: [{ role: 'user', parts: [{ text: 'First' }] }],
    generationConfig: { thinkingConfig: { includeThoughts: shown } },
  }),
}

function whole(client: Client, given: Answer, asked: object): ClientAnswer {
  const format = formatOf(client)
  const made = format.fromCanonical(replyOf(given), asked, formatContext())
  validate(format.reply, made)
  return wholeAnswer[client]!(parseJson(formatJson(made)) as Record<string, unknown>)
}

const finishWords: Readonly<Record<Client, (given: Answer) => string>> = {
  messages: ({ finish, refusal }) => {
    if (refusal !== undefined) return 'refusal'
    return { length: 'max_tokens', tool_calls: 'tool_use' }[finish as string] ?? 'end_turn'
  },
  responses: ({ finish }) => (finish === 'length' ? 'max_output_tokens' : 'completed'),
  generateContent: ({ finish }) => (finish === 'length' ? 'MAX_TOKENS' : 'STOP'),
}

function expectSaid(client: Client, got: ClientAnswer, given: Answer, shown: boolean): void {
  const { text, refusal = '', blocks, calls, usage } = given
  const thoughts = shown || client === 'responses' ? shownText(blocks) : ''
  expect({
    ...got,
    reasoning: got.reasoning.replaceAll('\n\n', ''),
    calls: got.calls.map((call) => ({ ...call, input: plainJson(call.input) })),
    turn: [],
  }).toEqual({
    text: text + refusal,
    reasoning: thoughts.replaceAll('\n\n', ''),
    calls: calls.map(({ id, name, input }) => ({ id, name, input: plainJson(input) })),
    finish: finishWords[client](given),
    usage: [usage.inputTokens, usage.outputTokens],
    turn: [],
  })
}

function expectComesBack(client: Client, turn: readonly unknown[], given: Answer): void {
  const request = canonical(client, nextRequest[client](turn, given))
  for (const upstream of upstreamNames) {
    const facts = told(upstream, request)
    const { speech, reasoning } = factsOfAnswer(given, upstream)
    expect(
      facts.filter((fact) => !isReasoning(fact)),
      upstream,
    ).toEqual(speech)
    expect(facts.filter(isReasoning), upstream).toEqual(reasoning)
  }
}

function streamed(
  client: Client,
  steps: readonly Step<ChatChunk>[],
  { events = true, ...asked }: { readonly events?: boolean },
): ClientAnswer {
  const writer = formatOf(client, true).writer!(asked, formatContext(), events ? 'alt=sse' : '')
  const wire = steps.map((step) => writer.write(step)).join('') + writer.end()
  return streamedAnswer[client]!(wire)
}

const withSteps = answer.chain((given) => stepsOf(given).map((steps) => ({ given, steps })))

describe.each(clients)('an answer to a client of %s', (client) => {
  it('property: is complete, and returns to each upstream with its own signed reasoning', () => {
    fc.assert(
      fc.property(answer, fc.boolean(), (given, shown) => {
        const got = whole(client, given, firstRequest[client](shown))
        expectSaid(client, got, given, shown)
        expectComesBack(client, got.turn, given)
      }),
      { numRuns: 120 },
    )
  })

  it('property: is the same streamed and split anywhere, and returns the same', () => {
    fc.assert(
      fc.property(withSteps, fc.boolean(), fc.boolean(), ({ given, steps }, shown, events) => {
        const got = streamed(client, steps, { ...firstRequest[client](shown), events })
        expectSaid(client, got, given, shown)
        expectComesBack(client, got.turn, given)
      }),
      { numRuns: 120 },
    )
  })
})

const plainRequest: Readonly<Record<'messages' | 'responses', object>> = {
  messages: { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'First' }] },
  responses: { model: 'm', input: 'First' },
}

describe.each(['messages', 'responses'] as const)(
  'a client of %s that requests no reasoning',
  (client) => {
    it('property: gets text first, and required reasoning returns in call ids', () => {
      fc.assert(
        fc.property(withSteps, fc.boolean(), ({ given, steps }, stream) => {
          const asked = plainRequest[client]
          const { turn } = stream ? streamed(client, steps, asked) : whole(client, given, asked)
          const [first] = turn as readonly { readonly type: string }[]
          const words = given.text + (given.refusal ?? '')
          const isShown = client === 'responses' && shownText(given.blocks) !== ''
          if (words !== '' && !isShown)
            expect(first?.type).toBe(client === 'messages' ? 'text' : 'message')
          const kept = given.calls.length > 0 || isShown ? given : { ...given, blocks: [] }
          expectComesBack(client, turn, kept)
        }),
        { numRuns: 200 },
      )
    })
  },
)
