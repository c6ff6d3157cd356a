// One record for every request that reached an upstream, however it ended.
import { describe, test } from 'vitest'
import { type Answering, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { begun, silent } from '../../support/fakes/scripted-targets.ts'
import { type UpstreamStream, upstreamStreams } from '../../support/fakes/upstream-streams.ts'
import { expectNumbered, expectRecords, expectRecordsMatch } from '../../support/ledger.ts'
import { ask, error, good, type Routes, streams } from '../../support/routes.ts'
import { type Started, start } from '../../support/start.ts'

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 7, output_tokens: 3 },
}
const streamOf = (type: UpstreamStream['type']) =>
  upstreamStreams.find((stream) => stream.type === type)!
const { preamble, content, errorFrame } = streamOf('openai')
const anthropic = streamOf('anthropic')

const says =
  (events: readonly string[], end = true): Answering =>
  (_seen, response) =>
    sse(response, events, { end })
const fails: Answering = async (_seen, response) => {
  await sse(response, [...preamble, ...content], { end: false })
  response.destroy()
}
const sound =
  (ending: 'end' | 'cut' | 'silence'): Answering =>
  (_seen, response) => {
    response.writeHead(200, {
      'content-type': 'audio/mpeg',
      ...(ending === 'end' && { 'content-length': 6 }),
    })
    response.write('abc')
    if (ending === 'end') response.end('def')
    // Once the beginning is on its way: an upstream that breaks off before has sent nothing.
    if (ending === 'cut') setTimeout(() => response.destroy(), 50)
  }
const inTurn = (...answers: readonly Answering[]): Answering => {
  let turn = 0
  return (...exchange) => {
    turn += 1
    return (answers[turn - 1] ?? error(599))(...exchange)
  }
}

const chat = '/v1/chat/completions'
const speech = { model: 'm', input: 'a', voice: 'alloy' }
const whole = { model: 'm', ...ask }
const stream = { ...whole, stream: true }

interface Case {
  readonly first: Answering
  readonly type?: 'openai' | 'anthropic'
  readonly path?: string
  readonly body: object
  readonly route?: object
  /** Of the first target. */
  readonly timeouts?: object
  /** Reads this much and leaves; default: reads all there is. */
  readonly leaves?: true
  readonly records: readonly string[]
}

async function stage({
  first: answering,
  type = 'openai',
  route,
  timeouts = {},
}: Pick<Case, 'first' | 'type' | 'route' | 'timeouts'>) {
  const first = await fakeUpstream(answering)
  const second = await fakeUpstream(good)
  const models: NonNullable<Routes['models']> = {
    m: {
      targets: [{ target: 'first/m', timeouts }],
      retries: { attempts: 2, baseMs: 1, maxMs: 5 },
      ...route,
    },
  }
  const gateway = await start({
    providers: {
      first: { type, baseUrl: first.url, key: 'a' },
      second: { type: 'openai', baseUrl: second.url, key: 'b' },
    },
    models,
  })
  return {
    gateway,
    upstreams: { first, second },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await first[Symbol.asyncDispose]()
      await second[Symbol.asyncDispose]()
    },
  }
}

async function call(
  gateway: Started,
  { path = chat, body, leaves }: Pick<Case, 'path' | 'body' | 'leaves'>,
) {
  const leaving = new AbortController()
  const response = await gateway.post(path, body, { signal: leaving.signal })
  if (leaves) {
    await response.body?.getReader().read()
    leaving.abort()
  } else await response.text().catch(() => 'broken off')
}

const unanswered = { headersMs: 150, firstTokenMs: 150 }
const stalled = { idleMs: 150 }
const fallback = { fallback: ['second/m'] }

