import { hints } from '../src/report-unsupported.ts'
import { describe, expect, it } from 'vitest'
import { codecContext, formatContext } from '../../../test/support/codec-context.ts'
import type { ChatRequest } from '../../contract/src/operations/chat-request.ts'
import {
  type OperationName,
  operationNames,
  type RequestOf,
} from '../../contract/src/operations/index.ts'
import { type Decisions } from '../src/decisions.ts'
import { formats } from '../src/formats.ts'
import type { ClientFormat } from '../src/client-format.ts'
import type { Codec, UpstreamBody } from '../src/protocol.ts'
import { protocols } from '../src/protocols.ts'

const bytes = new Uint8Array([1])
const sound = { filename: 'a.wav', contentType: 'audio/wav', bytes }
const messages: ChatRequest['messages'] = [{ role: 'user', content: 'Hello' }]

/** A small request of each operation that has a body. */
const small: { readonly [O in OperationName]?: RequestOf<O> } = {
  chat: { model: 'm', messages },
  complete: { model: 'm', prompt: 'a' },
  embed: { model: 'm', input: 'a' },
  rerank: { model: 'm', query: 'a', documents: ['b'] },
  moderate: { model: 'm', input: 'a' },
  speak: { model: 'm', input: 'a', voice: 'alloy', response_format: 'wav' },
  transcribe: { model: 'm', file: sound },
  translate: { model: 'm', file: sound },
  createImage: { model: 'm', prompt: 'a' },
  editImage: { model: 'm', prompt: 'a', image: [{ ...sound, contentType: 'image/png' }] },
  createVideo: { model: 'm', prompt: 'a' },
}

const settings = { project: 'p' }

/** Everything that goes out, as one text to look into. */
function textOf(body: UpstreamBody | undefined, path: string): string {
  return path + JSON.stringify(body?.kind === 'bytes' ? null : body)
}

function encode(codec: Codec<OperationName>, request: object) {
  const refused: string[] = []
  const leftOut: string[] = []
  const context = codecContext({
    settings,
    unsupported: (param) => void refused.push(param),
    leftOut: (param) => void leftOut.push(param),
  })
  // The codec was looked up by the operation that the request is of.
  const { body, path } = codec.encode(request as never, context)
  return { sent: textOf(body, path), refused, leftOut }
}

const codecs = protocols.flatMap(({ id, codecs: own }) =>
  operationNames.flatMap((operation) => {
    const codec = own[operation] as Codec<OperationName> | undefined
    const request = small[operation]
    return codec === undefined || request === undefined ? [] : [{ id, operation, codec, request }]
  }),
)

describe.each(codecs)('$id $operation', ({ codec, request }) => {
  it.each(['min_p', 'constructor', 'guardrailConfig'])(
    'sends %s or reports it as dropped',
    (key) => {
      const { sent, leftOut, refused } = encode(codec, { ...request, [key]: { marked: 1 } })
      expect(refused).toEqual([])
      expect(leftOut).toEqual(sent.includes('"marked"') || sent.includes(key) ? [] : [key])
    },
  )

  it('reports nothing for a request without unknown fields', () => {
    expect(encode(codec, request)).toMatchObject({ refused: [], leftOut: [] })
  })
})

const tools: ChatRequest['tools'] = [{ type: 'function', function: { name: 'f' } }]

/** A value of each field that no upstream gives by itself, with what it needs beside it. */
const asked: { readonly [F in keyof ChatRequest]-?: Partial<ChatRequest> } = {
  model: { model: 'm' },
  messages: { messages: [{ role: 'user', content: 'Goodbye' }] },
  temperature: { temperature: 0.25 },
  top_p: { top_p: 0.25 },
  top_k: { top_k: 7 },
  n: { n: 2 },
  stream: { stream: true },
  stream_options: { stream: true, stream_options: { include_usage: true } },
  stop: { stop: ['END'] },
  max_completion_tokens: { max_completion_tokens: 77 },
  presence_penalty: { presence_penalty: 0.25 },
  frequency_penalty: { frequency_penalty: 0.25 },
  logit_bias: { logit_bias: { '7': 1 } },
  logprobs: { logprobs: true },
  top_logprobs: { logprobs: true, top_logprobs: 3 },
  user: { user: 'u' },
  safety_identifier: { safety_identifier: 's' },
  prompt_cache_key: { prompt_cache_key: 'k' },
  tools: { tools },
  server_tools: {
    server_tools: [{ type: 'x', api: 'chat', tool: { type: 'x' } }],
  },
  tool_choice: { tools, tool_choice: 'required' },
  parallel_tool_calls: { tools, parallel_tool_calls: false },
  response_format: { response_format: { type: 'json_object' } },
  seed: { seed: 7 },
  reasoning_effort: { reasoning_effort: 'high' },
  verbosity: { verbosity: 'low' },
  modalities: { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'pcm16' } },
  audio: { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'pcm16' } },
  prediction: { prediction: { type: 'content', content: 'a' } },
  web_search_options: { web_search_options: { search_context_size: 'medium' } },
  service_tier: { service_tier: 'flex' },
  store: { store: true },
  metadata: { metadata: { a: 'b' } },
  thinking_budget: { thinking_budget: 2048 },
}

