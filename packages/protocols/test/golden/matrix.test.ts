import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operationNames } from '../../../contract/src/operations/index.ts'
import { formats as allFormats } from '../../src/formats.ts'
import { protocols } from '../../src/protocols.ts'
import { foldersIn, type GoldenCase, goldenCase } from '../../../../test/support/formats/golden-files.ts'

// Those that translate: the operations' own say the canonical form itself.
const formats = allFormats.filter(({ isOwn }) => isOwn !== true)

/**
 * What must have a golden case: every kind of content in both directions, streamed and not, for every chat protocol
 * and every client format. `requests`, `answers` and `streams` name the folder that holds that side.
 */
interface Row {
  readonly what: string
  readonly requests?: string
  readonly answers?: string
  readonly streams?: string
}

const rows: readonly Row[] = [
  { what: 'text', requests: 'text', answers: 'text', streams: 'text-streamed' },
  { what: 'a streamed request', requests: 'text-streamed' },
  { what: 'system and developer messages', requests: 'system-messages' },
  { what: 'an assistant message first', requests: 'assistant-first' },
  { what: 'pictures', requests: 'images' },
  { what: 'drawn pictures', answers: 'drawn-images', streams: 'drawn-images-streamed' },
  { what: 'files', requests: 'files' },
  { what: 'files by address', requests: 'documents' },
  { what: 'sound', requests: 'sound' },
  {
    what: 'parallel tools',
    requests: 'tools-parallel',
    answers: 'tools-parallel',
    streams: 'tools-streamed',
  },
  { what: 'tool choice', requests: 'tool-choice' },
  { what: 'tool results', requests: 'tool-results' },
  {
    what: 'structured output',
    requests: 'structured-output',
    answers: 'structured-output',
    streams: 'structured-output-streamed',
  },
  {
    what: 'thinking',
    requests: 'thinking-tool-loop',
    answers: 'thinking-tool-loop',
    streams: 'thinking-adaptive-streamed',
  },
  { what: 'a filtered answer', answers: 'refusal', streams: 'refusal-streamed' },
  { what: 'a refusal in words', answers: 'model-refusal', streams: 'model-refusal-streamed' },
  {
    what: 'a stop sequence',
    requests: 'stop-sequence',
    answers: 'stop-sequence',
    streams: 'stop-sequence-streamed',
  },
  { what: 'length', requests: 'length', answers: 'length', streams: 'length-streamed' },
  { what: 'usage', answers: 'usage', streams: 'usage-streamed' },
  { what: 'a refused request', answers: 'error-body' },
  { what: 'too many requests', answers: 'error-rate-limited' },
  { what: 'an error in a stream', streams: 'error-streamed' },
]

/** Cells that do not apply, each with its reason. */
const inapplicable: Readonly<Record<string, string>> = {
  'drawn pictures: answers of anthropic': 'Claude draws no pictures',
  'drawn pictures: answers of cohere': 'Cohere draws no pictures',
  'drawn pictures: streams of anthropic': 'Claude draws no pictures',
  'drawn pictures: streams of cohere': 'Cohere draws no pictures',
  'sound: requests of messages': 'the Messages API has no blocks of sound',
  ...refusalsInText(['anthropic', 'bedrock', 'cohere', 'gemini']),
  'a stop sequence: requests of responses': 'the Responses API has no stop sequences',
  'a stop sequence: answers of openai-responses': 'its codec refuses the request before',
  'a stop sequence: streams of openai-responses': 'its codec refuses the request before',
}

function refusalsInText(owners: readonly string[]): Readonly<Record<string, string>> {
  const cells = owners.flatMap((owner) =>
    ['answers', 'streams'].map((side) => [
      `a refusal in words: ${side} of ${owner}`,
      'a refusal in the model’s own words is plain text on this wire',
    ]),
  )
  return Object.fromEntries(cells) as Readonly<Record<string, string>>
}

const upstreams = ['anthropic', 'bedrock', 'cohere', 'gemini', 'openai', 'openai-responses']
/** The same bodies as another protocol's at other addresses. */
const relatives = ['azure', 'dashscope', 'vertex', 'vertex-anthropic']
const clients = ['generateContent', 'messages', 'responses']

type Side = 'requests' | 'answers' | 'streams'

