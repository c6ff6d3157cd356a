import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import type { UsageRecord } from '../../../packages/contract/src/core/usage.ts'
import { type Answering, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { upstreamStreams } from '../../support/fakes/upstream-streams.ts'
import { ask } from '../../support/routes.ts'
import { type Started, start, until } from '../../support/start.ts'

/** The same numbers from 0 up to 1 for the same seed (Park and Miller). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const pick = <T>(list: readonly T[], random: () => number): T | undefined =>
  list[Math.floor(random() * list.length)]

const wholeAnswers = {
  openai: chatReply('Hello'),
  anthropic: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 7, output_tokens: 3 },
  },
  gemini: {
    candidates: [
      { index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: 'Hello' }] } },
    ],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
  },
}

/** In the words of all three. */
const unknownModel = {
  message: 'said so',
  type: 'not_found_error',
  code: 'model_not_found',
  status: 'model_not_found',
}

type Misbehaviour = (response: ServerResponse) => unknown

/** An upstream on a bad day: each call meets one of these, more than half of them a good answer. */
function onABadDay(type: keyof typeof wholeAnswers, random: () => number): Answering {
  const { preamble, content, ending, errorFrame } = upstreamStreams.find(
    (stream) => stream.type === type,
  )!
  const begun = [...preamble, ...content]
  const status =
    (code: number, headers: Record<string, string> = {}): Misbehaviour =>
    (response) =>
      json(response, { error: { message: 'said so' } }, { status: code, headers })
  const misbehaviours: readonly Misbehaviour[] = [
    status(400),
    status(403),
    // Of the model, for an address that is not there is asked for in another way within the same attempt.
    (response) => json(response, { error: unknownModel }, { status: 404 }),
    status(500),
    status(429, { 'retry-after': '0' }),
    status(429, { 'retry-after': '99999999999' }),
    (response) => response.destroy(),
    () => {},
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{{{'),
    (response) => response.socket?.end('HTTP/1.1 200 OK\r\nContent-'),
    (response) => sse(response, begun, { end: false }).then(() => response.destroy()),
    (response) => sse(response, begun),
    (response) => sse(response, begun, { end: false }),
    (response) => sse(response, preamble, { end: false }),
    (response) => sse(response, [...begun, errorFrame]),
    (response) => sse(response, [...preamble, errorFrame]),
  ]
  return (seen, response) => {
    if (random() < 0.4) return void pick(misbehaviours, random)?.(response)
    const isStream = seen.body['stream'] === true || seen.path.includes('alt=sse')
    if (isStream) return sse(response, [...begun, ...ending])
    const whole = wholeAnswers[type]
    json(response, seen.path.includes('streamGenerateContent') ? [whole] : whole)
  }
}

/** Asks for three answers at once, so that its records are told from those of the others. */
const severalKey = 'sk-several0123456789'
const several = 3

const callers: readonly ((model: string, stream: boolean) => readonly [string, object])[] = [
  (model, stream) => ['/v1/chat/completions', { model, stream, ...ask }],
  (model, stream) => ['/v1/chat/completions', { model, stream, n: several, ...ask }],
  (model, stream) => ['/v1/messages', { model, stream, max_tokens: 9, ...ask }],
  (model, stream) => ['/v1/responses', { model, stream, input: 'Hi' }],
  (model, stream) => [
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  ],
]

async function callOnce(gateway: Started, random: () => number): Promise<string> {
  const model = pick(['routed', 'raced', 'sticky'], random) ?? ''
  const [path, body] = pick(callers, random)?.(model, random() < 0.6) ?? ['', {}]
  const leaving = new AbortController()
  if (random() < 0.3) setTimeout(() => leaving.abort(), random() * 120)
  try {
    const key = 'n' in body ? { key: severalKey } : {}
    const response = await gateway.post(path, body, { signal: leaving.signal, ...key })
    const text = await response.text()
    if (response.status >= 400) JSON.parse(text)
    return String(response.status)
  } catch (thrown) {
    if (leaving.signal.aborted) return 'left'
    throw thrown
  }
}

test('every call ends with an answer in the gateway’s format under random faults of upstreams and callers', async () => {
  const random = createRandom(20_261)
  await using openai = await fakeUpstream(onABadDay('openai', random))
  await using anthropic = await fakeUpstream(onABadDay('anthropic', random))
  await using gemini = await fakeUpstream(onABadDay('gemini', random))
  const upstreams = { openai, anthropic, gemini }
  await using gateway = await start({
    keys: [{ name: 'several', key: severalKey }],
    providers: Object.fromEntries(
      (['openai', 'anthropic', 'gemini'] as const).map((type) => [
        type,
        { type, baseUrl: upstreams[type].url, keys: ['one', 'two'] },
      ]),
    ),
    models: {
      routed: {
        targets: [{ target: 'openai/m' }, { target: 'anthropic/m' }],
        fallback: ['gemini/m', 'sticky'],
      },
      raced: {
        targets: [{ target: 'anthropic/m' }],
        fallback: ['openai/m'],
        hedge: { enabled: true, delayMs: 10 },
      },
      sticky: { targets: [{ target: 'gemini/m' }, { target: 'openai/n' }], sticky: true },
    },
    defaults: {
      retries: { attempts: 2, baseMs: 2, maxMs: 20 },
      timeouts: { headersMs: 100, firstTokenMs: 100, idleMs: 100, totalMs: 1_000 },
      breaker: { failures: 6, windowMs: 300, cooldownMs: 100 },
      unsupported: 'report',
    },
  })
  const counts = new Map<string, number>()
  let left = 300
  // On a busy machine more of them run into their limits: then it takes more calls until enough went well.
  const isEnough = () =>
    left <= 0 && (counts.get('200') ?? 0) > 50 && (counts.get('left') ?? 0) > 10
  const caller = async () => {
    while (!isEnough()) {
      left -= 1
      const end = await callOnce(gateway, random)
      counts.set(end, (counts.get(end) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 12 }, caller))

  expect([...counts.keys()].filter((end) => !/^(?:200|4\d\d|50[234]|left)$/.test(end))).toEqual([])
  expect(gateway.logged.filter(({ level }) => level === 'error')).toEqual([])
  const seen = Object.values(upstreams).flatMap((upstream) => upstream.seen)
  const asked = seen.filter(({ method }) => method === 'POST').length
  const { store } = gateway.gateway
  let records: readonly UsageRecord[] = []
  await until(() => {
    void store.listUsage({ limit: 9_999 }).then((list) => {
      records = list
    })
    return records.length >= asked
  })
  expect(overcounted(records)).toEqual([])
}, 60_000)

/**
 * Attempts with more than one record. One that asks Claude for several answers is as many requests, for it gives one
 * at a time; the request of another may have been taken back before the upstream read it, and still has its record.
 */
function overcounted(records: readonly UsageRecord[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { callId, attempt, keyId, provider } of records) {
    const fanned = keyId.includes('several') && provider === 'anthropic'
    const name = `${callId} ${attempt}${fanned ? ' fanned' : ''}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts]
    .filter(([name, count]) => count > (name.endsWith(' fanned') ? several : 1))
    .map(([name, count]) => `${name}: ${count}`)
}