describe('records of', () => {
  test.each<[string, Case]>([
    ['a whole answer', { first: good, body: whole, records: ['first chat completed 7+3'] }],
    [
      'a whole answer, translated',
      {
        first: (_s, response) => json(response, message),
        type: 'anthropic',
        body: whole,
        records: ['first chat completed 7+3'],
      },
    ],
    ['a stream', { first: streams, body: stream, records: ['first chat completed 7+3'] }],
    [
      'a stream, translated',
      {
        first: says([...anthropic.preamble, ...anthropic.content, ...anthropic.ending]),
        type: 'anthropic',
        body: stream,
        records: ['first chat completed 7+3'],
      },
    ],
    [
      'an answer without usage',
      {
        first: (_s, response) => json(response, chatReply('Hi', { usage: undefined })),
        body: whole,
        records: ['first chat completed'],
      },
    ],
    ['a refused request', { first: error(400), body: whole, records: ['first chat failed'] }],
    [
      'a retry',
      {
        first: inTurn(error(500), good),
        body: whole,
        records: ['first chat failed', 'first chat completed 7+3'],
      },
    ],
    [
      'a retried stream',
      {
        first: inTurn(says([...preamble, errorFrame]), streams),
        body: stream,
        records: ['first chat failed', 'first chat completed 7+3'],
      },
    ],
    [
      'a fallback',
      {
        first: error(404),
        route: fallback,
        body: whole,
        records: ['first chat failed', 'second chat completed 7+3'],
      },
    ],
    [
      'a fallback from a silent target',
      {
        first: silent,
        route: fallback,
        timeouts: unanswered,
        body: whole,
        records: ['first chat failed', 'second chat completed 7+3'],
      },
    ],
    [
      'a stream without content',
      { first: begun, timeouts: unanswered, body: stream, records: ['first chat failed'] },
    ],
    ['a stream that was cut', { first: fails, body: stream, records: ['first chat incomplete'] }],
    [
      'a stream that ended in an error',
      {
        first: says([...preamble, ...content, errorFrame]),
        body: stream,
        records: ['first chat incomplete'],
      },
    ],
    [
      'a stream that stalled',
      {
        first: says([...preamble, ...content], false),
        timeouts: stalled,
        body: stream,
        records: ['first chat incomplete'],
      },
    ],
    [
      'garbage in a stream',
      {
        first: says([...preamble, ...content, 'data: {"a\n\ndata: x\n\n'], false),
        body: stream,
        records: ['first chat incomplete'],
      },
    ],
    [
      'a stream that the caller left',
      {
        first: says([...anthropic.preamble, ...anthropic.content], false),
        type: 'anthropic',
        body: stream,
        leaves: true,
        records: ['first chat cancelled 7+1'],
      },
    ],
    [
      'audio',
      {
        first: sound('end'),
        path: '/v1/audio/speech',
        body: speech,
        records: ['first speak completed'],
      },
    ],
    [
      'audio that was cut',
      {
        first: sound('cut'),
        path: '/v1/audio/speech',
        body: speech,
        records: ['first speak incomplete'],
      },
    ],
    [
      'audio that stalled',
      {
        first: sound('silence'),
        timeouts: stalled,
        path: '/v1/audio/speech',
        body: speech,
        records: ['first speak incomplete'],
      },
    ],
    [
      'audio that the caller left',
      {
        first: sound('silence'),
        path: '/v1/audio/speech',
        body: speech,
        leaves: true,
        records: ['first speak cancelled'],
      },
    ],
  ])('%s', async (_name, { records, ...asked }) => {
    await using staged = await stage(asked)
    await call(staged.gateway, asked)
    await expectRecordsMatch(staged.gateway, staged.upstreams, records)
  })

  const several = [
    'first chat completed 7+3',
    'first chat completed 7+3',
    'first chat completed 7+3',
  ]
  const fanned: readonly [string, Case][] = [
    [
      'several choices',
      {
        first: (_s, response) => json(response, message),
        type: 'anthropic',
        body: { ...whole, n: 3 },
        records: several,
      },
    ],
    [
      'several streamed choices',
      {
        first: says([...anthropic.preamble, ...anthropic.content, ...anthropic.ending]),
        type: 'anthropic',
        body: { ...stream, n: 3 },
        records: several,
      },
    ],
    [
      'several streamed choices that the caller left',
      {
        first: says([...anthropic.preamble, ...anthropic.content], false),
        type: 'anthropic',
        body: { ...stream, n: 3 },
        leaves: true,
        records: [
          'first chat cancelled 7+1',
          'first chat cancelled 7+1',
          'first chat cancelled 7+1',
        ],
      },
    ],
  ]
  test.each(fanned)(
    '%s from an upstream that returns one per request',
    async (_name, { records, ...asked }) => {
      await using staged = await stage(asked)
      await call(staged.gateway, asked)
      await expectRecords(staged.gateway, staged.upstreams, records)
    },
  )

  test.each(fanned)('%s have attempt numbers', async (_name, { records, ...asked }) => {
    await using staged = await stage(asked)
    await call(staged.gateway, asked)
    await expectRecords(staged.gateway, staged.upstreams, records)
    await expectNumbered(staged.gateway)
  })

  test('an answer of the built-in engine', async () => {
    await using gateway = await start()
    const told = { model: 'builtin-chat', ...ask }
    const reply = await gateway.post(chat, told)
    const answer = (await reply.json()) as { usage: ToldUsage }
    const asked = { ...told, stream: true, stream_options: { include_usage: true } }
    const text = await (await gateway.post(chat, asked)).text()
    const last = JSON.parse(text.split('data: ').at(-2) ?? '') as { usage: ToldUsage }
    await expectRecordsMatch(
      gateway,
      {},
      [answer, last].map(
        ({ usage }) => `builtin chat completed ${usage.prompt_tokens}+${usage.completion_tokens}`,
      ),
    )
  })
})

interface ToldUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
}
