import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silence, sine, wavOf } from '../../../packages/engine/test/audio-sounds.ts'
import { expectContract } from '../../support/formats/contract-shapes.ts'
import { expectOpenAi } from '../../support/formats/openai-schema.ts'
import { type Started, start } from '../../support/start.ts'

/**
 * Every operation of the contract on the built-in engine: the answer has each field of the contract's tables, and the
 * same answer is what OpenAI's own description says.
 */
let gateway: Started
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway[Symbol.asyncDispose]())

async function posted(path: string, body: object): Promise<unknown> {
  const response = await gateway.post(path, body)
  const answer: unknown = await response.json()
  expect({ status: response.status, answer }).toEqual({ status: 200, answer })
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  return answer
}

/** The data lines of a stream, the last of which is `[DONE]`. */
async function streamed(path: string, body: object): Promise<readonly Record<string, unknown>[]> {
  const response = await gateway.post(path, { ...body, stream: true })
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '))
  expect(lines.pop()).toBe('data: [DONE]')
  return lines.map((line) => JSON.parse(line.slice(6)))
}

const ask = (content: unknown, more: object = {}) => ({
  model: 'builtin-chat',
  messages: [{ role: 'user', content }],
  ...more,
})
const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const tool = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}
const sound = wavOf(silence(0.2), sine(440, 0.5), silence(0.2))

describe('chat completions', () => {
  test.each<[string, object]>([
    ['plain', ask('What is 6 times 7?')],
    ['several choices', ask('Name a colour: red, green or blue.', { n: 3, temperature: 1 })],
    ['logprobs', ask('What is 6 times 7?', { logprobs: true, top_logprobs: 3 })],
    [
      'truncated by max_tokens',
      ask('Repeat after me: one two three four', { max_completion_tokens: 1 }),
    ],
    ['stopped by a stop sequence', ask('Repeat after me: one two three four', { stop: ['three'] })],
    ['a tool call', ask('What is the weather in Oslo?', { tools: [tool] })],
    [
      'JSON',
      ask('Ada is 36 years old. Answer in JSON.', { response_format: { type: 'json_object' } }),
    ],
    [
      'message parts',
      ask([
        { type: 'text', text: 'What is in these?' },
        { type: 'image_url', image_url: { url: picture } },
        { type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain;base64,SGVsbG8=' } },
        {
          type: 'input_audio',
          input_audio: { data: Buffer.from(sound).toString('base64'), format: 'wav' },
        },
      ]),
    ],
    [
      'audio',
      ask('Say hello', { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } }),
    ],
    ['a question it cannot answer', ask('Blorgify the snark.')],
    ['reasoning', ask('What is 6 times 7?', { reasoning_effort: 'high' })],
  ])('%s', async (_name, body) => {
    const answer = await posted('/v1/chat/completions', body)
    expectContract('chat', answer)
    expectOpenAi('CreateChatCompletionResponse', answer)
  })

  test.each<[string, object]>([
    ['plain', ask('Count from one to five')],
    ['with usage', ask('What is 6 times 7?', { stream_options: { include_usage: true } })],
    ['several choices', ask('What is 6 times 7?', { n: 2 })],
    ['logprobs', ask('What is 6 times 7?', { logprobs: true, top_logprobs: 2 })],
    ['a tool call', ask('What is the weather in Oslo and Rome?', { tools: [tool] })],
    ['a required tool call', ask('Hello', { tools: [tool], tool_choice: 'required' })],
  ])('streamed: %s', async (_name, body) => {
    const chunks = await streamed('/v1/chat/completions', body)
    for (const chunk of chunks) expectOpenAi('CreateChatCompletionStreamResponse', chunk)
    for (const { id, created, model } of chunks)
      expect(chunks[0]).toMatchObject({ id, created, model })
    const wantsUsage = 'stream_options' in body
    expect(chunks.filter(({ usage }) => usage != null)).toHaveLength(wantsUsage ? 1 : 0)
    expect(chunks.at(-1)?.['choices']).toHaveLength(wantsUsage ? 0 : 1)
  })

  test('answers from the result of a tool', async () => {
    const call = {
      id: 'call_1',
      type: 'function',
      function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
    }
    const answer = await posted('/v1/chat/completions', {
      model: 'builtin-chat',
      tools: [tool],
      messages: [
        { role: 'user', content: 'What is the weather in Oslo?' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: '{"sky":"cloudy"}' },
      ],
    })
    expectContract('chat', answer)
    expect(JSON.stringify(answer)).toContain('cloudy')
  })
})

