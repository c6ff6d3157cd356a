// If caller and upstream use the same format, the bytes pass unchanged except for the model name.
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { inFrontOf, type Through } from '../../support/gateways/scripted-gateway.ts'

interface Pair {
  readonly name: string
  readonly type: 'anthropic' | 'gemini' | 'openai'
  readonly path: (model: string) => string
  readonly upstreamPath: string
  readonly request: (model: string) => string
  readonly answer: string
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
}

// White space, key order, doubled keys, numbers no double holds and fields nobody knows: a codec would lose each.
const odd = `"zeta":{"b":1.50,"a":[ 9007199254740993 , 1E2]},\r\n\t"new_field" : null, "größe":"\\u00fc🗼\\/"`
const answerOf = (known: string) =>
  `\n{ "extra":123456789012345678901234567890, ${known} ,${odd} }\n`

const chatRequest = (model: string, further = '') =>
  `{ ${odd},"messages":[ {"content":"Hi","role":"user","mood" : 1.0} ],${further} "model" : ${JSON.stringify(model)}}`
const contents = `{"contents":[{"parts":[{"text":"Hi","mood":1.0}]}], ${odd}}`
const responsesRequest = (model: string, further = '') =>
  `{"input":[{"role":"user","content":"Hi","mood":1.0}], ${odd},${further}"model":${JSON.stringify(model)} }`
const messagesRequest = (model: string, further = '') =>
  `{"max_tokens":64,"model":${JSON.stringify(model)},${further}\n"messages":[{"role":"user","content":"Hi","mood":1.0}],${odd}}`

const anthropicHeaders = {
  'anthropic-version': '2023-06-01',
  'anthropic-beta': 'interleaved-thinking-2025-05-14,context-management-2025-06-27',
}

