// Thousands of citations that quote the answer's text do not multiply its size.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeUpstream, fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { chatReply, chunk } from '../../support/fakes/openai-wire.ts'
import { type Started, start } from '../../support/start.ts'

let answer = ''
let contentType = 'application/json'
let upstream: FakeUpstream
let gateway: Started
beforeAll(async () => {
  upstream = await fakeUpstream((_seen, response) => {
    response.writeHead(200, { 'content-type': contentType }).end(answer)
  })
  const { url: baseUrl } = upstream
  const types = ['openai', 'openai-responses', 'anthropic', 'gemini', 'cohere'] as const
  gateway = await start({
    providers: {
      ...Object.fromEntries(types.map((type) => [type, { type, baseUrl, key: 'k' }])),
      'amazon-bedrock': { baseUrl, key: 'AKIDEXAMPLE:secret', region: 'eu-central-1' },
    },
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const many = <T>(count: number, item: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => item(index))
const text = 'word '.repeat(40_000)
const messages = [{ role: 'user', content: 'Hi' }]
const message = { role: 'assistant', content: text }
/** Each cites nearly the whole text. */
const cites = (count: number) =>
  many(count, (index) => ({
    type: 'url_citation',
    url_citation: {
      start_index: index,
      end_index: text.length,
      url: 'https://a.example',
      title: '',
    },
  }))
const events = (...values: readonly object[]): string =>
  values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('')

interface Asked {
  readonly path: string
  readonly body: object
}

const told = (further: object): Asked => ({
  path: '/v1/messages',
  body: { model: 'openai/m', messages, max_tokens: 99, ...further },
})
const generated = (verb: string): Asked => ({
  path: `/v1beta/models/openai%2Fm:${verb}`,
  body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
})

async function ask({ path, body }: Asked): Promise<{ status: number; said: string }> {
  const response = await gateway.post(path, body)
  return { status: response.status, said: await response.text() }
}

describe('three thousand citations of one long text stay within a few times its length', () => {
  test.each([
    ['Messages', told({})],
    ['Gemini', generated('generateContent')],
  ])('for %s', async (_name, asked) => {
    contentType = 'application/json'
    const cited = { ...message, annotations: cites(3_000) }
    const choices = [{ index: 0, message: cited, finish_reason: 'stop' }]
    answer = JSON.stringify({ ...chatReply(''), choices })
    const { status, said } = await ask(asked)
    expect(status).toBe(200)
    expect(said.split('https://a.example').length).toBe(3_001)
    expect(said.length).toBeLessThan(4_000_000)
  })

  test.each([
    ['Messages', told({ stream: true })],
    ['Gemini', generated('streamGenerateContent?alt=sse')],
  ])('for %s in a stream', async (_name, asked) => {
    contentType = 'text/event-stream'
    const cited = cites(3_000).map((annotation) => chunk({ annotations: [annotation] }))
    answer = events(chunk(message), ...cited, chunk({}, 'stop'))
    const { status, said } = await ask(asked)
    expect(status).toBe(200)
    expect(said.split('https://a.example').length).toBe(3_001)
    expect(said.length).toBeLessThan(4_000_000)
  })
})

const beyond = 33_000
const usage = { input_tokens: 1, output_tokens: 1 }
const grounded = (further: object) => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', ...further }],
})
const tooMany: Readonly<Record<string, readonly (() => object)[]>> = {
  openai: [
    () => ({
      ...chatReply(''),
      choices: [
        {
          index: 0,
          message: { ...message, annotations: cites(beyond) },
          finish_reason: 'stop',
        },
      ],
    }),
    () => ({
      ...chatReply('Hi'),
      citations: many(beyond, (at) => `https://a.example/${at}`),
    }),
    () => ({
      ...chatReply('Hi'),
      choices: many(1_000, (index) => ({
        index,
        message: { role: 'assistant', content: 'Hi' },
        finish_reason: 'stop',
      })),
      citations: many(1_000, (at) => `https://a.example/${at}`),
    }),
  ],
  'openai-responses': [
    () => ({
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      output: [
        {
          type: 'message',
          content: [
            {
              type: 'output_text',
              text,
              annotations: many(beyond, () => ({
                type: 'url_citation',
                url: 'https://a',
              })),
            },
          ],
        },
      ],
    }),
  ],
  anthropic: [
    () => ({
      type: 'message',
      role: 'assistant',
      content: [
        {
          type: 'text',
          text,
          citations: many(beyond, () => ({ type: 'char_location', cited_text: 'a' })),
        },
      ],
      stop_reason: 'end_turn',
      usage,
    }),
  ],
  gemini: [
    () => grounded({ citationMetadata: { citations: many(beyond, () => ({ uri: 'a' })) } }),
    () =>
      grounded({
        groundingMetadata: {
          groundingChunks: many(beyond, () => ({ web: { uri: 'a' } })),
        },
      }),
  ],
  cohere: [
    () => ({
      finish_reason: 'COMPLETE',
      message: {
        role: 'assistant',
        content: [{ type: 'text', text }],
        citations: [{ start: 0, end: 1, sources: many(beyond, () => ({ id: 'd' })) }],
      },
    }),
  ],
  'amazon-bedrock': [
    () => ({
      output: {
        message: {
          role: 'assistant',
          content: [
            {
              citationsContent: {
                content: [{ text }],
                citations: many(beyond, () => ({ title: 'a' })),
              },
            },
          ],
        },
      },
      stopReason: 'end_turn',
    }),
  ],
}

test.each(
  Object.entries(tooMany).flatMap(([up, answers]) =>
    answers.map((made, index) => [up, index, made] as const),
  ),
)('rejects an answer with more citations than the limit: %s (%i)', async (up, _index, made) => {
  contentType = 'application/json'
  answer = JSON.stringify(made())
  const path = `/v1beta/models/${up}%2Fm:generateContent`
  // Of equal formats nothing is written anew.
  const asked = up === 'gemini' ? { ...told({}) } : { ...generated(''), path }
  const { status, said } = await ask({ ...asked, body: { ...asked.body, model: `${up}/m` } })
  expect(said).toContain('more than 32768 citations')
  expect(status).toBe(502)
})

test.each([
  ['Responses', { path: '/v1/responses', body: { model: 'gemini/m', input: 'Hi', stream: true } }],
  ['Gemini', generated('streamGenerateContent?alt=sse')],
])('ends a stream with more citations than the limit with an error: %s', async (name, asked) => {
  contentType = 'text/event-stream'
  const annotations = cites(2_000)
  const citations = many(2_000, (at) => ({
    startIndex: at,
    endIndex: at + 1,
    uri: 'https://a.example',
  }))
  const { finishReason: _, ...open } =
    grounded({ citationMetadata: { citations } }).candidates[0] ?? {}
  answer =
    name === 'Gemini'
      ? events(...many(20, () => chunk({ content: 'Hi', annotations })), chunk({}, 'stop'))
      : events(...many(20, () => ({ candidates: [open] })), grounded({}))
  const { status, said } = await ask(asked)
  expect(status).toBe(200)
  expect(said.slice(-2_000)).toContain('more than 32768 citations')
})