describe('text completions', () => {
  const cases: [string, object][] = [
    ['a string', { prompt: 'one two three one two' }],
    ['strings', { prompt: ['one two', 'three'], n: 2 }],
    ['token ids', { prompt: [1, 2, 3] }],
    ['lists of token ids', { prompt: [[1, 2], [3]] }],
    ['logprobs', { prompt: 'one two three one two', logprobs: 2 }],
  ]
  test.each(cases)('%s', async (_name, body) => {
    const answer = await posted('/v1/completions', { model: 'builtin-chat', ...body })
    expectContract('completion', answer)
    expectOpenAi('CreateCompletionResponse', answer)
  })

  test('the first logprob of an echo is null', async () => {
    const answer = await posted('/v1/completions', {
      model: 'builtin-chat',
      prompt: 'one two',
      logprobs: 2,
      echo: true,
      max_tokens: 0,
    })
    expectContract('completion', answer)
    expect(answer).toMatchObject({
      choices: [{ text: 'one two', logprobs: { token_logprobs: [null, expect.any(Number)] } }],
    })
  })

  test('streamed', async () => {
    const chunks = await streamed('/v1/completions', {
      model: 'builtin-chat',
      prompt: 'one two three one two',
      stream_options: { include_usage: true },
    })
    expect(chunks.length).toBeGreaterThan(1)
    expectContract('completion', {
      ...chunks.at(-1),
      choices: [{ text: '', index: 0, finish_reason: '' }],
    })
  })
})

describe('embeddings', () => {
  test.each<[string, string, object]>([
    ['a string', '/v1/embeddings', { input: 'water' }],
    ['strings', '/v1/embeddings', { input: ['water', 'fire'], dimensions: 256 }],
    ['token ids', '/v1/embeddings', { input: [1, 2, 3] }],
    ['lists of token ids', '/v1/embeddings', { input: [[1, 2], [3]], dimensions: 3072 }],
    ['the engines path', '/v1/engines/builtin-embed/embeddings', { input: 'water' }],
  ])('%s', async (_name, path, body) => {
    const answer = await posted(path, { model: 'builtin-embed', ...body })
    expectContract('embeddings', answer)
    expectOpenAi('CreateEmbeddingResponse', answer)
  })
})

describe('rerank', () => {
  const body = {
    model: 'builtin-rerank',
    query: 'where do fish live',
    documents: ['Cars drive on roads.', { text: 'Fish live in water.', page: '7' }],
  }
  test('with documents', async () => {
    const answer = await posted('/v1/rerank', body)
    expectContract('rerank', answer)
    expect(answer).toMatchObject({
      results: [
        { index: 1, document: { text: 'Fish live in water.', page: '7' } },
        { index: 0, document: { text: 'Cars drive on roads.' } },
      ],
    })
  })

  test('without documents, limited by top_n', async () => {
    const answer = await posted('/v1/rerank', { ...body, return_documents: false, top_n: 1 })
    expect(answer).toMatchObject({ results: [{ index: 1 }] })
    expect(JSON.stringify(answer)).not.toContain('document"')
  })
})

describe('moderations', () => {
  test.each<[string, unknown, number]>([
    ['a text', 'I will kill you', 1],
    ['texts', ['I will kill you', 'hello'], 2],
    [
      'parts',
      [
        { type: 'text', text: 'hello' },
        { type: 'image_url', image_url: { url: picture } },
      ],
      1,
    ],
  ])('%s', async (_name, input, results) => {
    const answer = (await posted('/v1/moderations', { input })) as {
      results: { categories: object; category_scores: object }[]
    }
    expectContract('moderation', answer)
    expectOpenAi('CreateModerationResponse', answer)
    expect(answer.results).toHaveLength(results)
    for (const { categories, category_scores: scores } of answer.results) {
      expect(Object.keys(categories)).toHaveLength(13)
      expect(Object.keys(scores)).toEqual(Object.keys(categories))
    }
  })
})

