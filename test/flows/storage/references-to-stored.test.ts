// Fields that refer to content stored at a server, which a target that does not know them would ignore.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerMessage, anthropicMessage, textBlock } from '../../support/fakes/anthropic-wire.ts'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { type Started, start } from '../../support/start.ts'

let claude: FakeUpstream
let compatible: FakeUpstream
let gateway: Started

beforeAll(async () => {
  claude = await fakeUpstream((seen, response) =>
    answerMessage(seen, response, anthropicMessage([textBlock('Hello')])),
  )
  compatible = await fakeUpstream((_seen, response) => json(response, chatReply('Hello')))
  gateway = await start({
    providers: {
      claude: { type: 'anthropic', baseUrl: claude.url, key: 'k' },
      compatible: { type: 'openai', baseUrl: compatible.url, key: 'k' },
      voices: { type: 'elevenlabs', baseUrl: compatible.url, key: 'k' },
      cohere: { type: 'cohere', baseUrl: compatible.url, key: 'k' },
      google: { type: 'gemini', baseUrl: compatible.url, key: 'k' },
    },
    defaults: { retries: { attempts: 1 } },
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await claude[Symbol.asyncDispose]()
  await compatible[Symbol.asyncDispose]()
})

const messages = [{ role: 'user', content: 'Hi' }]
const contents = [{ parts: [{ text: 'Hi' }] }]
const gemini = (model: string, method: string) =>
  `/v1beta/models/${encodeURIComponent(model)}:${method}`

/** Every endpoint with JSON, with the targets that do not have its format. */
const faces: readonly (readonly [path: string, body: object])[] = [
  ...['builtin-chat', 'claude/m', 'google/m'].flatMap((model) => [
    ['/v1/chat/completions', { model, messages }] as const,
    ['/v1/chat/completions', { model, messages, stream: true }] as const,
    ['/v1/completions', { model, prompt: 'Hi' }] as const,
    ['/v1/responses', { model, input: 'Hi' }] as const,
    ['/v1/responses/compact', { model, input: 'Hi' }] as const,
    ['/v1/responses/input_tokens', { model, input: 'Hi' }] as const,
  ]),
  ...['builtin-chat', 'compatible/m'].flatMap((model) => [
    ['/v1/messages', { model, max_tokens: 9, messages }] as const,
    ['/v1/messages/count_tokens', { model, messages }] as const,
    [gemini(model, 'generateContent'), { contents }] as const,
    [gemini(model, 'streamGenerateContent'), { contents }] as const,
    [gemini(model, 'countTokens'), { contents }] as const,
  ]),
  ...['builtin-embed', 'compatible/m'].flatMap((model) => [
    [gemini(model, 'embedContent'), { content: contents[0] }] as const,
    [gemini(model, 'batchEmbedContents'), { requests: [{ content: contents[0] }] }] as const,
  ]),
  ...['builtin-embed', 'google/m'].map(
    (model) => ['/v1/embeddings', { model, input: 'Hi' }] as const,
  ),
  ...['builtin-rerank', 'cohere/m'].map(
    (model) => ['/v1/rerank', { model, query: 'Hi', documents: ['Hello'] }] as const,
  ),
  ...['builtin-image', 'google/m'].map(
    (model) =>
      ['/v1/images/generations', { model, prompt: 'A red circle', size: '64x64' }] as const,
  ),
  ...['builtin-speech', 'voices/m'].map(
    (model) => ['/v1/audio/speech', { model, input: 'Hi', voice: 'alloy' }] as const,
  ),
  ['/v1/moderations', { model: 'builtin-moderate', input: 'Hi' }],
]

const kept: readonly string[] = [
  'previous_response_id',
  'previous_message_id',
  'previousInteractionId',
  'conversation',
  'conversation_id',
  'conversationId',
  'thread',
  'thread_id',
  'session',
  'session_handle',
  'container',
  'container_id',
  'cached_content',
  'cachedContent',
  'prompt_id',
  'preset',
  'continuation_token',
  'continuationToken',
  'context_id',
  'file_ids',
  'vector_store_ids',
  'attachments',
  'data_sources',
]

async function post(path: string, body: object, mode?: string) {
  const headers: Record<string, string> = mode ? { 'x-sluice-unsupported': mode } : {}
  const response = await gateway.post(path, body, { headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const sent = () => claude.seen.length + compatible.seen.length

describe.each(faces)('%s %j', (path, body) => {
  test.each(kept)('rejects %s, which refers to stored content', async (name) => {
    const before = sent()
    for (const value of ['id_1', { type: 'x', id: 'id_1' }, ['id_1']]) {
      const { status, text } = await post(path, { ...body, [name]: value })
      // The gateway keeps conversations itself, and does not find this one.
      const isKnownField = name === 'conversation' && /responses(?:\/input_tokens)?$/.test(path)
      const expected = isKnownField && !Array.isArray(value) ? 404 : 400
      expect([status, text]).toEqual([expected, expect.stringContaining(name)])
    }
    expect(sent()).toBe(before)
  })

  test('drops fields that only group, trace or tune requests', async () => {
    const further = {
      session_id: 'a',
      litellm_session_id: 'b',
      trace_id: 'c',
      chat_id: 'd',
      cache_salt: 'e',
      continue_final_message: true,
      n_threads: 4,
      thread: null,
      conversation: '',
      client_metadata: { conversation_id: 'f', thread_id: 'g' },
    }
    const given = path.startsWith('/v1/responses') ? { ...further, conversation: null } : further
    const { status, text } = await post(path, { ...body, ...given }, 'refuse')
    expect([status, text]).toEqual([400, expect.stringContaining('session_id')])
  })
})

test('accepts fields that refer to nothing stored', async () => {
  const benign = {
    session_id: 'a',
    litellm_session_id: 'b',
    user: 'u',
    prompt_cache_key: 'k',
    metadata: { conversation_id: 'c', session: 's', thread_id: 't' },
    client_metadata: { conversation_id: 'f', thread_id: 'g' },
    chat_template_kwargs: { thread: 'kind' },
    cache_salt: 'e',
    chat_id: 'd',
    thread: 4,
    container: null,
    attachments: [],
    conversation: '',
  }
  for (const model of ['builtin-chat', 'claude/m']) {
    const { status, headers } = await post('/v1/chat/completions', { model, messages, ...benign })
    expect(status).toBe(200)
    expect(headers.get('x-sluice-dropped')).toContain('session_id, litellm_session_id')
    expect(headers.get('x-sluice-dropped')).not.toContain('conversation')
  }
})

const model = 'claude/m'
const inside: readonly (readonly [string, string, object])[] = [
  [
    '/v1/chat/completions',
    'messages[0].thread_id',
    { model, messages: [{ ...messages[0], thread_id: 't' }] },
  ],
  [
    '/v1/chat/completions',
    'messages[0].content[0].file_id',
    { model, messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', file_id: 'f' }] }] },
  ],
  [
    '/v1/chat/completions',
    'extra_body.google.cached_content',
    { model, messages, extra_body: { google: { cached_content: 'cachedContents/1' } } },
  ],
  [
    '/v1/responses',
    'reasoning.conversation_id',
    { model, input: 'Hi', reasoning: { conversation_id: 'c' } },
  ],
  [
    '/v1/messages',
    'messages[0].conversation',
    {
      model: 'compatible/m',
      max_tokens: 9,
      messages: [{ ...messages[0], conversation: { id: 'c' } }],
    },
  ],
  [
    gemini(model, 'generateContent'),
    'generationConfig.previousInteractionId',
    { contents, generationConfig: { previousInteractionId: 'i' } },
  ],
  [
    gemini(model, 'countTokens'),
    'generateContentRequest.continuationToken',
    { generateContentRequest: { contents, continuationToken: 't' } },
  ],
]

test.each(inside)('%s: rejects %s and names its path', async (path, param, body) => {
  const { status, text } = await post(path, body)
  expect([status, text]).toEqual([400, expect.stringContaining(param)])
})

test('drops and reports such fields if the operator asks for that', async () => {
  const { status, headers } = await post(
    '/v1/chat/completions',
    { model, messages, conversation_id: 'c', attachments: ['f'] },
    'report',
  )
  expect(status).toBe(200)
  expect(headers.get('x-sluice-dropped')).toBe('conversation_id, attachments')
})

test('passes such fields to an upstream of the caller’s format', async () => {
  const own = {
    conversation: 'c',
    session: { id: 's' },
    attachments: ['f'],
    extra_body: { thread: 't' },
  }
  expect(
    (await post('/v1/chat/completions', { model: 'compatible/m', messages, ...own })).status,
  ).toBe(200)
  expect(compatible.seen.at(-1)?.body).toMatchObject(own)
})

describe('fields that no operation has', () => {
  const picture = { model: 'builtin-image', prompt: 'A red circle', size: '64x64' }
  const refused: readonly (readonly [string, object, object])[] = [
    ['/v1/images/generations', picture, { svg: { model: 'x' } }],
    ['/v1/images/generations', picture, { frame_count: 4 }],
    ['/v1/chat/completions', { model, messages }, { moderation: { model: 'x' } }],
    [
      '/v1/messages',
      { model: 'builtin-chat', max_tokens: 9, messages },
      { compaction: { type: 'x' } },
    ],
    [
      '/v1/messages',
      { model: 'builtin-chat', max_tokens: 9, messages },
      { billing_policy: { type: 'billing_policy', bill_to: 'user_profile' } },
    ],
    [gemini('builtin-chat', 'generateContent'), { contents }, { continuationToken: 'dG9rZW4=' }],
    [gemini('builtin-chat', 'generateContent'), { contents }, { model_armor_config: { a: 'b' } }],
  ]
  test.each(refused)(
    '%s %j: rejects %j, which changes the meaning',
    async (path, body, further) => {
      const { status, text } = await post(path, { ...body, ...further })
      expect([status, text]).toEqual([400, expect.stringContaining(Object.keys(further)[0] ?? '')])
    },
  )

  const advice: readonly (readonly [string, object, object, string])[] = [
    [
      '/v1/images/generations',
      picture,
      { complexity: 'high', safety_identifier: 'u' },
      'complexity, safety_identifier',
    ],
    [
      '/v1/chat/completions',
      { model, messages },
      { prompt_cache_options: { mode: 'explicit' } },
      'prompt_cache_options',
    ],
    [
      '/v1/messages',
      { model: 'builtin-chat', max_tokens: 9, messages },
      {
        diagnostics: { previous_message_id: 'msg_1' },
        fallbacks: 'default',
        fallback_credit_token: 't',
        billing_policy: { type: 'billing_policy', bill_to: 'self' },
        speed: 'fast',
        context_management: { edits: [] },
      },
      'context_management, speed, diagnostics, fallbacks, fallback_credit_token',
    ],
    [
      '/v1/responses',
      { model, input: 'Hi' },
      {
        access_programs: { cyber: 'standard' },
        background_options: { a: 'b' },
        image: { context_compression: 'auto' },
        prompt_cache_options: { mode: 'implicit' },
      },
      'background_options, access_programs, prompt_cache_options, image',
    ],
    [
      gemini('builtin-chat', 'generateContent'),
      { contents },
      { generationConfig: { routingConfig: { autoMode: {} }, model_selection_config: { a: 'b' } } },
      'generationConfig.routingConfig, generationConfig.model_selection_config',
    ],
  ]
  test.each(advice)(
    '%s %j: drops and reports %j, which is only advice',
    async (path, body, further, dropped) => {
      const { status, headers } = await post(path, { ...body, ...further })
      expect([status, headers.get('x-sluice-dropped')]).toEqual([200, dropped])
    },
  )
})