const whole: readonly Pair[] = [
  {
    name: 'messages',
    type: 'anthropic',
    path: () => '/v1/messages?beta=true',
    upstreamPath: '/v1/messages?beta=true',
    request: messagesRequest,
    answer: answerOf(
      '"id":"msg_1","type":"message","role":"assistant","content":[{"type":"new_block","of":1}],"usage":{"input_tokens":7,"output_tokens":3}',
    ),
    headers: anthropicHeaders,
  },
  {
    name: 'messages/count_tokens',
    type: 'anthropic',
    path: () => '/v1/messages/count_tokens',
    upstreamPath: '/v1/messages/count_tokens',
    request: (model) => messagesRequest(model).replace('"max_tokens":64,', ''),
    answer: answerOf('"input_tokens":12'),
    headers: anthropicHeaders,
  },
  {
    name: 'responses/input_tokens',
    type: 'openai',
    path: () => '/v1/responses/input_tokens',
    upstreamPath: '/v1/responses/input_tokens',
    request: (model) => responsesRequest(model, '"personality":"friendly",'),
    answer: answerOf('"object":"response.input_tokens","input_tokens":12'),
  },
  {
    name: 'generateContent',
    type: 'gemini',
    path: (model) => `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
    upstreamPath: '/v1beta/models/m:generateContent',
    request: () => contents,
    answer: answerOf(
      '"candidates":[{"content":{"parts":[{"newPart":{}}],"role":"model"},"finishReason":"NEW"}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3}',
    ),
  },
  {
    name: 'countTokens',
    type: 'gemini',
    path: (model) => `/v1beta/models/${encodeURIComponent(model)}:countTokens`,
    upstreamPath: '/v1beta/models/m:countTokens',
    request: () => contents,
    answer: answerOf('"totalTokens":12'),
  },
  {
    name: 'embedContent',
    type: 'gemini',
    path: (model) => `/v1beta/models/${encodeURIComponent(model)}:embedContent`,
    upstreamPath: '/v1beta/models/m:embedContent',
    request: (model) => `{ "content":{"parts":[{"text":"Hi"}]},"model":"models/${model}", ${odd}}`,
    answer: answerOf('"embedding":{"values":[0.10,-1e-3]}'),
  },
  {
    name: 'batchEmbedContents',
    type: 'gemini',
    path: (model) => `/v1beta/models/${encodeURIComponent(model)}:batchEmbedContents`,
    upstreamPath: '/v1beta/models/m:batchEmbedContents',
    request: (model) =>
      `{ ${odd}, "requests":[ {"content":{"parts":[{"text":"Hi"}]}, "model":"models/${model}"} ,{"model" : "models/${model}","content":{"parts":[{"text":"Ho"}]},${odd} } ]}`,
    answer: answerOf('"embeddings":[{"values":[0.10]},{"values":[1]}]'),
  },
  {
    name: 'responses',
    type: 'openai',
    path: () => '/v1/responses',
    upstreamPath: '/v1/responses',
    request: responsesRequest,
    answer: answerOf(
      '"id":"resp_1","object":"response","output":[{"type":"new_item"}],"usage":{"input_tokens":7,"output_tokens":3}',
    ),
    headers: { 'openai-beta': 'responses=experimental' },
  },
  {
    name: 'chat/completions',
    type: 'openai',
    path: () => '/v1/chat/completions',
    upstreamPath: '/v1/chat/completions',
    request: chatRequest,
    answer: answerOf(
      '"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"Hi","new":1},"finish_reason":"new"}],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}',
    ),
  },
  {
    name: 'completions',
    type: 'openai',
    path: () => '/v1/completions',
    upstreamPath: '/v1/completions',
    request: (model) => `{ ${odd},"prompt":"Hi" ,"model":${JSON.stringify(model)}}`,
    answer: answerOf('"id":"c","choices":[{"index":0,"text":"Ho","finish_reason":"stop"}]'),
  },
  {
    name: 'embeddings',
    type: 'openai',
    path: () => '/v1/embeddings',
    upstreamPath: '/v1/embeddings',
    request: (model) => `{ ${odd},"input":["Hi"],"model":${JSON.stringify(model)}}`,
    answer: answerOf(
      '"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.10,-1e-3]}],"usage":{"prompt_tokens":2,"total_tokens":2}',
    ),
  },
  {
    name: 'moderations',
    type: 'openai',
    path: () => '/v1/moderations',
    upstreamPath: '/v1/moderations',
    request: (model) => `{ ${odd},"input":["Hi"],"model":${JSON.stringify(model)}}`,
    answer: answerOf('"id":"modr_1","results":[{"flagged":false,"categories":{},"new":1}]'),
  },
]

const named = (type: string, rest: string, end = '\n') =>
  `event: ${type}${end}data: {"type":"${type}",${rest}, ${odd.replace(/\s+/g, ' ')}}${end}${end}`

const streamed: readonly Pair[] = [
  {
    name: 'messages',
    type: 'anthropic',
    path: () => '/v1/messages',
    upstreamPath: '/v1/messages',
    request: (model) => messagesRequest(model, '"stream" : true,'),
    headers: anthropicHeaders,
    answer: [
      ': first comment\n\n',
      'retry: 3000\nid: 1\n\n',
      named('message_start', '"message":{"id":"msg_1","usage":{"input_tokens":7}}'),
      named('new_event', '"n":1'),
      'event: ping\ndata: {"type": "ping"}\n\n',
      named('content_block_start', '"index":0,"content_block":{"type":"text","text":""}'),
      `id: 2\n${named('content_block_delta', '"index":0,"delta":{"type":"text_delta","text":"Hi"}')}`,
      ':\n\n',
      named('content_block_delta', '"index":0,"delta":{"type":"new_delta","x":1}', '\r\n'),
      named('content_block_stop', '"index":0'),
      named('message_delta', '"delta":{"stop_reason":"new"},"usage":{"output_tokens":3}'),
      named('message_stop', '"x":1'),
    ].join(''),
  },
  {
    name: 'streamGenerateContent as events',
    type: 'gemini',
    path: (model) =>
      `/v1beta/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse&x=%20`,
    upstreamPath: '/v1beta/models/m:streamGenerateContent?alt=sse&x=%20',
    request: () => contents,
    answer: [
      ': comment\r\n\r\n',
      'data: {"candidates": [{"content": {"parts": [{"text": "Hi"}]}}],"new":1.0}\r\n\r\n',
      'id: 7\ndata: {"newKind":9007199254740993}\r\n\r\n',
      'data: {"candidates":[{"finishReason":"STOP"}],\ndata: "usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3}}\n\n',
    ].join(''),
  },
  {
    name: 'streamGenerateContent as an array',
    type: 'gemini',
    path: (model) => `/v1beta/models/${encodeURIComponent(model)}:streamGenerateContent`,
    upstreamPath: '/v1beta/models/m:streamGenerateContent',
    request: () => contents,
    contentType: 'application/json; charset=UTF-8',
    answer:
      ' [{\n  "candidates": [{"content": {"parts": [{"text": "[Hi,\\"]"}]}}],"new":1.0}\n,\r\n{"newKind":9007199254740993} ,{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3}}\n]\n',
  },
  {
    name: 'responses',
    type: 'openai',
    path: () => '/v1/responses',
    upstreamPath: '/v1/responses',
    request: (model) => responsesRequest(model, '"stream" : true,"store":false,'),
    answer: [
      named('response.created', '"response":{"id":"resp_1"},"sequence_number":0'),
      ': comment\n\n',
      'retry: 10\n\n',
      named('response.new_event', '"sequence_number":1'),
      named('response.output_text.delta', '"delta":"Hi","sequence_number":2,"obfuscation":"x"'),
      named(
        'response.completed',
        '"response":{"id":"resp_1","usage":{"input_tokens":7,"output_tokens":3}},"sequence_number":3',
      ),
    ].join(''),
  },
  {
    name: 'chat/completions',
    type: 'openai',
    path: () => '/v1/chat/completions',
    upstreamPath: '/v1/chat/completions',
    request: (model) =>
      chatRequest(model, '"stream":true , "stream_options":{"include_usage":true,"new":1},'),
    answer: [
      ': OPENROUTER PROCESSING\n\n',
      'data: {"choices":[],"prompt_filter_results":[{"x":1.0}]}\n\n',
      'id: 1\nevent: chunk\ndata: {"choices":[{"index":0,"delta":{"content":"Hi","new":1}}], "obfuscation":"x"}\n\n',
      'retry: 5\n\n',
      'data: {"choices":[{"index":0,"delta":{},"finish_reason":"new"}]}\r\n\r\n',
      'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10,"cost":0.10}}\n\n',
      'data: [DONE]\n\n',
    ].join(''),
  },
]

function inPieces(response: ServerResponse, text: string, size: number): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) response.write(bytes.subarray(at, at + size))
  response.end()
}

async function pass({ gateway, model }: Through, { path, request, headers = {} }: Pair) {
  return gateway.request(path(model), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-unknown': 'x', cookie: 'a=b', ...headers },
    body: request(model),
  })
}

function expectPassed({ upstream }: Through, { upstreamPath, request, headers = {} }: Pair): void {
  expect(upstream.seen.map(({ path }) => path)).toEqual([upstreamPath])
  expect(upstream.seen[0]?.text).toBe(request('m'))
  expect(upstream.seen[0]?.headers).toMatchObject(headers)
  expect(upstream.seen[0]?.headers).not.toHaveProperty('cookie')
  expect(upstream.seen[0]?.headers).not.toHaveProperty('x-unknown')
}

describe('passes whole answers unchanged', () => {
  test.each(whole)('$name', async (pair) => {
    const { type, answer } = pair
    await using stage = await inFrontOf(type, (_seen, response) => {
      response.writeHead(200, { 'content-type': 'application/json; x=y' })
      response.end(answer)
    })
    const passed = await pass(stage, pair)
    expect(passed.status).toBe(200)
    expect(passed.headers.get('content-type')).toBe('application/json; x=y')
    expect(await passed.text()).toBe(answer)
    expectPassed(stage, pair)
  })
})

describe('passes streams unchanged', () => {
  test.each(streamed)('$name', async (pair) => {
    const { type, answer, contentType = 'text/event-stream; x=y' } = pair
    let size = 7
    await using stage = await inFrontOf(type, (_seen, response) => {
      response.writeHead(200, { 'content-type': contentType })
      inPieces(response, answer, size)
    })
    const passed = await pass(stage, pair)
    expect(passed.status).toBe(200)
    expect(passed.headers.get('content-type')).toBe(contentType)
    expect(await passed.text()).toBe(answer)
    expectPassed(stage, pair)
    size = 100_000
    expect(await (await pass(stage, pair)).text()).toBe(answer)
    const { store } = stage.gateway.gateway
    await store.flush()
    const used = { outcome: 'completed', inputTokens: 7, outputTokens: 3, reported: true }
    expect(await store.listUsage({ limit: 9 })).toMatchObject([used, used])
  })
})

test('a passed-through response can be retrieved with exact digits', async () => {
  const answer =
    '{"id":"resp_9","object":"response","output":[{"id":"x","type":"new_item","n":9007199254740993}],"previous_response_id":null}'
  await using stage = await inFrontOf('openai', (_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(answer)
  })
  const { gateway, model, upstream } = stage
  await gateway.post('/v1/responses', { model, input: 'Hi' })
  expect(await (await gateway.request('/v1/responses/resp_9')).text()).toBe(answer)
  // Its upstream made it, so that it is left to the upstream to remember.
  await gateway.post('/v1/responses', { model, input: 'Ho', previous_response_id: 'resp_9' })
  expect(upstream.seen.at(-1)?.body).toEqual({
    model: 'm',
    input: 'Ho',
    previous_response_id: 'resp_9',
  })
})
