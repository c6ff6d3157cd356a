// Recorded requests of Python clients with all headers: each is answered in the format its client reads, by the built-
// in engine and through upstreams of other formats.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ClientRequest,
  clientRequest,
  clientRequestNames,
  clientRequestsFolder,
  forModel,
  replay,
} from '../../support/clients/client-requests.ts'
import { type Maker, makers, type Script } from '../../support/fakes/scripted-models.ts'
import { through } from '../../support/gateways/scripted-gateway.ts'
import { leaveOut } from '../../support/leave-out.ts'
import { type Started, start } from '../../support/start.ts'

type Fields = Readonly<Record<string, unknown>>

const text = expect.any(String)
const count = expect.any(Number)
const ada = { name: 'Ada', age: 36 }

const message = {
  id: text,
  type: 'message',
  role: 'assistant',
  model: text,
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: count, output_tokens: count },
}

/** The members that a client's types require, by the beginning of a request's name; the longest one applies. */
const answers: Readonly<Record<string, unknown>> = {
  'openai-chat': {
    id: text,
    object: 'chat.completion',
    created: count,
    model: text,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }],
    usage: { prompt_tokens: count, completion_tokens: count, total_tokens: count },
  },
  'openai-responses': {
    id: text,
    object: 'response',
    status: 'completed',
    error: null,
    model: text,
    tools: [],
    output: [
      {
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    usage: {
      input_tokens: count,
      input_tokens_details: { cached_tokens: count },
      output_tokens: count,
      output_tokens_details: { reasoning_tokens: count },
      total_tokens: count,
    },
  },
  'openai-embeddings': {
    object: 'list',
    data: [0, 1].map((index) => ({ object: 'embedding', index, embedding: text })),
    model: text,
    usage: { prompt_tokens: count, total_tokens: count },
  },
  'openai-moderation': {
    id: text,
    model: text,
    results: [{ flagged: false, categories: { violence: false }, category_scores: {} }],
  },
  'openai-model': { id: text, object: 'model', created: count, owned_by: text },
  'openai-models': {
    object: 'list',
    data: expect.arrayContaining([
      expect.objectContaining({ id: 'gpt-4o-mini', created: count, owned_by: text }),
    ]),
  },
  'anthropic-messages': { ...message, content: [{ type: 'text', text }] },
  'anthropic-messages-thinking': {
    ...message,
    content: expect.arrayContaining([{ type: 'text', text }]),
  },
  'anthropic-count-tokens': { input_tokens: count },
  'anthropic-model': { id: text, type: 'model', display_name: text, created_at: text },
  'anthropic-models': {
    data: [1, 2].map(() => ({
      id: text,
      type: 'model',
      display_name: text,
      created_at: text,
      lifecycle: 'active',
      capabilities: expect.any(Object),
    })),
    first_id: text,
    last_id: text,
    has_more: true,
  },
  'genai-generate': {
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: count, candidatesTokenCount: count, totalTokenCount: count },
    modelVersion: text,
  },
  'genai-count': { totalTokens: count },
  'genai-embed': { embeddings: [1, 2].map(() => ({ values: expect.arrayContaining([count]) })) },
  'genai-models': {
    models: expect.arrayContaining([
      expect.objectContaining({ name: 'models/gemini-2.5-flash', displayName: text }),
    ]),
  },
}

/** The requests that ask for the same as another one. */
const sameAs: Readonly<Record<string, string>> = {
  'litellm-openai': 'openai-chat',
  'litellm-anthropic': 'anthropic-messages',
  'litellm-gemini': 'genai-generate',
  'anthropic-parse': 'anthropic-messages',
  'genai-stream': 'genai-generate',
  'genai-functions': 'genai-generate',
  'genai-schema': 'genai-generate',
  'genai-enum': 'genai-generate',
}

function expectedOf(name: string): unknown {
  const known = Object.entries({ ...answers, ...sameAs })
    .filter(([beginning]) => name === beginning || name.startsWith(`${beginning}-`))
    .toSorted(([one], [other]) => other.length - one.length)[0]?.[1]
  if (known === undefined) throw new Error(`${name} is new: say what its client reads`)
  return typeof known === 'string' ? answers[known] : known
}

/** The texts of an answer. */
function saidIn(answer: unknown): string {
  const said: string[] = []
  JSON.stringify(answer, (key, value: unknown) => {
    if (['text', 'content', 'arguments'].includes(key) && typeof value === 'string')
      said.push(value)
    if (['input', 'args'].includes(key) && typeof value === 'object')
      said.push(JSON.stringify(value))
    return value
  })
  return said.join('')
}

const isStream = ({ path, body }: ClientRequest) =>
  body?.['stream'] === true || path.includes(':streamGenerateContent')
const hasTools = ({ body }: ClientRequest) => body !== undefined && 'tools' in body

/** Without finish reasons and content: a model may answer an offer of tools with a call, or with a text. */
function withCalls(expected: unknown): Fields {
  const {
    choices: _,
    content: __,
    stop_reason: ___,
    candidates: ____,
    ...rest
  } = expected as Fields
  return rest
}

