import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Content, GoogleGenAI } from '@google/genai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatContext } from '../../../test/support/codec-context.ts'
import { GatewayError } from '../../contract/src/core/errors.ts'
import { type ChatChunk, type ChatReply, chat } from '../../contract/src/operations/chat.ts'
import type { Message } from '../../contract/src/operations/chat-message.ts'
import { embed } from '../../contract/src/operations/embed.ts'
import type { Step } from '../../contract/src/operations/operation.ts'
import { validate } from '../../contract/src/operations/validate.ts'
import { batchEmbedContents } from '../src/gemini/client/embed.ts'
import { geminiError } from '../src/gemini/client/error.ts'
import {
  countTokens,
  generateContent,
  streamGenerateContent,
} from '../src/gemini/client/formats.ts'

/** Google's own client against a server that answers with what these formats write. */
const formats = { generateContent, streamGenerateContent, countTokens }

const thinking = [{ type: 'thinking' as const, thinking: 'Ask the tool.', signature: 'opaque' }]

/** A model of another provider: asks for the weather with signed reasoning, and insists on getting it back. */
function answerTo(messages: readonly Message[]): ChatReply['choices'][number]['message'] {
  const last = messages.at(-1)
  if (last?.content === 'fail')
    throw new GatewayError('rate_limited', 'Slow down', { retryAfterMs: 1500 })
  if (last?.role !== 'tool')
    return {
      role: 'assistant',
      content: null,
      refusal: null,
      reasoning_content: 'Ask the tool.',
      thinking_blocks: thinking,
      tool_calls: [
        {
          id: 'toolu_1',
          type: 'function',
          function: { name: 'weather', arguments: '{"city":"Zürich"}' },
        },
        { id: 'toolu_2', type: 'function', function: { name: 'time', arguments: '' } },
      ],
    }
  const history = messages.findLast(({ role }) => role === 'assistant')
  if (JSON.stringify(history?.thinking_blocks) !== JSON.stringify(thinking))
    throw new GatewayError('invalid_request', 'The thinking block is gone', { param: 'contents' })
  const results = messages.filter(({ role }) => role === 'tool')
  const told = results
    .map(({ tool_call_id: id, content }) => `${id}=${content as string}`)
    .join(' ')
  return { role: 'assistant', content: told, refusal: null }
}

const usage = { inputTokens: 12, outputTokens: 9, reasoningTokens: 4, cachedInputTokens: 2 }

function replyTo(messages: readonly Message[]): ChatReply {
  const message = answerTo(messages)
  return validate(chat.reply, {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'claude',
    choices: [
      {
        index: 0,
        message,
        finish_reason: message.tool_calls ? 'tool_calls' : 'stop',
        logprobs: null,
      },
    ],
    usage: {
      prompt_tokens: 12,
      completion_tokens: 9,
      total_tokens: 21,
      prompt_tokens_details: {
        cached_tokens: 2,
        text_tokens: 12,
        audio_tokens: 0,
        image_tokens: 0,
      },
      completion_tokens_details: { text_tokens: 5, audio_tokens: 0, reasoning_tokens: 4 },
    },
    system_fingerprint: null,
  })
}

/** The same answer in pieces, calls interleaved. */
function stepsTo(messages: readonly Message[]): readonly Step<ChatChunk>[] {
  const {
    content,
    reasoning_content: reasoning,
    thinking_blocks: blocks,
    tool_calls: calls,
  } = answerTo(messages)
  const deltas = [
    { role: 'assistant', content: '' },
    ...(reasoning == null ? [] : [{ reasoning_content: reasoning }, { thinking_blocks: blocks }]),
    ...[...(content ?? '')].map((letter) => ({ content: letter })),
    ...(calls ?? []).map((call, index) => ({
      tool_calls: [{ index, ...call, function: { name: call.function?.name, arguments: '' } }],
    })),
    ...(calls ?? []).map((call, index) => ({
      tool_calls: [{ index, function: { arguments: call.function?.arguments } }],
    })),
  ]
  const finish = calls ? 'tool_calls' : 'stop'
  const choices = [
    ...deltas.map((delta) => ({ index: 0, delta, finish_reason: null })),
    { index: 0, delta: {}, finish_reason: finish },
  ]
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'claude' }
  return [
    ...choices.map((choice) => ({ event: validate(chat.event, { ...head, choices: [choice] }) })),
    { usage },
  ]
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return JSON.parse(Buffer.concat(pieces).toString())
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const [, model, method = ''] = /^\/v1(?:beta)?\/models\/([^:]+):(\w+)$/.exec(url.pathname) ?? []
  const body = { ...(await bodyOf(request)), model }
  if (method === 'batchEmbedContents') {
    const { input } = batchEmbedContents.toCanonical(
      validate(batchEmbedContents.request, body),
      formatContext(),
    )
    const data = [input]
      .flat()
      .map((text, index) => ({ object: 'embedding', index, embedding: [String(text).length, 0.5] }))
    const reply = validate(embed.reply, {
      object: 'list',
      data,
      model,
      usage: { prompt_tokens: 1, total_tokens: 1 },
    })
    json(response, batchEmbedContents.fromCanonical(reply, body, formatContext()))
    return
  }
  const format = formats[method as keyof typeof formats]
  const valid = validate(format.request, body)
  const asked = validate(chat.request, format.toCanonical(valid, formatContext()))
  chat.check?.(asked)
  const writer = format.writer?.(valid, formatContext(), url.search.slice(1))
  if (!writer) {
    json(response, format.fromCanonical(replyTo(asked.messages), valid, formatContext()))
    return
  }
  const steps = stepsTo(asked.messages)
  response.writeHead(200, { 'content-type': writer.contentType })
  response.write(writer.keepAlive)
  for (const step of steps) response.write(writer.write(step))
  const isCut = asked.messages.at(-1)?.content === 'cut'
  response.end(isCut ? writer.fail(new GatewayError('upstream_cut', 'Cut')) : writer.end())
}

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