function cell({ what }: Row, side: Side, owner: string): string {
  return `${what}: ${side} of ${owner}`
}

const folder = (name: string): GoldenCase => goldenCase(join(import.meta.dirname, 'chat', name))

function isStreamed(golden: GoldenCase): boolean {
  if (!golden.has('request.json')) return false
  const { stream } = golden.json('request.json') as { readonly stream?: boolean }
  return stream === true
}

/** True where the folder holds one complete comparison of this owner. */
function isHeld(golden: GoldenCase, side: Side, owner: string): boolean {
  const hasAny = (...names: readonly string[]): boolean =>
    names.some((name) => golden.has(`${owner}.${name}`))
  if (upstreams.includes(owner) || relatives.includes(owner)) {
    if (side === 'requests') return hasAny('sent.json', 'refused.json')
    if (hasAny('failure.json')) return hasAny('received.json', 'received.txt')
    const body =
      side === 'answers'
        ? hasAny('received.json', 'received.txt')
        : hasAny('received.sse', 'received.events.json')
    return body && hasAny('reply.json')
  }
  if (side === 'requests') return hasAny('client.json')
  if (hasAny('error.json')) return golden.has('error.json')
  return side === 'answers'
    ? golden.has('reply.json') && hasAny('answer.json')
    : golden.has('steps.json') && hasAny('answer.sse')
}

const cells = rows.flatMap((row) =>
  (['requests', 'answers', 'streams'] as const).flatMap((side) => {
    const name = row[side]
    if (name === undefined) return []
    const golden = folder(name)
    const streamed = side === 'streams' || isStreamed(golden)
    const formatsOfSide = clients.map((client) =>
      streamed && client === 'generateContent' ? 'streamGenerateContent' : client,
    )
    return [...upstreams, ...formatsOfSide].map((owner) => ({
      name: cell(row, side, owner),
      where: name,
      held: isHeld(golden, side, owner),
    }))
  }),
)

describe('the golden cases of chat', () => {
  it('cover every kind of content for every protocol and client format', () => {
    const absent = cells.filter(({ name, held }) => !held && !(name in inapplicable))
    expect(absent.map(({ name, where }) => `${name} (${where})`)).toEqual([])
  })

  it('leave out only what does not apply', () => {
    const stale = Object.keys(inapplicable).filter((name) =>
      cells.every((each) => each.name !== name || each.held),
    )
    expect(stale).toEqual([])
  })

  it('cover protocols that differ from their relatives', () => {
    for (const owner of relatives)
      for (const name of ['text', 'text-streamed'])
        expect(isHeld(folder(name), 'requests', owner), `${name} ${owner}`).toBe(true)
  })

  it('list every chat protocol and client format', () => {
    const chatty = protocols.filter(({ codecs }) => codecs.chat !== undefined).map(({ id }) => id)
    expect(chatty.toSorted()).toEqual([...upstreams, ...relatives].toSorted())
    // Their answers are no conversations.
    const others = ['countTokens', 'messagesCountTokens', 'responsesCompact', 'responsesInputTokens']
    const chats = formats.filter(({ operation }) => operation === 'chat').map(({ id }) => id)
    expect(chats.toSorted()).toEqual(
      [...clients, ...others, 'streamGenerateContent'].toSorted(),
    )
  })
})

describe('the golden cases of the other operations', () => {
  const codecs = protocols.flatMap(({ id, codecs: own }) =>
    operationNames.flatMap((operation) => {
      const codec = own[operation]
      return codec === undefined || operation === 'chat' ? [] : [{ id, operation, codec }]
    }),
  )

  it.each(codecs)('$operation of $id', ({ operation, codec }) => {
    const root = join(import.meta.dirname, operation)
    const cases = foldersIn(root).map((name) => goldenCase(join(root, name)))
    // A codec that several protocols share is held by the case of one of them.
    const owners = codecs.filter((other) => other.codec === codec).map(({ id }) => id)
    const has = (name: string): boolean =>
      owners.some((owner) => cases.some((golden) => golden.has(`${owner}.${name}`)))
    expect(has('sent.json')).toBe(true)
    if (codec.bytes !== true) expect(has('reply.json')).toBe(true)
    if (codec.stream !== undefined) expect(has('received.sse')).toBe(true)
  })
})
