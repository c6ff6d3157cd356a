import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { codecContext } from '../../../../test/support/codec-context.ts'
import type { ChatRequest } from '../../../contract/src/operations/chat-request.ts'
import type { AiSdkContext, AiSdkProvider } from '../../src/ai-sdk/context.ts'
import { openAiSdkProvider } from '../../src/ai-sdk/open-provider.ts'

interface Seen {
  readonly path: string
  readonly body: Record<string, unknown>
}

const seen: Seen[] = []
let answer: (request: Seen, response: ServerResponse) => void
let server: Server
let provider: AiSdkProvider

beforeAll(async () => {
  server = createServer((request, response) => {
    void respond(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  provider = await openAiSdkProvider({
    package: '@ai-sdk/openai',
    export: 'createChat',
    options: { apiKey: 'k', baseURL: `http://127.0.0.1:${port}/v1` },
    // OpenAI's package speaks Responses by default; here its chat models stand for any other package's.
    importModule: async (name) => {
      const { createOpenAI } = (await import(name)) as typeof import('@ai-sdk/openai')
      return {
        createChat(options: Parameters<typeof createOpenAI>[0]) {
          const openai = createOpenAI(options)
          return { ...openai, languageModel: (id: string) => openai.chat(id) }
        },
      }
    },
  })
})

afterAll(() => {
  server.close()
})

beforeEach(() => {
  seen.length = 0
})

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const text = Buffer.concat(pieces).toString()
  const isJson = request.headers['content-type']?.includes('json') === true
  const one = {
    path: request.url ?? '',
    body: isJson ? (JSON.parse(text) as Record<string, unknown>) : { text },
  }
  seen.push(one)
  answer(one, response)
}

function json(body: unknown, status = 200) {
  return (_request: Seen, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
}

function sse(events: readonly object[], end = 'data: [DONE]\n\n') {
  return (_request: Seen, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') + end)
  }
}

function context(given: Partial<AiSdkContext> = {}): AiSdkContext {
  const { now, newId, unsupported, leftOut } = codecContext()
  return {
    model: 'public',
    target: 'gpt-x',
    signal: new AbortController().signal,
    now,
    newId,
    unsupported,
    leftOut,
    fetchMedia: () => Promise.reject(new Error('nothing is downloaded here')),
    ...given,
  }
}

const request: ChatRequest = { model: 'public', messages: [{ role: 'user', content: 'hi' }] }
const completion = (message: object, finish: string) => ({
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-x',
  choices: [
    { index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: finish },
  ],
  usage: {
    prompt_tokens: 9,
    completion_tokens: 4,
    total_tokens: 13,
    prompt_tokens_details: { cached_tokens: 3 },
  },
})
const chunk = (delta: object, finish: string | null = null) => ({
  id: 'x',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'gpt-x',
  choices: [{ index: 0, delta, finish_reason: finish }],
})
const piece = (index: number, call: object) => chunk({ tool_calls: [{ index, ...call }] })

async function events(fields: Partial<ChatRequest> = {}) {
  const result = await provider.chat!({ ...request, stream: true, ...fields }, context())
  if (result.kind !== 'events') throw new Error('not streamed')
  const steps = []
  for await (const step of result.events) steps.push(step)
  return {
    choices: steps.flatMap((step) => ('event' in step ? step.event.choices : [])),
    usage: steps.flatMap((step) => ('usage' in step ? [step.usage] : [])).at(-1),
  }
}

describe('chat through an AI SDK package', () => {
  it('sends the request and answers in the canonical form', async () => {
    answer = json(completion({ content: 'Hello.' }, 'length'))
    const result = await provider.chat!(
      {
        model: 'public',
        messages: [
          { role: 'system', content: 'Be brief.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Look.' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            ],
          },
        ],
        max_completion_tokens: 7,
        stop: ['END'],
        seed: 3,
        temperature: 0.5,
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'x', schema: { type: 'object', properties: {} } },
        },
      },
      context(),
    )
    expect(seen[0]).toMatchObject({
      path: '/v1/chat/completions',
      body: {
        model: 'gpt-x',
        max_tokens: 7,
        stop: ['END'],
        seed: 3,
        temperature: 0.5,
        response_format: { type: 'json_schema' },
        messages: [
          { role: 'system', content: 'Be brief.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Look.' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            ],
          },
        ],
      },
    })
    expect(result).toMatchObject({
      kind: 'reply',
      reply: {
        model: 'public',
        object: 'chat.completion',
        choices: [
          {
            message: { content: 'Hello.', refusal: null },
            finish_reason: 'length',
            logprobs: null,
          },
        ],
        usage: { prompt_tokens: 9, completion_tokens: 4 },
      },
      usage: { inputTokens: 9, outputTokens: 4, cachedInputTokens: 3 },
    })
  })

  it('runs a tool loop', async () => {
    const called = {
      id: 'call_1',
      type: 'function',
      function: { name: 'f', arguments: '{"a":1}' },
    } as const
    answer = json(completion({ tool_calls: [called] }, 'tool_calls'))
    const tools: ChatRequest['tools'] = [{ type: 'function', function: { name: 'f' } }]
    const first = await provider.chat!({ ...request, tools, tool_choice: 'required' }, context())
    if (first.kind !== 'reply') throw new Error('not whole')
    const { message, finish_reason: finish } = first.reply.choices[0]!
    expect(message).toEqual({
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [called],
    })
    expect(finish).toBe('tool_calls')
    expect(seen[0]?.body['tool_choice']).toBe('required')

    await provider.chat!(
      {
        ...request,
        messages: [
          ...request.messages,
          { role: 'assistant', content: null, tool_calls: [called] },
          { role: 'tool', tool_call_id: 'call_1', content: '21' },
        ],
        tools,
      },
      context(),
    )
    expect((seen[1]!.body['messages'] as object[]).slice(1)).toEqual([
      expect.objectContaining({ role: 'assistant', tool_calls: [called] }),
      { role: 'tool', tool_call_id: 'call_1', content: '21' },
    ])
  })

  it('streams the role, text and usage', async () => {
    answer = sse([
      chunk({ role: 'assistant', content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({}, 'stop'),
      {
        ...chunk({}),
        choices: [],
        usage: { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 },
      },
    ])
    const { choices, usage } = await events()
    expect(choices[0]?.delta).toEqual({ role: 'assistant', content: '' })
    expect(choices.map(({ delta }) => delta.content ?? '').join('')).toBe('Hello')
    expect(choices.at(-1)?.finish_reason).toBe('stop')
    expect(usage).toMatchObject({ inputTokens: 2, outputTokens: 1 })
  })

  it('streams parallel calls under their own indexes', async () => {
    answer = sse([
      piece(0, { id: 'a', type: 'function', function: { name: 'f', arguments: '' } }),
      piece(0, { function: { arguments: '{"x":' } }),
      piece(0, { function: { arguments: '1}' } }),
      piece(1, { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } }),
      chunk({}, 'tool_calls'),
    ])
    const { choices } = await events()
    const calls = choices.flatMap(({ delta }) => delta.tool_calls ?? [])
    const of = (slot: number) => calls.filter(({ index }) => index === slot)
    expect([of(0)[0]?.function?.name, of(1)[0]?.function?.name]).toEqual(['f', 'g'])
    expect(
      of(0)
        .map((call) => call.function?.arguments ?? '')
        .join(''),
    ).toBe('{"x":1}')
    expect(
      of(1)
        .map((call) => call.function?.arguments ?? '')
        .join(''),
    ).toBe('{}')
    expect(choices.at(-1)?.finish_reason).toBe('tool_calls')
  })

  it('reports a cut stream without a finish reason', async () => {
    answer = sse([chunk({ role: 'assistant', content: 'Hel' })], '')
    await expect(events()).rejects.toMatchObject({ code: 'upstream_cut' })
  })

  it.each([
    [401, 'upstream_refused_us'],
    [400, 'upstream_rejected'],
    [429, 'upstream_rate_limited'],
    [503, 'upstream_unavailable'],
  ])('maps status %i to %s', async (status, code) => {
    answer = json({ error: { message: 'no', type: 't', param: null, code: null } }, status)
    await expect(provider.chat!(request, context())).rejects.toMatchObject({ code })
  })

  it.each<[string, Partial<ChatRequest>]>([
    ['n', { n: 2 }],
    ['logit_bias', { logit_bias: { '1': 1 } }],
    ['logprobs', { logprobs: true }],
  ])('rejects %s, which the specification lacks', async (param, fields) => {
    await expect(provider.chat!({ ...request, ...fields }, context())).rejects.toMatchObject({
      code: 'unsupported_parameter',
      details: { param },
    })
    expect(seen).toHaveLength(0)
  })

  it('reports fields that the model dropped', async () => {
    answer = json(completion({ content: 'x' }, 'stop'))
    const dropped: string[] = []
    const given = { target: 'o3' }
    const asked = { ...request, temperature: 0.5 }
    const leftOut = (param: string) => void dropped.push(param)
    await provider.chat!(asked, context({ ...given, leftOut }))
    expect(dropped).toEqual(['temperature'])
  })

  it.each<[string, Partial<ChatRequest>]>([
    ['parallel_tool_calls', { parallel_tool_calls: false }],
    ['user', { user: 'u' }],
    // The specification has a word for it, but the model warns that it has none.
    ['top_k', { top_k: 5 }],
  ])('drops and reports %s', async (param, fields) => {
    answer = json(completion({ content: 'x' }, 'stop'))
    const dropped: string[] = []
    const leftOut = (path: string) => void dropped.push(path)
    await provider.chat!({ ...request, ...fields }, context({ leftOut }))
    expect(dropped).toEqual([param])
  })
})

