// A part, block or item of an unknown type is content: it reaches an upstream of the caller's format unchanged, and
// every other target rejects it by its path.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerMessage, anthropicMessage, textBlock } from '../../support/fakes/anthropic-wire.ts'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { upstreamResponse } from '../../support/gateways/two-keys.ts'
import { endsWithin } from '../../support/property-limits.ts'
import { type Started, start } from '../../support/start.ts'

type Fields = Readonly<Record<string, unknown>>
type Unknown = { readonly kind: string; readonly payload: unknown }

let native: FakeUpstream
let foreign: FakeUpstream
let gateway: Started

const geminiAnswer = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
}

beforeAll(async () => {
  native = await fakeUpstream((seen, response) => {
    if (seen.path.includes('/messages'))
      return answerMessage(seen, response, anthropicMessage([textBlock('Hi')]))
    if (seen.path.includes('/responses')) return json(response, upstreamResponse('resp_1', 'Hi'))
    return json(response, geminiAnswer)
  })
  foreign = await fakeUpstream((_seen, response) => json(response, chatReply('Hello')))
  const nativeAt = { baseUrl: native.url, key: 'k' }
  gateway = await start({
    providers: {
      claude: { type: 'anthropic', ...nativeAt },
      openai: { type: 'openai-responses', ...nativeAt },
      google: { type: 'gemini', ...nativeAt },
      foreign: { type: 'openai', baseUrl: foreign.url, key: 'k' },
      other: { type: 'cohere', baseUrl: foreign.url, key: 'k' },
    },
    defaults: { retries: { attempts: 1 } },
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await native[Symbol.asyncDispose]()
  await foreign[Symbol.asyncDispose]()
})

interface Face {
  /** The model at an upstream of the format; absent if there is none. */
  readonly own?: string
  readonly path: (model: string) => string
  readonly body: (model: string, unknown: Unknown) => Fields
  /** The place that the refusal names. */
  readonly place: string
}

const typed = ({ kind, payload }: Unknown): Fields => ({ type: kind, payload })
const hi = { role: 'user', content: 'Hi' }

function messages(place: string, body: (unknown: Fields) => Fields, path = '/v1/messages'): Face {
  return {
    own: 'claude/m',
    path: () => path,
    body: (model, unknown) => ({
      model,
      ...(path.endsWith('messages') && { max_tokens: 9 }),
      ...body(typed(unknown)),
    }),
    place,
  }
}
const asked = [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }] },
]
const said = (...content: readonly unknown[]): Fields => ({ role: 'user', content })
const result = (...content: readonly unknown[]): Fields => ({
  messages: [...asked, said({ type: 'tool_result', tool_use_id: 'toolu_1', content })],
})

function responses(place: string, input: (unknown: Fields) => readonly unknown[]): Face {
  return {
    own: 'openai/m',
    path: () => '/v1/responses',
    body: (model, unknown) => ({ model, input: input(typed(unknown)) }),
    place,
  }
}

function gemini(place: string, method: string, body: (unknown: Fields) => Fields): Face {
  return {
    own: 'google/m',
    path: (model) => `/v1beta/models/${encodeURIComponent(model)}:${method}`,
    body: (_model, { kind, payload }) => body({ [kind]: payload }),
    place,
  }
}

function chat(place: string, messagesOf: (unknown: Fields) => readonly unknown[]): Face {
  return {
    own: 'foreign/m',
    path: () => '/v1/chat/completions',
    body: (model, unknown) => ({ model, messages: messagesOf(typed(unknown)) }),
    place,
  }
}

const text = { type: 'text', text: 'Hi' }
const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
const chatCall = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }

const faces: Readonly<Record<string, Face>> = {
  'a block beside text': messages('messages[0].content[1]', (block) => ({
    messages: [said(text, block)],
  })),
  'a block to be counted': messages(
    'messages[0].content[0]',
    (block) => ({ messages: [said(block, text)] }),
    '/v1/messages/count_tokens',
  ),
  'a block of the assistant': messages('messages[1].content[1]', (block) => ({
    messages: [hi, { role: 'assistant', content: [text, block] }, hi],
  })),
  'a block in a tool’s result': messages('messages[2].content[0].content[1]', (block) =>
    result(text, block),
  ),
  'a block in a document': messages('messages[0].content[0].source.content[1]', (block) => ({
    messages: [said({ type: 'document', source: { type: 'content', content: [text, block] } })],
  })),
  'a block in a document of a tool’s result': messages(
    'messages[2].content[0].content[0].source.content[0]',
    (block) => result({ type: 'document', source: { type: 'content', content: [block, text] } }),
  ),
  'a block in a search result': messages('messages[0].content[0].content[1]', (block) => ({
    messages: [said({ type: 'search_result', source: 's', title: 't', content: [text, block] })],
  })),
  'an item': responses('input[1]', (item) => [hi, item]),
  'an item before others': responses('input[0]', (item) => [item, hi]),
  'a part of a message': responses('input[0].content[1]', (part) => [
    said({ type: 'input_text', text: 'Hi' }, part),
  ]),
  'a part of an answer': responses('input[1].content[1]', (part) => [
    hi,
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }, part] },
    hi,
  ]),
  'a part of an output': responses('input[2].output[0]', (part) => [
    hi,
    call,
    {
      type: 'function_call_output',
      call_id: 'c',
      output: [part, { type: 'input_text', text: 'Hi' }],
    },
  ]),
  'a part beside text': gemini('contents[0].parts[1]', 'generateContent', (part) => ({
    contents: [{ parts: [{ text: 'Hi' }, part] }],
  })),
  'a part, streamed': gemini('contents[0].parts[0]', 'streamGenerateContent', (part) => ({
    contents: [{ parts: [part, { text: 'Hi' }] }],
  })),
  'a part of the model': gemini('contents[1].parts[1]', 'generateContent', (part) => ({
    contents: [
      { parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [{ text: 'Hi' }, part] },
      { parts: [{ text: 'Hi' }] },
    ],
  })),
  'a part of the instruction': gemini('systemInstruction.parts[1]', 'generateContent', (part) => ({
    systemInstruction: { parts: [{ text: 'Hi' }, part] },
    contents: [{ parts: [{ text: 'Hi' }] }],
  })),
  'a part to be counted': gemini('contents[0].parts[1]', 'countTokens', (part) => ({
    contents: [{ parts: [{ text: 'Hi' }, part] }],
  })),
  'a part to be embedded': gemini('content.parts[1]', 'embedContent', (part) => ({
    content: { parts: [{ text: 'Hi' }, part] },
  })),
  'a part of a chat': chat('messages[0].content[1]', (part) => [said(text, part)]),
  'a part beside a thought': chat('messages[1].content[2]', (part) => [
    hi,
    { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm' }, text, part] },
    hi,
  ]),
  'a part of a tool’s message': chat('messages[2].content[0]', (part) => [
    hi,
    { role: 'assistant', content: null, tool_calls: [chatCall] },
    { role: 'tool', tool_call_id: 'c', content: [part, text] },
  ]),
}