const server = createServer((request, response) => {
  serve(request, response).catch((thrown: unknown) => {
    const error = GatewayError.from(thrown)
    if (response.headersSent) response.destroy()
    else json(response, geminiError(error, 'req_1'), error.status)
  })
})
let client: GoogleGenAI

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  client = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: `http://127.0.0.1:${port}` } })
})

afterAll(() => void server.close())

const tools = [
  {
    functionDeclarations: [
      {
        name: 'weather',
        parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } },
      },
      { name: 'time' },
    ],
  },
]
const question: Content = { role: 'user', parts: [{ text: 'Weather and time in Zürich?' }] }
const results: Content = {
  role: 'user',
  parts: [
    { functionResponse: { id: 'toolu_1', name: 'weather', response: { output: '21' } } },
    { functionResponse: { name: 'time', response: { now: '12:30' } } },
  ],
}
const told = 'toolu_1=21 toolu_2={"now":"12:30"}'

describe('@google/genai', () => {
  test('keeps another provider’s reasoning in a tool loop', async () => {
    const first = await client.models.generateContent({
      model: 'm',
      contents: [question],
      config: { tools },
    })
    expect(first.functionCalls).toEqual([
      { id: 'toolu_1', name: 'weather', args: { city: 'Zürich' } },
      { id: 'toolu_2', name: 'time', args: {} },
    ])
    expect(first.usageMetadata).toMatchObject({
      promptTokenCount: 12,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 4,
      cachedContentTokenCount: 2,
      totalTokenCount: 21,
    })
    const contents = [question, first.candidates![0]!.content!, results]
    const second = await client.models.generateContent({ model: 'm', contents, config: { tools } })
    expect(second.text).toBe(told)
    expect(second.candidates?.[0]?.finishReason).toBe('STOP')
    const parts = contents.map((content) => ({
      ...content,
      parts: content.parts!.map(({ thoughtSignature: _, ...part }) => part),
    }))
    await expect(
      client.models.generateContent({ model: 'm', contents: parts, config: { tools } }),
    ).rejects.toThrow('The thinking block is gone')
  })

  test('keeps it in a streamed tool loop with thoughts', async () => {
    const config = { tools, thinkingConfig: { includeThoughts: true } }
    const stream = await client.models.generateContentStream({
      model: 'm',
      contents: [question],
      config,
    })
    const parts = []
    let last
    for await (const fragment of stream) {
      parts.push(...(fragment.candidates?.[0]?.content?.parts ?? []))
      last = fragment
    }
    expect(parts[0]).toEqual({ text: 'Ask the tool.', thought: true })
    expect(parts.flatMap(({ functionCall }) => functionCall ?? [])).toEqual([
      { id: 'toolu_1', name: 'weather', args: { city: 'Zürich' } },
      { id: 'toolu_2', name: 'time', args: {} },
    ])
    expect(last?.candidates?.[0]?.finishReason).toBe('STOP')
    expect(last?.usageMetadata?.totalTokenCount).toBe(21)
    const contents = [question, { role: 'model', parts }, results]
    let text = ''
    for await (const fragment of await client.models.generateContentStream({
      model: 'm',
      contents,
      config,
    }))
      text += fragment.text ?? ''
    expect(text).toBe(told)
  })

  test('keeps it in the SDK’s chat history', async () => {
    const conversation = client.chats.create({ model: 'm', config: { tools } })
    for await (const _ of await conversation.sendMessageStream({ message: 'Weather and time?' }));
    const answer = await conversation.sendMessage({ message: results.parts! })
    expect(answer.text).toBe(told)
  })

  test('throws errors before and within a stream', async () => {
    await expect(
      client.models.generateContent({ model: 'm', contents: 'fail' }),
    ).rejects.toMatchObject({
      status: 429,
      message: expect.stringMatching(/RESOURCE_EXHAUSTED.*"retryDelay":"1.5s"/),
    })
    await expect(
      client.models.generateContent({ model: 'm', contents: 'x', config: { temperature: 3 } }),
    ).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('generationConfig.temperature'),
    })
    const stream = await client.models.generateContentStream({ model: 'm', contents: 'cut' })
    const read = async (): Promise<void> => {
      for await (const _ of stream);
    }
    await expect(read()).rejects.toMatchObject({ status: 502 })
  })

  test('embeds and counts tokens', async () => {
    const embedded = await client.models.embedContent({ model: 'e', contents: ['a', 'bcd'] })
    expect(embedded.embeddings?.map(({ values }) => values)).toEqual([
      [1, 0.5],
      [3, 0.5],
    ])
    const counted = await client.models.countTokens({ model: 'm', contents: 'Hello' })
    expect(counted.totalTokens).toBe(12)
  })
})