/**
 * Done around the codec: choices by several calls, the model in the path or the body, usage in every stream. So is the cutting
 * of a text at stop sequences where an API has none.
 */
const around: ReadonlySet<string> = new Set(['model', 'n', 'stream_options'])

const chats = codecs.filter(({ operation }) => operation === 'chat')

describe.each(chats)('$id chat', ({ id, codec, request }) => {
  it.each(Object.entries(asked))('sends %s or reports it as dropped', (field, fields) => {
    const { [field]: _, ...without } = { ...request, ...fields } as Record<string, unknown>
    const base = encode(codec, { ...request, ...without })
    const { sent, refused, leftOut } = encode(codec, { ...request, ...fields })
    const isSaid = [...refused, ...leftOut].some((path) => path.split(/[.[]/)[0] === field)
    const isCut = field === 'stop' && id === 'openai-responses'
    expect(isSaid || sent !== base.sent || around.has(field) || isCut, sent).toBe(true)
    if (hints.some((hint) => hint === field)) expect(refused).toEqual([])
  })
})

const requests: Readonly<Record<string, object>> = {
  messages: { model: 'm', max_tokens: 5, messages },
  responses: { model: 'm', input: 'Hello' },
  generateContent: { model: 'm', contents: [{ parts: [{ text: 'Hello' }] }] },
  streamGenerateContent: { model: 'm', contents: [{ parts: [{ text: 'Hello' }] }] },
  embedContent: { model: 'm', content: { parts: [{ text: 'Hello' }] } },
  batchEmbedContents: { model: 'm', requests: [{ content: { parts: [{ text: 'Hello' }] } }] },
}

describe('client formats', () => {
  function leftOutOf(id: string, request: object): readonly string[] {
    const names: string[] = []
    const found: ClientFormat | undefined = formats.find((format) => format.id === id)
    found?.toCanonical(request, formatContext({ leftOut: (param) => void names.push(param) }))
    return names
  }

  it.each(Object.entries(requests))('%s reports unknown fields', (id, request) => {
    expect(leftOutOf(id, request)).toEqual([])
    expect(leftOutOf(id, { ...request, output_format: {}, tone: 'kind' })).toEqual(['tone'])
  })

  it.each<[string, object, readonly string[]]>([
    ['messages', { cache_control: { type: 'ephemeral' } }, ['cache_control']],
    [
      'messages',
      { context_management: { edits: [] }, speed: 'fast' },
      ['context_management', 'speed'],
    ],
    ['messages', { output_config: { tone: 1 } }, ['output_config.tone']],
    ['messages', { output_format: { type: 'x' } }, ['output_format']],
    ['messages', { output_format: { type: 'json_schema', schema: {} } }, []],
    ['messages', { thinking: { type: 'between_tools' } }, ['thinking.type']],
    [
      'messages',
      { tools: [{ name: 'a', input_schema: {}, defer_loading: true, input_examples: [{}] }] },
      ['tools[0].defer_loading', 'tools[0].input_examples'],
    ],
    [
      'messages',
      { tools: [{ type: 'web_search_20250305', name: 's', max_uses: 8 }] },
      ['tools[0].max_uses'],
    ],
    ['responses', { truncation: 'auto' }, ['truncation']],
    [
      'responses',
      { tools: [{ type: 'web_search', external_web_access: false }] },
      ['tools[0].external_web_access'],
    ],
    ['responses', { tools: [{ type: 'web_search', external_web_access: true }] }, []],
    ['responses', { input: [{ type: 'web_search_call', id: 'ws_1' }] }, []],
    ['messages', { metadata: { user_id: 'u', team: 't' } }, ['metadata.team']],
    ['responses', { max_tool_calls: 3 }, ['max_tool_calls']],
    ['responses', { prompt_cache_retention: '24h' }, ['prompt_cache_retention']],
    ['responses', { include: ['reasoning.encrypted_content', 'x.y'] }, ['include[1]']],
    ['responses', { text: { tone: 1 } }, ['text.tone']],
    ['generateContent', { labels: { a: 'b' }, store: true }, ['labels', 'store']],
    [
      'generateContent',
      { generationConfig: { routingConfig: { a: 1 } } },
      ['generationConfig.routingConfig'],
    ],
    ['generateContent', { generation_config: { tone: 1 } }, ['generation_config.tone']],
    ['generateContent', { tools: [{ google_search: {} }] }, []],
  ])('%s reports of %j', (id, fields, names) => {
    expect(leftOutOf(id, { ...requests[id], ...fields })).toEqual(names)
  })
})

describe('a table of decisions', () => {
  type Undecided = Omit<Decisions<'chat'>, 'seed'>
  type Lax = Omit<Decisions<'chat'>, 'seed' | 'user'> & { seed: 'hint'; user: 'refused' }

  it('compiles only if every field is decided', () => {
    // The types decide: these lines do not compile when the tables allow more.
    const undecided: Undecided extends Decisions<'chat'> ? true : false = false
    const lax: Lax extends Decisions<'chat'> ? true : false = false
    expect([undecided, lax]).toEqual([false, false])
  })
})