describe('transcription and translation', () => {
  async function heard(operation: string, fields: Record<string, string> = {}): Promise<Response> {
    const form = new FormData()
    form.set('file', new File([Buffer.from(sound)], 'tone.wav', { type: 'audio/wav' }))
    form.set('model', 'builtin-transcribe')
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    const response = await gateway.request(`/v1/audio/${operation}`, { method: 'POST', body: form })
    expect(response.status).toBe(200)
    return response
  }

  test.each(['transcriptions', 'translations'])('%s as json', async (operation) => {
    const response = await heard(operation)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    const answer = await response.json()
    expectContract('transcript', answer)
    const name =
      operation === 'translations'
        ? 'CreateTranslationResponseJson'
        : 'CreateTranscriptionResponseJson'
    expectOpenAi(name, answer)
  })

  test('verbose_json with words', async () => {
    const fields = { response_format: 'verbose_json', 'timestamp_granularities[]': 'word' }
    const answer = await (await heard('transcriptions', fields)).json()
    expectContract('transcript', answer)
    expectOpenAi('CreateTranscriptionResponseVerboseJson', answer)
    expect((answer as { words: unknown[] }).words.length).toBeGreaterThan(0)
  })

  test('verbose_json of a translation', async () => {
    const answer = await (await heard('translations', { response_format: 'verbose_json' })).json()
    expectOpenAi('CreateTranslationResponseVerboseJson', answer)
    expect(answer).toMatchObject({ language: 'english' })
  })

  test.each([
    ['text', /^\[.*\]\n$/s],
    ['srt', /^1\n00:00:00,000 --> 00:00:0\d,\d{3}\n/],
    ['vtt', /^WEBVTT\n\n00:00:00\.000 --> /],
  ])('%s', async (format, form) => {
    const response = await heard('transcriptions', { response_format: format })
    expect(response.headers.get('content-type')).toMatch(/^text\//)
    expect(await response.text()).toMatch(form)
  })

  test('streamed', async () => {
    const text = await (await heard('transcriptions', { stream: 'true' })).text()
    const events = text.split('\n').filter((line) => line.startsWith('data: '))
    const parsed = events.map((line) => JSON.parse(line.slice(6)) as { type: string })
    expect(text).not.toContain('[DONE]')
    for (const event of parsed.slice(0, -1)) expectOpenAi('TranscriptTextDeltaEvent', event)
    expectOpenAi('TranscriptTextDoneEvent', parsed.at(-1))
  })
})

test('model lists match the contract and OpenAI’s description', async () => {
  expectContract('models', await (await gateway.request('/v1beta/models')).json())
  const list = (await (await gateway.request('/v1/models')).json()) as { data: unknown[] }
  expectOpenAi('ListModelsResponse', list)
  expectOpenAi('Model', await (await gateway.request('/v1/models/builtin-chat')).json())
})

test('the error body matches the contract and OpenAI’s description', async () => {
  const response = await gateway.post('/v1/chat/completions', { model: 'builtin-chat' })
  const body: unknown = await response.json()
  expectContract('error', body)
  expectOpenAi('ErrorResponse', body)
})

/** Against its own description OpenAI answers `user` and `usage` null, and no cache_write_tokens where there are none. */
function asDescribed(response: unknown): unknown {
  const { user, usage, ...rest } = response as {
    user: unknown
    usage: Record<string, unknown> | null
  }
  const cached = { cached_tokens: 0, cache_write_tokens: 0 }
  expect(user).toBeNull()
  return { ...rest, ...(usage && { usage: { ...usage, input_tokens_details: cached } }) }
}

test('/v1/responses matches OpenAI’s description, whole and streamed', async () => {
  const body = {
    model: 'builtin-chat',
    input: 'What is the weather in Oslo?',
    tools: [{ ...tool.function, type: 'function', strict: true }],
  }
  expectOpenAi('Response', asDescribed(await posted('/v1/responses', body)))
  const events = await gateway.post('/v1/responses', { ...body, stream: true })
  const lines = (await events.text()).split('\n').filter((line) => line.startsWith('data: '))
  expect(lines.length).toBeGreaterThan(6)
  for (const line of lines) {
    const event = JSON.parse(line.slice(6)) as { response?: unknown }
    const { response, ...rest } = event
    expectOpenAi(
      'ResponseStreamEvent',
      response === undefined ? rest : { ...rest, response: asDescribed(response) },
    )
  }
})
