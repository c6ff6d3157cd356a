// Stop sequences that a target does not support: the gateway ends the text itself, whole and streamed.
import { afterEach, describe, expect, test } from 'vitest'
import { streamedAnswer, wholeAnswer } from '../../support/clients/client-answers.ts'
import {
  answerMessage,
  anthropicMessage,
  textBlock,
  thinkingBlock,
  toolUse,
} from '../../support/fakes/anthropic-wire.ts'
import {
  type Answering,
  type FakeUpstream,
  fakeUpstream,
  json,
  sse,
} from '../../support/fakes/fake-upstream.ts'
import { answerContent } from '../../support/fakes/gemini-wire.ts'
import { answerCompletion, chunk, done, usageChunk } from '../../support/fakes/openai-wire.ts'
import { answerResponse, messageItem } from '../../support/fakes/responses-wire.ts'
import { ledger } from '../../support/ledger.ts'
import { type Started, start, until } from '../../support/start.ts'

type Type = 'openai' | 'openai-responses' | 'anthropic' | 'gemini' | 'cohere'

let upstream: FakeUpstream
let gateway: Started
async function open(type: Type, answering: Answering) {
  upstream = await fakeUpstream(answering)
  gateway = await start({
    providers: { up: { type, baseUrl: upstream.url, key: 'k' } },
    defaults: { retries: { attempts: 1 } },
  })
}
afterEach(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const text = 'Q: one\nA: two \n\nQ: three END four'
const claude: Answering = (seen, response) =>
  answerMessage(seen, response, anthropicMessage([textBlock(text)]))
const messages = [{ role: 'user', content: 'Hi' }]

const chat = (model: string, stop: unknown, further: object = {}) =>
  gateway.post('/v1/chat/completions', { model: `up/${model}`, messages, stop, ...further })

interface Told {
  readonly text: string
  readonly finish: string | null
}

async function read(response: Response): Promise<Told> {
  const wire = await response.text()
  expect(response.status, wire).toBe(200)
  if (!response.headers.get('content-type')?.includes('event-stream')) {
    const [choice] = JSON.parse(wire).choices
    return { text: choice.message.content, finish: choice.finish_reason }
  }
  const events = wire.split('\n\n').filter((event) => event.startsWith('data: {'))
  expect(wire.trimEnd().endsWith('data: [DONE]')).toBe(true)
  const choices = events.flatMap((event) => JSON.parse(event.slice(6)).choices)
  const finishes = choices.map((choice) => choice.finish_reason).filter((reason) => reason !== null)
  expect(finishes).toHaveLength(1)
  return {
    text: choices.map((choice) => choice.delta.content ?? '').join(''),
    finish: finishes[0],
  }
}

const cut = { text: 'Q: one\nA: two ', finish: 'stop' }
const both = [{ stream: false }, { stream: true }]

describe.each(both)('whitespace stop sequences at Claude, %j', (further) => {
  test.each([
    ['as a string', '\n\n', undefined, cut],
    ['as a list', ['\n\n'], undefined, cut],
    ['beside another sequence, which is sent', ['END', '\n\n'], ['END'], cut],
    ['that do not occur', [' \t'], undefined, { text, finish: 'stop' }],
  ])('%s', async (_, stop, sent, told) => {
    await open('anthropic', claude)
    const response = await chat('m', stop, further)
    expect(response.headers.get('x-sluice-dropped')).toBeNull()
    expect(await read(response)).toEqual(told)
    expect(upstream.seen[0]?.body['stop_sequences']).toEqual(sent)
  })

  test('from a Messages client, with stop_sequence in the answer', async () => {
    await open('anthropic', claude)
    const response = await gateway.post('/v1/messages', {
      model: 'up/m',
      max_tokens: 99,
      messages,
      stop_sequences: ['\n\n'],
      ...further,
    })
    const wire = await response.text()
    expect(response.status, wire).toBe(200)
    const answer = further.stream
      ? streamedAnswer['messages']!(wire)
      : wholeAnswer['messages']!(JSON.parse(wire))
    expect(answer.text).toBe(cut.text)
    expect(wire).toContain('"stop_reason":"stop_sequence","stop_sequence":"\\n\\n"')
    expect(wire).toContain('"output_tokens":30')
  })

  test('from a Gemini client', async () => {
    await open('anthropic', claude)
    const response = await gateway.post(
      `/v1beta/models/up%2Fm:${further.stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      {
        contents: [{ parts: [{ text: 'Hi' }] }],
        generationConfig: { stopSequences: ['\n\n'] },
      },
    )
    const wire = await response.text()
    expect(response.status, wire).toBe(200)
    expect(wire).not.toContain('three')
    expect(wire).toContain('"finishReason":"STOP"')
  })

  test('are not matched in thinking, and drop later calls', async () => {
    await open('anthropic', (seen, response) =>
      answerMessage(
        seen,
        response,
        anthropicMessage([
          thinkingBlock('one\n\ntwo', 'c2ln'),
          textBlock('three\n\nfour'),
          toolUse('t', 'f', { a: 'b\n\nc' }),
        ]),
      ),
    )
    const tools = [{ type: 'function', function: { name: 'f' } }]
    const response = await chat('claude-sonnet-4-5', '\n\n', {
      ...further,
      tools,
      max_tokens: 9000,
      reasoning_effort: 'low',
    })
    const wire = await response.clone().text()
    expect(await read(response)).toEqual({ text: 'three', finish: 'stop' })
    expect(wire).toContain('two')
    expect(wire).not.toContain('"tool_calls"')
  })

  test('do not drop a call before them', async () => {
    await open('anthropic', (seen, response) =>
      answerMessage(
        seen,
        response,
        anthropicMessage([textBlock('one\n'), toolUse('t', 'f', { a: 'b\n\nc' })]),
      ),
    )
    const tools = [{ type: 'function', function: { name: 'f' } }]
    const response = await chat('m', '\n\n', { ...further, tools })
    const wire = await response.clone().text()
    expect(await read(response)).toEqual({ text: 'one\n', finish: 'tool_calls' })
    expect(wire).toContain('tool_calls')
  })

  test('keep the reported usage, and the call is completed', async () => {
    await open('anthropic', claude)
    await (await chat('m', '\n\n', { ...further, stream_options: null })).text()
    await until(async () => (await ledger(gateway)).length === 1)
    expect(await ledger(gateway)).toMatchObject([
      { outcome: 'completed', outputTokens: 30, reported: true },
    ])
  })

  test('cut each of several choices separately', async () => {
    let asked = 0
    await open('anthropic', (seen, response) => {
      asked += 1
      const own = asked === 1 ? text : 'another'
      return answerMessage(seen, response, anthropicMessage([textBlock(own)]))
    })
    const wire = await (await chat('m', '\n\n', { ...further, n: 2 })).text()
    expect(wire).toContain('another')
    expect(wire).not.toContain('three')
  })
})

const many = ['1', '2', '3', '4', 'END']
const words = { text: 'Q: one\nA: two \n\nQ: three ', finish: 'stop' }
const completion: Answering = (seen, response) => answerCompletion(seen, response, { text })

describe.each(both)('more stop sequences than the target accepts, %j', (further) => {
  test.each<[Type, string, Answering, (body: Record<string, unknown>) => unknown, unknown]>([
    ['openai', 'gpt-4.1', completion, (body) => body['stop'], many.slice(0, 4)],
    ['openai', 'gpt-5', completion, (body) => body['stop'], undefined],
    [
      'openai-responses',
      'gpt-4.1',
      (seen, response) => answerResponse(seen, response, [messageItem(text)]),
      (body) => body['stop'],
      undefined,
    ],
    [
      'gemini',
      'gemini-2.5-flash',
      (seen, response) => answerContent(seen, response, [{ text }]),
      (body) => (body['generationConfig'] as { stopSequences: unknown }).stopSequences,
      ['0', ...many.slice(0, 4)],
    ],
  ])('%s %s', async (type, model, ...[answering, sentIn, sent]) => {
    await open(type, answering)
    const stop = type === 'gemini' ? ['0', ...many] : many
    const response = await chat(model, stop, further)
    expect(response.headers.get('x-sluice-dropped')).toBeNull()
    expect(await read(response)).toEqual(words)
    expect(sentIn(upstream.seen[0]!.body)).toEqual(sent)
  })

  test.each(['generationConfig', 'generation_config'])(
    'from a Gemini client, in %s',
    async (name) => {
      await open('gemini', (seen, response) => answerContent(seen, response, [{ text }]))
      const method = further.stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
      const response = await gateway.post(`/v1beta/models/up%2Fgemini-2.5-flash:${method}`, {
        contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
        [name]: { [name.includes('_') ? 'stop_sequences' : 'stopSequences']: ['0', ...many] },
      })
      const wire = await response.text()
      expect(response.status, wire).toBe(200)
      const told = further.stream
        ? streamedAnswer['generateContent']!(wire)
        : wholeAnswer['generateContent']!(JSON.parse(wire))
      expect(told.text).toBe(words.text)
      const sent = upstream.seen[0]?.body['generationConfig']
      expect(sent).toMatchObject({ stopSequences: ['0', ...many.slice(0, 4)] })
    },
  )
})

test('passes stop sequences that the target accepts unchanged', async () => {
  await open('openai', completion)
  for (const [model, stop] of [
    ['gpt-4.1', ['END', 'x']],
    ['some-model', many],
  ] as const) {
    const body = { model: `up/${model}`, messages, stop, further: 1 }
    await (await gateway.post('/v1/chat/completions', body)).text()
    expect(upstream.seen.at(-1)?.body).toEqual({ ...body, model })
  }
})

test('holds back text only while it may match, and drops what follows a match', async () => {
  const gate = Promise.withResolvers<void>()
  await open('openai', async (_seen, response) => {
    await sse(response, [chunk({ content: 'one EN' }), chunk({ content: 'TER' })], { end: false })
    await gate.promise
    await sse(response, [chunk({ content: ' two E' }), chunk({ content: 'ND three' })], {
      end: false,
    })
    await sse(response, [chunk({ content: ' four' }), chunk({}, 'length'), usageChunk, done])
  })
  const response = await chat('gpt-5', 'END', {
    stream: true,
    stream_options: { include_usage: true },
  })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let wire = ''
  while (!wire.includes('ENTER')) wire += (await reader.read()).value ?? ''
  gate.resolve()
  for (let part = await reader.read(); !part.done; part = await reader.read()) wire += part.value
  expect(wire).not.toContain('three')
  expect(wire).not.toContain('four')
  expect(wire).not.toContain('length')
  expect(wire).toContain('"completion_tokens":3')
})

describe('text completions', () => {
  test.each(both)('of OpenAI are cut at a stop sequence, %j', async ({ stream }) => {
    const choice = (words: string, finish: string | null) => ({
      id: 'cmpl-1',
      object: 'text_completion',
      created: 1,
      model: 'm',
      choices: [{ text: words, index: 0, logprobs: null, finish_reason: finish }],
    })
    const usage = { prompt_tokens: 1, completion_tokens: 9, total_tokens: 10 }
    await open('openai', (_seen, response) =>
      stream
        ? sse(response, [
            choice('one E', null),
            choice('ND two', null),
            choice('', 'length'),
            { ...choice('', null), choices: [], usage },
            done,
          ])
        : json(response, { ...choice('one END two', 'length'), usage }),
    )
    const body = { model: 'up/gpt-3.5-turbo-instruct', prompt: 'Hi', stop: many, stream }
    const wire = await (await gateway.post('/v1/completions', body)).text()
    const told = stream
      ? wire
          .split('\n\n')
          .filter((event) => event.startsWith('data: {'))
          .flatMap((event) => JSON.parse(event.slice(6)).choices)
      : JSON.parse(wire).choices
    expect(told.map((each: { text: string }) => each.text).join('')).toBe('one ')
    expect(told.at(-1).finish_reason).toBe('stop')
    expect(upstream.seen[0]?.body['stop']).toEqual(many.slice(0, 4))
  })

  test.each(both)('of a chat-only model are cut at a stop sequence, %j', async ({ stream }) => {
    await open('anthropic', claude)
    const body = { model: 'up/m', prompt: 'Hi', stop: '\n\n', stream }
    const wire = await (await gateway.post('/v1/completions', body)).text()
    expect(wire).toContain('two')
    expect(wire).not.toContain('three')
    expect(wire).toContain('"finish_reason":"stop"')
  })
})
