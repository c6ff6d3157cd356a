import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { atPath } from '../../support/formats/at-path.ts'
import { type Started, start } from '../../support/start.ts'

let upstream: FakeUpstream
let sluice: Started

beforeAll(async () => {
  upstream = await fakeUpstream((_, response) => json(response, {}))
  const { url: baseUrl } = upstream
  sluice = await start({
    providers: {
      'amazon-bedrock': { key: 'AKIDEXAMPLE:secret', region: 'eu-central-1', baseUrl },
      'google-vertex': { key: 'token', project: 'p1', location: 'europe-west4', baseUrl },
      'google-vertex-anthropic': { key: 'token', project: 'p1', location: 'europe-west4', baseUrl },
      google: { key: 'g', baseUrl },
      anthropic: { key: 'a', baseUrl },
      cohere: { key: 'c', baseUrl },
      drawer: { type: 'openai', key: 'o', baseUrl: `${baseUrl}/v1` },
    },
    defaults: { retries: { attempts: 1 } },
  })
})

afterAll(async () => {
  await sluice[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const user = (content: unknown) => [{ role: 'user', content }]
const sonnet45 = 'amazon-bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0'
const opus46 = 'amazon-bedrock/anthropic.claude-opus-4-6-v1'

/** What reached the upstream, what was left out, and what the caller got; the body is undefined where it was refused. */
async function sent(path: string, body: object) {
  const before = upstream.seen.length
  const response = await sluice.post(path, body)
  const answer = (await response.json()) as { error?: { message?: string; param?: string } }
  const seen = upstream.seen.slice(before)
  return {
    status: response.status,
    path: seen[0]?.path,
    body: seen[0]?.body,
    dropped: response.headers.get('x-sluice-dropped'),
    error: answer.error,
    seen,
  }
}

const chat = (model: string, further: object) =>
  sent('/v1/chat/completions', { model, messages: user('hi'), ...further })

describe('Vertex', () => {
  test.each(['google-vertex/gemini-2.5-flash', 'google-vertex-anthropic/claude-sonnet-4-5'])(
    'reads the region of %s from `location`',
    async (model) => {
      expect((await chat(model, {})).path).toContain('/projects/p1/locations/europe-west4/')
    },
  )
})

describe('output_config.effort of a Messages request', () => {
  const asked = { max_tokens: 500, temperature: 0.5, output_config: { effort: 'low' } }

  it('is sent alone to a Claude on Bedrock that supports it', async () => {
    const { body } = await sent('/v1/messages', { model: opus46, messages: user('hi'), ...asked })
    expect(body).toMatchObject({
      additionalModelRequestFields: { output_config: { effort: 'low' } },
      inferenceConfig: { maxTokens: 500, temperature: 0.5 },
    })
    expect(atPath(body, 'additionalModelRequestFields.thinking')).toBeUndefined()
  })

  it('is dropped for a Claude on Bedrock that lacks it', async () => {
    const { body } = await sent('/v1/messages', { model: sonnet45, messages: user('hi'), ...asked })
    expect(body).not.toHaveProperty('additionalModelRequestFields')
    expect(body).toMatchObject({ inferenceConfig: { maxTokens: 500, temperature: 0.5 } })
  })
})

test('rejects web search for models without it, also with empty options', async () => {
  for (const model of [sonnet45, 'cohere/command-a']) {
    const { status, error } = await chat(model, { web_search_options: {} })
    expect({ status, param: error?.param }).toEqual({ status: 400, param: 'web_search_options' })
    const responses = await sent('/v1/responses', {
      model,
      input: 'hi',
      tools: [{ type: 'web_search' }],
    })
    expect(responses.status).toBe(400)
    const messages = await sent('/v1/messages', {
      model,
      max_tokens: 20,
      messages: user('hi'),
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    })
    expect(messages.error?.message).toContain("'tools[0]' is not supported")
  }
})

describe('a strict tool', () => {
  const parameters = {
    type: 'object',
    properties: {
      tags: { type: 'array', items: { type: 'string', minLength: 2 }, maxItems: 5 },
      kind: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] },
    },
    required: ['tags', 'kind'],
  }
  const tools = [{ type: 'function', function: { name: 'f', strict: true, parameters } }]

  it.each([
    ['anthropic/claude-sonnet-4-5', 'tools.0', 'input_schema'],
    [sonnet45, 'toolConfig.tools.0.toolSpec', 'inputSchema.json'],
  ])('drops schema keywords that %s rejects', async (model, place, schemaIn) => {
    upstream.answer((_, response) =>
      json(response, {
        content: [{ type: 'text', text: 'hi' }],
        stop_reason: 'end_turn',
        output: { message: { content: [{ text: 'hi' }] } },
        stopReason: 'end_turn',
      }),
    )
    const { body, dropped } = await chat(model, { tools })
    upstream.answer((_, response) => json(response, {}))
    for (const path of ['tags.maxItems', 'tags.items.minLength', 'kind.anyOf[0].minimum'])
      expect(dropped).toContain(`tools[0].function.parameters.properties.${path}`)
    const tool = atPath(body, place)
    expect(tool).toMatchObject({ strict: true })
    const schema = atPath(tool, schemaIn)
    expect(JSON.stringify(schema)).not.toMatch(/"(maxItems|minLength|minimum)":/)
    expect(schema).toMatchObject({ additionalProperties: false })
  })

  it('is not strict if its schema cannot be enforced', async () => {
    const free = { type: 'object', properties: {}, additionalProperties: { type: 'string' } }
    const { body } = await chat('anthropic/claude-sonnet-4-5', {
      tools: [{ type: 'function', function: { name: 'f', strict: true, parameters: free } }],
    })
    expect(body?.['tools']).toEqual([{ name: 'f', input_schema: free }])
  })
})

interface Embedded {
  readonly data: readonly { readonly index: number; readonly embedding: readonly number[] }[]
  readonly usage: object
}

describe('embeddings of models that accept one text', () => {
  it('are one call per text, in order', async () => {
    upstream.answer(({ body }, response) => {
      const text = body['inputText'] as string
      json(response, { embedding: [text.length], inputTextTokenCount: 2 })
    })
    const input = ['a', 'bb', 'ccc', 'dddd', 'eeeee', 'ffffff']
    const before = upstream.seen.length
    const model = 'amazon-bedrock/amazon.titan-embed-text-v2:0'
    const response = await sluice.post('/v1/embeddings', { model, input })
    const { data, usage } = (await response.json()) as Embedded
    expect(upstream.seen.length - before).toBe(input.length)
    expect(data.map(({ index, embedding }) => [index, embedding])).toEqual(
      input.map((text, index) => [index, [text.length]]),
    )
    expect(usage).toEqual({ prompt_tokens: 12, total_tokens: 12 })
  })

  it('fail together when one call fails', async () => {
    upstream.answer(({ body }, response) =>
      body['inputText'] === 'c'
        ? json(response, { message: 'no' }, { status: 400 })
        : json(response, { embedding: [1], inputTextTokenCount: 2 }),
    )
    const model = 'amazon-bedrock/amazon.titan-embed-text-v2:0'
    const response = await sluice.post('/v1/embeddings', { model, input: ['a', 'b', 'c', 'd'] })
    expect(response.status).toBe(400)
    await response.text()
  })

  it('of Nova are read in Nova’s format', async () => {
    upstream.answer((_, response) =>
      json(response, { embeddings: [{ embeddingType: 'TEXT', embedding: [0.1, 0.2] }] }),
    )
    const model = 'amazon-bedrock/amazon.nova-2-multimodal-embeddings-v1:0'
    const response = await sluice.post('/v1/embeddings', { model, input: ['hello', 'world'] })
    const { data } = (await response.json()) as Embedded
    expect(data.map(({ embedding }) => embedding)).toEqual([
      [0.1, 0.2],
      [0.1, 0.2],
    ])
    upstream.answer((_, received) => json(received, { embeddings: [{ embedding: [] }] }))
    const empty = await sluice.post('/v1/embeddings', { model, input: 'hello' })
    expect(empty.status).toBe(502)
    await empty.text()
    upstream.answer((_, received) => json(received, {}))
  })
})

const jpg = 'data:image/jpg;base64,/9j/4AAQ'
const pdf = 'data:application/pdf;base64,JVBERi0xLjQK'
/** A gateway's own field, with which a request is translated everywhere. */
const picture = (url: string) =>
  user([{ type: 'image_url', image_url: { url } }]).map((message) => ({
    ...message,
    server_tool_calls: [],
  }))

test.each([
  ['google/gemini-2.5-flash', '"mimeType":"image/jpeg"'],
  ['google-vertex/gemini-2.5-flash', '"mimeType":"image/jpeg"'],
  ['anthropic/claude-sonnet-4-5', '"media_type":"image/jpeg"'],
  [sonnet45, '"format":"jpeg"'],
  ['cohere/command-a-vision', 'data:image/jpeg;base64'],
  ['drawer/m', 'data:image/jpeg;base64'],
])('sends image/jpg as image/jpeg to %s', async (model, words) => {
  const { seen } = await chat(model, { messages: picture(jpg) })
  expect(seen[0]?.text).toContain(words)
  expect(seen[0]?.text).not.toContain('image/jpg')
})

const jpgSource = { type: 'base64', media_type: 'image/jpg', data: '/9j/4AAQ' }
const jpgResult = {
  type: 'tool_result',
  tool_use_id: 't',
  content: [{ type: 'image', source: jpgSource }],
}
const called = {
  type: 'tool_use',
  id: 't',
  name: 'look',
  input: { words: '"media_type":"image/jpg"' },
}
const looked = [
  { role: 'user', content: 'Look' },
  { role: 'assistant', content: [called] },
  { role: 'user', content: [jpgResult] },
]
const jpgPart = { inline_data: { mime_type: 'image/jpg', data: '/9j/4AAQ' } }

test.each([
  ['/v1/messages', { model: 'anthropic/claude-sonnet-4-5', max_tokens: 9, messages: looked }],
  ['/v1/messages/count_tokens', { model: 'anthropic/claude-sonnet-4-5', messages: looked }],
  [
    '/v1beta/models/google%2Fgemini-2.5-flash:generateContent',
    { contents: [{ role: 'user', parts: [{ text: 'See "image/jpg"' }, jpgPart] }] },
  ],
])('sends image/jpg as image/jpeg when bytes pass: %s', async (path, body) => {
  const before = upstream.seen.length
  await (await sluice.post(path, body)).text()
  const sent = JSON.stringify(JSON.parse(upstream.seen[before]!.text))
  const { model: _, ...own } = body as { readonly model?: string }
  // Nothing else is changed, and no text.
  const right = JSON.stringify(own).replace(
    /"(media_type|mime_type)":"image\/jpg"/,
    '"$1":"image/jpeg"',
  )
  expect(sent).toContain(right.slice(1, -1).replace(/^"max_tokens":9,/, ''))
})

test.each([
  ['google/gemini-2.5-flash', '"mimeType":"application/pdf"'],
  ['anthropic/claude-sonnet-4-5', '"type":"document","source":{"type":"base64"'],
  [sonnet45, '"document":{"format":"pdf"'],
  ['drawer/m', '"type":"file","file":{"filename":"document.pdf"'],
])('sends a PDF in an image part as a file to %s', async (model, words) => {
  const { seen } = await chat(model, { messages: picture(pdf) })
  expect(seen[0]?.text).toContain(words)
})

test('derives the type of a file from its name if it has none', async () => {
  const data = `data:application/octet-stream;base64,${Buffer.from('# Hi').toString('base64')}`
  const file = user([{ type: 'file', file: { filename: 'notes.md', file_data: data } }])
  const { seen } = await chat(sonnet45, { messages: file })
  expect(seen[0]?.text).toContain('"document":{"format":"md","name":"notes"')
})

describe('an image in a tool result', () => {
  const messages = [
    { role: 'user', content: 'Look.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    {
      role: 'tool',
      tool_call_id: 'c1',
      content: [
        { type: 'text', text: 'seen' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
      ],
    },
  ]

  it.each([
    ['drawer/m', 'messages.2.content.1.type', 'image_url'],
    ['anthropic/claude-sonnet-4-5', 'messages.2.content.0.content.1.type', 'image'],
    [sonnet45, 'messages.2.content.0.toolResult.content.1.image.format', 'png'],
    ['google/gemini-2.5-flash', 'contents.3.parts.0.inlineData.mimeType', 'image/png'],
  ])('reaches %s', async (model, path, expected) => {
    expect(atPath((await chat(model, { messages })).body, path)).toBe(expected)
  })

  it('follows in a user message for a model that reads only text results', async () => {
    const { body } = await chat('cohere/command-a-vision', { messages })
    expect(atPath(body, 'messages.2')).toMatchObject({ role: 'tool', content: [{ text: 'seen' }] })
    expect(atPath(body, 'messages.3')).toMatchObject({
      role: 'user',
      content: [{ type: 'image_url' }],
    })
  })
})

describe('tools with a JSON response format', () => {
  const asked = {
    tools: [{ type: 'function', function: { name: 'f' } }],
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'n', schema: { type: 'object', properties: { age: {} } } },
    },
  }

  it('are not combined for Gemini 2.5: the schema is in the prompt', async () => {
    const { body } = await chat('google/gemini-2.5-flash', asked)
    expect(body).not.toHaveProperty('generationConfig')
    expect(atPath(body, 'systemInstruction.parts.0.text')).toContain('"properties":{"age":{}}')
  })

  it('are combined for Gemini 3', async () => {
    const { body } = await chat('google/gemini-3-pro-preview', asked)
    expect(atPath(body, 'generationConfig.responseMimeType')).toBe('application/json')
    expect(body).not.toHaveProperty('systemInstruction')
  })

  const { response_format } = asked
  const ownTools: readonly (readonly [string, string, object])[] = [
    ['a search', '/v1/chat/completions', { web_search_options: {}, response_format }],
    [
      'code execution',
      '/v1/messages',
      {
        max_tokens: 20,
        tools: [{ type: 'code_execution_20250825', name: 'code_execution' }],
        output_config: {
          format: { type: 'json_schema', schema: response_format.json_schema.schema },
        },
      },
    ],
  ]

  it.each(ownTools)(
    'are combined for Gemini 3 where the tool is %s of Google’s',
    async (_name, path, further) => {
      const content = { role: 'model', parts: [{ text: '{}' }] }
      upstream.answer((_, response) =>
        json(response, { candidates: [{ content, finishReason: 'STOP' }] }),
      )
      const told = await sent(path, {
        model: 'google-vertex/gemini-2.5-flash',
        messages: user('hi'),
        ...further,
      })
      expect(atPath(told.body, 'generationConfig.responseMimeType')).toBeUndefined()
      expect(atPath(told.body, 'systemInstruction.parts.0.text')).toContain(
        '"properties":{"age":{}}',
      )
      expect(told.dropped).toMatch(/response_format|output_config\.format/)
      const held = await sent(path, {
        model: 'google/gemini-3-pro-preview',
        messages: user('hi'),
        ...further,
      })
      expect(atPath(held.body, 'generationConfig.responseMimeType')).toBe('application/json')
      expect(held.dropped).toBeNull()
      upstream.answer((_, response) => json(response, {}))
    },
  )
})

describe('output modalities with images', () => {
  it('pass to models that support them', async () => {
    const modalities = ['image', 'text']
    expect((await chat('drawer/m', { modalities })).body?.['modalities']).toEqual(modalities)
    const { body } = await chat('google/gemini-2.5-flash-image', { modalities })
    expect(atPath(body, 'generationConfig.responseModalities')).toEqual(['IMAGE', 'TEXT'])
  })

  it('are rejected for models without them', async () => {
    const { error } = await chat('anthropic/claude-sonnet-4-5', { modalities: ['image', 'text'] })
    expect(error?.param).toBe('modalities')
  })
})