describe('other operations through an AI SDK package', () => {
  it('embeds', async () => {
    answer = json({ data: [{ embedding: [0.5, 1] }], usage: { prompt_tokens: 3 } })
    const result = await provider.embed!(
      { model: 'public', input: 'a', encoding_format: 'base64' },
      context(),
    )
    if (result.kind !== 'reply') throw new Error('not whole')
    const bytes = Buffer.from(result.reply.data[0]!.embedding as string, 'base64')
    expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([0.5, 1])
    expect(result.usage.inputTokens).toBe(3)
  })

  it('creates images', async () => {
    answer = json({ created: 1, data: [{ b64_json: 'AAAA' }] })
    const result = await provider.createImage!(
      { model: 'public', prompt: 'a cat', size: '1024x1024' },
      context(),
    )
    expect(result).toMatchObject({
      reply: { data: [{ url: null, b64_json: 'AAAA', revised_prompt: null }] },
    })
    expect(seen[0]?.body).toMatchObject({ prompt: 'a cat', n: 1, size: '1024x1024' })
  })

  it('transcribes, as JSON and as subtitles', async () => {
    answer = json({
      text: 'One. Two.',
      language: 'english',
      duration: 2,
      segments: [
        {
          id: 0,
          seek: 0,
          start: 0,
          end: 2,
          text: 'One. Two.',
          tokens: [],
          temperature: 0,
          avg_logprob: 0,
          compression_ratio: 1,
          no_speech_prob: 0,
        },
      ],
    })
    const file = { filename: 'a.wav', contentType: 'audio/wav', bytes: new Uint8Array([1, 2]) }
    const whole = await provider.transcribe!({ model: 'public', file }, context())
    expect(whole).toMatchObject({ reply: { text: 'One. Two.' } })
    const titles = await provider.transcribe!(
      { model: 'public', file, response_format: 'srt' },
      context(),
    )
    if (titles.kind !== 'bytes') throw new Error('no subtitles')
    const pieces = []
    for await (const bytes of titles.body) pieces.push(bytes)
    expect(Buffer.concat(pieces).toString()).toBe('1\n00:00:00,000 --> 00:00:02,000\nOne. Two.\n\n')
  })

  it('speaks', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(Buffer.from([1, 2, 3]))
    }
    const result = await provider.speak!(
      { model: 'public', input: 'Hi', voice: 'alloy' },
      context(),
    )
    expect(result).toMatchObject({ kind: 'bytes', contentType: 'audio/mpeg', length: 3 })
  })
})
