import { afterAll, beforeAll, expect, it } from 'vitest'
import { awsFrame, converseFrames } from '../../support/fakes/aws-frames.ts'
import { type FakeUpstream, fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { type Started, start } from '../../support/start.ts'

let upstream: FakeUpstream
let sluice: Started

beforeAll(async () => {
  upstream = await fakeUpstream(() => {})
  const { url: baseUrl } = upstream
  sluice = await start({
    providers: {
      'amazon-bedrock': { key: 'AKIDEXAMPLE:secret', region: 'eu-central-1', baseUrl },
      deepgram: { key: 'dg', baseUrl },
      alibaba: { key: 'ds', baseUrl },
      cohere: { key: 'co', baseUrl },
    },
  })
})

afterAll(async () => {
  await sluice[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

function json(body: object) {
  upstream.answer((_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
}

const last = () => upstream.seen.at(-1)!
const claude = 'amazon-bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0'
const messages = [{ role: 'user', content: 'hi' }]

const beginning = [
  '{"messageStart":{"role":"assistant"}}',
  '{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"Hel"}}}',
]
const rest = [
  '{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"lo"}}}',
  '{"contentBlockStop":{"contentBlockIndex":0}}',
  '{"messageStop":{"stopReason":"end_turn"}}',
  '{"metadata":{"usage":{"inputTokens":3,"outputTokens":2,"totalTokens":5}}}',
]

async function streamed(bytes: Uint8Array): Promise<string> {
  upstream.answer((_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
    response.end(bytes)
  })
  const response = await sluice.post('/v1/chat/completions', {
    model: claude,
    messages,
    stream: true,
    stream_options: { include_usage: true },
  })
  return response.text()
}

const dataOf = (text: string) =>
  [...text.matchAll(/^data: (\{.*\})$/gm)].map(
    ([, data]) => JSON.parse(data!) as Record<string, never>,
  )

it('streams from Bedrock’s binary event stream with signed requests', async () => {
  const text = await streamed(converseFrames([...beginning, ...rest]))
  const chunks = dataOf(text) as unknown as {
    choices: { delta: { content?: string } }[]
    usage: unknown
  }[]
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Hello')
  expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 2 })
  expect(text.trimEnd()).toMatch(/data: \[DONE\]$/)
  expect(last().path).toBe(
    `/model/${encodeURIComponent('anthropic.claude-sonnet-4-5-20250929-v1:0')}/converse-stream`,
  )
  expect(last().headers['authorization']).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/bedrock\/aws4_request, /,
  )
})

it('an exception in Bedrock’s event stream ends with an error and without finish_reason', async () => {
  const exception = awsFrame(
    { ':message-type': 'exception', ':exception-type': 'modelStreamErrorException' },
    '{"message":"it broke"}',
  )
  const text = await streamed(Buffer.concat([converseFrames(beginning), exception]))
  expect(text).toContain('it broke')
  expect(text).not.toContain('[DONE]')
  expect(text).not.toContain('"finish_reason":"stop"')
})

it('a Bedrock stream that breaks between frames ends with an error', async () => {
  const text = await streamed(converseFrames(beginning))
  expect(text).toContain('stream_interrupted')
  expect(text).not.toContain('[DONE]')
})

it('converts Deepgram’s utterances to subtitles', async () => {
  json({
    metadata: { duration: 1.5 },
    results: {
      channels: [{ alternatives: [{ transcript: 'Hello there.', words: [] }] }],
      utterances: [{ start: 0, end: 1.5, transcript: 'Hello there.' }],
    },
  })
  const form = new FormData()
  form.set('file', new File([new Uint8Array([1, 2, 3])], 'a.wav', { type: 'audio/wav' }))
  form.set('model', 'deepgram/nova-3')
  form.set('response_format', 'srt')
  const response = await sluice.request('/v1/audio/transcriptions', {
    method: 'POST',
    body: form,
  })
  expect(response.headers.get('content-type')).toContain('text/plain')
  expect(await response.text()).toBe('1\n00:00:00,000 --> 00:00:01,500\nHello there.\n\n')
  expect(last().headers).toMatchObject({ authorization: 'Token dg', 'content-type': 'audio/wav' })
  expect(last().text).toBe('\u0001\u0002\u0003')
})

it('passes the contract’s image edit to DashScope unchanged and returns every image', async () => {
  json({
    output: {
      choices: [
        { message: { content: [{ image: 'https://a/1.png' }, { image: 'https://a/2.png' }] } },
      ],
    },
    usage: { image_count: 2, width: 1024, height: 768 },
  })
  const input = {
    messages: [{ role: 'user', content: [{ image: 'https://x/y.png' }, { text: 'Make it blue' }] }],
  }
  const parameters = { n: 2, negative_prompt: 'red', prompt_extend: false, watermark: true }
  const response = await sluice.post('/v1/images/edits', {
    model: 'alibaba/qwen-image-edit-plus',
    input,
    parameters,
  })
  expect(await response.json()).toMatchObject({
    data: [
      { url: 'https://a/1.png', b64_json: null, revised_prompt: null },
      { url: 'https://a/2.png', b64_json: null, revised_prompt: null },
    ],
  })
  expect(last().body).toEqual({ model: 'qwen-image-edit-plus', input, parameters })
})

it('asks Cohere once for each of n choices', async () => {
  json({
    message: { content: [{ type: 'text', text: 'Hi' }] },
    finish_reason: 'COMPLETE',
    usage: { tokens: { input_tokens: 4, output_tokens: 1 } },
  })
  const before = upstream.seen.length
  const response = await sluice.post('/v1/chat/completions', {
    model: 'cohere/command-a-03-2025',
    messages,
    n: 2,
  })
  expect(await response.json()).toMatchObject({
    choices: [{ index: 0 }, { index: 1 }],
    usage: { prompt_tokens: 4, completion_tokens: 2 },
  })
  expect(upstream.seen.length - before).toBe(2)
})
