// Secrets that an upstream quotes are masked, and credentials are sent only to their own upstream.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Family,
  failingStream,
  families,
  refusing,
} from '../../support/fakes/error-responses.ts'
import {
  type Answering,
  type FakeUpstream,
  fakeUpstream,
  json,
  sse,
} from '../../support/fakes/fake-upstream.ts'
import { clientStreams } from '../../support/fakes/upstream-streams.ts'
import { noSuchAddress } from '../../support/gateways/two-keys.ts'
import { type Routes } from '../../support/routes.ts'
import { type Started, start, testKey, until } from '../../support/start.ts'

interface Secret {
  readonly name: string
  readonly key: string
  readonly header: string
  /** What the upstream quotes, given its own address where it has one. */
  readonly quoted: (url: string) => string
  /** What of it must not be seen. */
  readonly value: (url: string) => string
  /** Addresses are no business of callers, but operators find their way by them in the log. */
  readonly isAddress?: boolean
}

const ordinary = { key: 'sk-provider0123456789abcdef', header: 'plain' }
const unusual = { key: 'PROVIDERSECRET0123456789abcdef', header: 'hunter2-of-the-operator' }
const inside = 'https://vllm.corp.internal/v1/chat'

const secrets: readonly Secret[] = [
  {
    ...ordinary,
    name: 'a provider’s key of a known form',
    quoted: () => ordinary.key,
    value: () => ordinary.key,
  },
  {
    ...ordinary,
    name: 'a provider’s key behind the word Bearer',
    quoted: () => 'authorization: Bearer abcDEF0123456789',
    value: () => 'abcDEF0123456789',
  },
  {
    ...unusual,
    name: 'a provider’s key of no known form',
    quoted: () => unusual.key,
    value: () => unusual.key,
  },
  {
    ...unusual,
    name: 'the value of an operator’s header',
    quoted: () => unusual.header,
    value: () => unusual.header,
  },
  {
    ...ordinary,
    name: 'the base URL',
    quoted: (url) => `${url}/chat/completions`,
    value: (url) => url.replace('http://', ''),
    isAddress: true,
  },
  {
    ...ordinary,
    name: 'an inside address by its name',
    quoted: () => inside,
    value: () => 'corp.internal',
    isAddress: true,
  },
  {
    ...ordinary,
    name: 'the caller’s key',
    quoted: () => testKey,
    value: () => testKey.slice('sk-'.length),
  },
]
const credentials = secrets.filter(({ isAddress }) => isAddress !== true)

const chat = clientStreams[0]!

/** A provider of its own for each test: one gateway has those of a secret, and what one learns of it is not another's. */
interface Stage {
  readonly gateway: Started
  readonly provider: string
  readonly upstream: FakeUpstream
  readonly quote: string
  readonly value: string
}

const quoteOf = ({ quoted }: Secret, url = ''): string => `The proxy got ${quoted(url)} and said no`

/** So many tests of a family ask with one secret. */
const stagesMax = 16

type Stages = Readonly<Record<Family, Stage[]>>

async function openStages(secret: Secret, opened: AsyncDisposableStack): Promise<Stages> {
  const { key, header, value } = secret
  const providers: NonNullable<Routes['providers']> = {}
  const made: Record<string, FakeUpstream> = {}
  for (const family of families)
    for (let at = 0; at < stagesMax; at += 1) {
      const upstream = opened.use(await fakeUpstream((_seen, response) => noSuchAddress(response)))
      made[`${family}-${at}`] = upstream
      providers[`${family}-${at}`] = {
        type: family,
        baseUrl: upstream.url,
        key,
        headers: { 'x-operator': header },
      }
    }
  const gateway = opened.use(await start({ providers, defaults: { retries: { attempts: 1 } } }))
  const stagesOf = (family: Family) =>
    Object.entries(made)
      .filter(([provider]) => provider.startsWith(`${family}-`))
      .map(([provider, upstream]) => ({
        gateway,
        provider,
        upstream,
        quote: quoteOf(secret, upstream.url),
        value: value(upstream.url),
      }))
  return {
    openai: stagesOf('openai'),
    anthropic: stagesOf('anthropic'),
    gemini: stagesOf('gemini'),
  }
}

/** A provider that no test has asked yet. */
type NextStage = (family: Family) => Stage

/** The gateway of a secret, for the tests of the describe block that this is called in. */
function useStages(secret: Secret): NextStage {
  const opened = new AsyncDisposableStack()
  let stages: Stages | undefined
  beforeAll(async () => {
    stages = await openStages(secret, opened)
  })
  afterAll(() => opened.disposeAsync())
  return (family) => {
    const next = stages?.[family].pop()
    if (!next) throw new Error('More tests than providers: raise stagesMax')
    return next
  }
}

/** All that a caller gets to see of an answer. */
async function shown(response: Response): Promise<string> {
  return JSON.stringify([...response.headers]) + (await response.text())
}

/** One call of a format, and what its caller sees. */
let modelsAsked = 0

async function asked(
  { gateway, provider }: Stage,
  client: (typeof clientStreams)[number],
  stream: boolean,
) {
  // A limited key is not asked again for the same model.
  modelsAsked += 1
  const model = `${provider}/m${modelsAsked}`
  const body = client.body(model)
  const path = client.path(model)
  const seen = stream
    ? gateway.post(path, body)
    : gateway.post(path.replace(':streamGenerateContent?alt=sse', ':generateContent'), {
        ...body,
        ...('stream' in body && { stream: false }),
      })
  return shown(await seen)
}