async function expectWhole(name: string, response: Response): Promise<void> {
  const answer: unknown = await response.json()
  expect({ status: response.status, answer }).toMatchObject({ status: 200 })
  const request = clientRequest(name)
  const expected = expectedOf(name)
  expect(answer).toMatchObject(hasTools(request) ? withCalls(expected) : (expected as Fields))
  const said = saidIn(answer)
  if (/-(?:parse|schema)$/.test(name)) expect(JSON.parse(said)).toEqual(ada)
  if (name.endsWith('-enum')) expect(said).toMatch(/^(?:brass|wood)$/)
}

/** The last event of a whole stream, by the path of the request. */
const ends: readonly (readonly [RegExp, RegExp])[] = [
  [/chat\/completions$/, /^data: \[DONE\]$/],
  [/responses$/, /^event: response\.completed\ndata: \{"type":"response\.completed",/],
  [/messages$/, /^event: message_stop\ndata: \{"type":"message_stop"\}$/],
  [/alt=sse$/, /^data: \{.*"finishReason":"STOP".*\}$/s],
]

async function expectStream(request: ClientRequest, response: Response): Promise<void> {
  const stream = await response.text()
  expect({ status: response.status, stream }).toMatchObject({ status: 200 })
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  const events = stream.trim().split(/\r?\n\r?\n/)
  const [, end] = ends.find(([path]) => path.test(request.path)) ?? []
  expect(events.at(-1)?.replaceAll('\r', '')).toMatch(end!)
  expect(stream).not.toContain('error":{')
  const said = events.flatMap((event) => {
    const data = /^data: (\{.*)$/m.exec(event)?.[1]
    return data === undefined ? [] : [saidIn(JSON.parse(data)), /"delta":"([^"]+)"/.exec(data)?.[1]]
  })
  expect(said.join('')).not.toBe('')
}

async function expectAnswer(name: string, gateway: Started, request: ClientRequest): Promise<void> {
  const response = await replay(gateway, request)
  return isStream(request) ? expectStream(request, response) : expectWhole(name, response)
}

/** They are the two requests of one conversation, which its own test makes. */
const threads = ['anthropic-tool-runner', 'anthropic-tool-runner-2']
const single = clientRequestNames.filter((name) => !threads.includes(name))

test.runIf(clientRequestsFolder === undefined)('recorded requests are available', (context) =>
  leaveOut(context, 'there is no folder of recorded requests'),
)

describe.runIf(clientRequestsFolder !== undefined)('by the built-in engine', () => {
  let gateway: Started
  beforeAll(async () => {
    gateway = await start()
  })
  afterAll(() => gateway[Symbol.asyncDispose]())

  test.each(single)('%s', (name) => expectAnswer(name, gateway, clientRequest(name)))

  /**
   * The client keeps its conversation at the server, and sends all of it where this is refused by the error that it knows
   * (`thread_unsupported_request`, anthropic-sdk-python, _thread_state.py).
   */
  test('a thread is stored, or rejected with the error that makes its client send the whole conversation', async () => {
    const [first, second] = threads.map(clientRequest) as [ClientRequest, ClientRequest]
    const opened = await replay(gateway, first)
    if (opened.status === 200) {
      const { id, content } = (await opened.json()) as { id: string; content: readonly Fields[] }
      const call = content.find(({ type }) => type === 'tool_use')
      const result = { type: 'tool_result', tool_use_id: call?.['id'], content: 'sunny' }
      const thread = { type: 'continue', previous_message_id: id }
      const messages = [{ role: 'user', content: [result] }]
      const continued = { ...second, body: { ...second.body, thread, messages } }
      const answer = await (await replay(gateway, continued)).json()
      expect(answer).toMatchObject({ type: 'message', stop_reason: 'end_turn' })
      expect(saidIn(answer)).toContain('sunny')
      return
    }
    await expectRefusedThread(opened)
    await expectRefusedThread(await replay(gateway, second))
    const { thread: _, ...body } = first.body!
    await expectWhole('anthropic-messages-tools', await replay(gateway, { ...first, body }))
  })
})

async function expectRefusedThread(response: Response): Promise<void> {
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    type: 'error',
    error: {
      type: 'invalid_request_error',
      details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
    },
  })
}

/** What the model of a fake upstream answers; a codec may ask for an object by a tool. */
function scriptOf(name: string): Script {
  const object = JSON.stringify(ada)
  if (/-(?:parse|schema)$/.test(name))
    return (_rounds, [tool]) =>
      tool === undefined ? { text: object } : { calls: [[tool, object]] }
  if (name.endsWith('-enum'))
    return (_rounds, [tool]) =>
      tool === undefined ? { text: 'brass' } : { calls: [[tool, '{"value":"brass"}']] }
  if (name.endsWith('-functions'))
    return (_rounds, [tool = '']) => ({ calls: [[tool, '{"city":"Paris"}']] })
  return () => ({ text: 'Hi there.' })
}

const chats = single.filter((name) => {
  const { method, path } = clientRequest(name)
  return (
    method === 'POST' &&
    /(?:completions|responses|messages|[gG]enerateContent(?:\?.*)?)$/.test(path)
  )
})

describe.runIf(clientRequestsFolder !== undefined).each(Object.keys(makers) as Maker[])(
  'through %s',
  (maker) => {
    test.each(chats)('%s', async (name) => {
      await using stage = await through(maker, scriptOf(name))
      const request = clientRequest(name)
      await expectAnswer(name, stage.gateway, forModel(request, stage.model))
      // A schema that was lost on the way would still be answered.
      if (hasTools(request)) expect(stage.upstream.seen.at(-1)?.text).toContain('"city"')
    })
  },
)