const unknowns: fc.Arbitrary<Unknown> = fc.record({
  kind: fc.oneof(
    fc.stringMatching(/^x[a-z]{2,8}(?:_[a-z]{1,6}|[A-Z][a-z]{1,6})?$/),
    fc.constantFrom('constructor', 'toString', 'audioTranscription', 'hologram'),
  ),
  payload: fc.oneof(
    fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.jsonValue({ maxDepth: 1 }), { minKeys: 1 }),
    fc.constant({ text: 'Hear me' }),
  ),
})

async function post(path: string, body: Fields, mode: string) {
  const response = await gateway.post(path, body, { headers: { 'x-sluice-unsupported': mode } })
  return { status: response.status, text: await response.text() }
}

describe.each(Object.entries(faces))('%s', (_name, { own, path, body, place }) => {
  const isEmbedding = path('m').includes('embed')
  const builtIn = isEmbedding ? 'builtin-embed' : 'builtin-chat'
  // OpenAI's own API has Responses too; Cohere has no embeddings here.
  const foreigners = [
    builtIn,
    ...(own === 'openai/m' || own === 'foreign/m' ? [] : ['foreign/m']),
    ...(isEmbedding ? [] : ['other/m']),
  ]

  test('of unknown type is rejected by its path, whatever the mode', async () => {
    const sent = foreign.seen.length
    await fc.assert(
      fc.asyncProperty(
        unknowns,
        fc.constantFrom(...foreigners),
        fc.constantFrom('hints', 'report', 'refuse'),
        async (unknown, model, mode) => {
          const { status, text: answer } = await post(path(model), body(model, unknown), mode)
          expect([status, answer]).toEqual([400, expect.stringContaining(place)])
        },
      ),
      { numRuns: 30, ...endsWithin(25_000) },
    )
    expect(foreign.seen.length).toBe(sent)
  })
})

const atHome = Object.entries(faces).flatMap(([name, { own, ...face }]) =>
  own === undefined ? [] : [[name, { own, ...face }] as const],
)

test.each(atHome)(
  '%s of unknown type passes to an upstream of the same format',
  async (_, face) => {
    const { own, path, body } = face
    await fc.assert(
      fc.asyncProperty(unknowns, async (unknown) => {
        const given = body(own, unknown)
        expect(await post(path(own), given, 'hints')).toMatchObject({ status: 200 })
        const { model: _model, ...rest } = given
        const { seen } = own === 'foreign/m' ? foreign : native
        expect(seen.at(-1)?.body).toMatchObject(JSON.parse(JSON.stringify(rest)))
      }),
      { numRuns: 10, ...endsWithin(25_000) },
    )
  },
)

test('drops and reports unknown members of a known part', async () => {
  const parts = [{ text: 'Hi', speechMetadata: { a: 'b' }, audioTranscription: { text: 'Hi' } }]
  const response = await gateway.post('/v1beta/models/builtin-chat:generateContent', {
    contents: [{ parts }],
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('x-sluice-dropped')).toBe(
    'contents[0].parts[0].speechMetadata, contents[0].parts[0].audioTranscription',
  )
})

test('rejects an unknown item in an image prompt by its path', async () => {
  const content = [{ text: 'A red circle' }, { hologram: { of: 'a circle' } }]
  const response = await gateway.post('/v1/images/generations', {
    model: 'builtin-image',
    input: { messages: [{ role: 'user', content }] },
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { param: 'input.messages[0].content[1]' } })
})

test('keeps the content beside a dropped thinking part', async () => {
  const content = [
    { type: 'thinking', thinking: 'Hm' },
    { type: 'refusal', refusal: 'That is nothing for me.' },
  ]
  const response = await gateway.post('/v1/chat/completions', {
    model: 'claude/m',
    messages: [hi, { role: 'assistant', content }, hi],
  })
  expect(response.status).toBe(200)
  expect(native.seen.at(-1)?.text).toContain('That is nothing for me.')
})