const statuses = [400, 401, 402, 403, 404, 422, 429, 500, 503] as const
/** Of these only the status is said, and the words are kept for the log. */
const unsaid: ReadonlySet<number> = new Set([401, 402, 403])

describe.each(secrets)('$name', (secret) => {
  const next = useStages(secret)

  describe.each(families)('in an upstream error of type %s', (family) => {
    for (const status of statuses)
      test(`with ${status} is masked for the caller`, () =>
        unseenInAnswer(next(family), family, status))

    test.each(['before the content', 'after the content'] as const)(
      'by an error event %s is masked for the caller',
      (place) => unseenInStream(next(family), family, place),
    )
  })

  test('in an error body with status 200 is masked for the caller', () =>
    unseenInErrorBody(next('openai')))

  test.each(['text/event-stream', 'text/html'])(
    'in %s in place of audio is masked for the caller',
    (contentType) => unseenInSpeech(next('openai'), contentType),
  )

  test('in a failed response is masked for the caller', () =>
    unseenInFailedResponse(next('openai')))
})

describe.each(credentials)('$name', (secret) => {
  const next = useStages(secret)

  test.each(statuses)('quoted with %i is not in the log', (status) =>
    unseenInLog(next('openai'), refusing('openai', status, quoteOf(secret)), false),
  )

  test('as the code of an error is not in the log', () =>
    unseenInLog(next('openai'), refusingWithCode(secret.quoted('')), false))

  test('quoted by an error event is not in the log', () =>
    unseenInLog(
      next('openai'),
      failingStream('openai', 'after the content', quoteOf(secret)),
      true,
    ))
})

async function unseenInAnswer(staged: Stage, family: Family, status: number): Promise<void> {
  staged.upstream.answer(refusing(family, status, staged.quote))
  // A refused key is set aside, so that a second call would not get so far.
  const ways = unsaid.has(status)
    ? [[chat, false] as const]
    : clientStreams.flatMap((client) => [[client, false] as const, [client, true] as const])
  for (const [client, stream] of ways) {
    const text = await asked(staged, client, stream)
    expect(text).not.toContain(staged.value)
    if (!unsaid.has(status)) expect(text).toContain('and said no')
  }
  expect(staged.upstream.seen.length).toBeGreaterThanOrEqual(ways.length)
}

async function unseenInStream(
  staged: Stage,
  family: Family,
  place: Parameters<typeof failingStream>[1],
): Promise<void> {
  staged.upstream.answer(failingStream(family, place, staged.quote))
  for (const client of clientStreams)
    expect(await asked(staged, client, true)).not.toContain(staged.value)
}

async function unseenInErrorBody(staged: Stage): Promise<void> {
  staged.upstream.answer((seen, response) =>
    seen.path.endsWith('/responses')
      ? noSuchAddress(response)
      : json(response, { error: { message: staged.quote, type: 't', code: null } }),
  )
  const text = await asked(staged, chat, false)
  expect(text).not.toContain(staged.value)
  expect(text).toContain('502')
}

async function unseenInSpeech(staged: Stage, contentType: string): Promise<void> {
  const error = JSON.stringify({ error: { message: staged.quote } })
  staged.upstream.answer((_seen, response) => {
    response.writeHead(200, { 'content-type': contentType }).end(`data: ${error}\n\n`)
  })
  const body = { model: `${staged.provider}/m`, input: 'Hi', voice: 'alloy' }
  const answer = await staged.gateway.post('/v1/audio/speech', body)
  expect(answer.status).toBe(502)
  expect(await shown(answer)).not.toContain(staged.value)
}

/** Answers every call with an error whose code is these words. */
const refusingWithCode =
  (code: string): Answering =>
  (seen, response) =>
    seen.path.endsWith('/responses')
      ? noSuchAddress(response)
      : json(response, { error: { message: 'No', type: 't', param: null, code } }, { status: 400 })

/** An upstream that speaks Responses itself, whose answer is a failure in the format's own form. */
async function unseenInFailedResponse(staged: Stage): Promise<void> {
  const failed = {
    id: 'resp_failed',
    object: 'response',
    created_at: 1,
    status: 'failed',
    model: 'm',
    error: { code: 'server_error', message: staged.quote },
    output: [],
  }
  staged.upstream.answer((seen, response) =>
    seen.body['stream'] === true
      ? sse(response, [
          `event: response.failed\ndata: ${JSON.stringify({ type: 'response.failed', response: failed })}\n\n`,
        ])
      : json(response, failed),
  )
  const responses = clientStreams.find(({ path }) => path('m').startsWith('/v1/responses'))!
  for (const stream of [false, true]) {
    const text = await asked(staged, responses, stream)
    expect(text).not.toContain(staged.value)
    expect(text).toContain('and said no')
  }
}

async function unseenInLog(staged: Stage, answering: Answering, stream: boolean): Promise<void> {
  const { logged } = staged.gateway
  const before = logged.length
  staged.upstream.answer(answering)
  await asked(staged, chat, stream)
  await until(() => logged.slice(before).some(({ message }) => message === 'request'))
  expect(JSON.stringify(logged)).not.toContain(staged.value)
}
