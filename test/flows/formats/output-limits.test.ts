// Output limits above the target's maximum are lowered and reported, in every client format, passed on and translated.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  answerMessage,
  anthropicMessage,
  refuseMessage,
  textBlock,
} from '../../support/fakes/anthropic-wire.ts'
import {
  type Answering,
  type FakeUpstream,
  fakeUpstream,
  json,
} from '../../support/fakes/fake-upstream.ts'
import { answerContent } from '../../support/fakes/gemini-wire.ts'
import { answerCompletion } from '../../support/fakes/openai-wire.ts'
import { answerResponse, messageItem } from '../../support/fakes/responses-wire.ts'
import { ledger } from '../../support/ledger.ts'
import type { Routes } from '../../support/routes.ts'
import { type Started, start } from '../../support/start.ts'

const asked = 64_000

/** The limit as each client format writes it, and where the upstream's format has it. */
const faces = {
  chat: ['/v1/chat/completions', (n: number) => ({ max_tokens: n }), 'max_tokens'],
  'chat, the newer name': [
    '/v1/chat/completions',
    (n: number) => ({ max_completion_tokens: n }),
    'max_completion_tokens',
  ],
  messages: ['/v1/messages', (n: number) => ({ max_tokens: n }), 'max_tokens'],
  responses: ['/v1/responses', (n: number) => ({ max_output_tokens: n }), 'max_output_tokens'],
  gemini: [
    'generateContent',
    (n: number) => ({ generationConfig: { temperature: 0.25, maxOutputTokens: n } }),
    'generationConfig.maxOutputTokens',
  ],
  'gemini in snake case': [
    'generateContent',
    (n: number) => ({ generation_config: { max_output_tokens: n, temperature: 0.25 } }),
    'generation_config.max_output_tokens',
  ],
} as const

type Face = keyof typeof faces

const messages = [{ role: 'user', content: 'Hi' }]

function post(to: Started, face: Face, model: string, headers: Record<string, string> = {}) {
  return postWith(to, face, { model }, headers)
}

function postWith(
  to: Started,
  face: Face,
  { model, ...rest }: { readonly model: string } & Readonly<Record<string, unknown>>,
  headers: Record<string, string> = {},
) {
  const [path, limit] = faces[face]
  const own = limit(asked)
  if (path === 'generateContent')
    return to.post(
      `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
      { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], ...own, ...rest },
      { headers },
    )
  const prompt = path === '/v1/responses' ? { input: 'Hi' } : { messages }
  return to.post(path, { model, ...prompt, ...own, ...rest }, { headers })
}

type Type = 'openai' | 'openai-responses' | 'anthropic' | 'gemini'

/** An upstream that answers in its own format, and the limit that it was sent. */
const upstreams: Readonly<Record<Type, { answer: Answering; refuse: Answering }>> = {
  openai: {
    answer: (seen, response) => answerCompletion(seen, response, { text: 'Hello' }),
    refuse: refusing(
      (n) =>
        `max_tokens is too large: ${n}. This model supports at most 8192 completion tokens, whereas you provided ${n}.`,
    ),
  },
  'openai-responses': {
    answer: (seen, response) => answerResponse(seen, response, [messageItem('Hello')]),
    refuse: refusing(
      (n) => `Invalid 'max_output_tokens': ${n}. Expected a value <= 8192, but got ${n} instead.`,
    ),
  },
  anthropic: {
    answer: (seen, response) =>
      answerMessage(seen, response, anthropicMessage([textBlock('Hello')])),
    refuse: (seen, response) =>
      refuseMessage(
        response,
        `max_tokens: ${limitIn(seen.body)} > 8192, which is the maximum allowed number of output tokens for m-3-5`,
      ),
  },
  gemini: {
    answer: (seen, response) => answerContent(seen, response, [{ text: 'Hello' }]),
    refuse: (seen, response) =>
      json(
        response,
        {
          error: {
            code: 400,
            message: `Unable to submit request because it has a maxOutputTokens value of ${limitIn(seen.body)} but the supported range is from 1 (inclusive) to 8193 (exclusive). Update the value and try again.`,
            status: 'INVALID_ARGUMENT',
          },
        },
        { status: 400 },
      ),
  },
}

function refusing(message: (limit: number) => string): Answering {
  return (seen, response) =>
    json(
      response,
      {
        error: { message: message(limitIn(seen.body)), type: 'invalid_request_error', code: null },
      },
      { status: 400 },
    )
}

function limitIn(body: Readonly<Record<string, unknown>>): number {
  const config = (body['generationConfig'] ?? body['generation_config'] ?? {}) as typeof body
  const found = [
    body['max_completion_tokens'],
    body['max_tokens'],
    body['max_output_tokens'],
    config['maxOutputTokens'],
    config['max_output_tokens'],
  ]
  return Number(found.find((value) => value != null) ?? 0)
}

/** Answers a request whose limit it accepts, and refuses others. */
function limited(type: Type, most = 8192): Answering {
  return (seen, response, request) =>
    upstreams[type][limitIn(seen.body) > most ? 'refuse' : 'answer'](seen, response, request)
}

const types = Object.keys(upstreams) as Type[]
const pairs = types.flatMap((type) =>
  (Object.keys(faces) as Face[]).map((face) => [type, face] as const),
)

let upstream: FakeUpstream
let gateway: Started
let type: Type
async function open(of: Type, further: Routes = {}, provider: object = {}) {
  type = of
  upstream = await fakeUpstream(limited(of))
  gateway = await start({
    providers: { up: { type, baseUrl: upstream.url, key: 'k', ...provider } },
    defaults: { retries: { attempts: 1 } },
    ...further,
  })
}
afterEach(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const limits = () =>
  upstream.seen.filter(({ body }) => limitIn(body) > 0).map(({ body }) => limitIn(body))

describe.each(pairs)('%s, asked as %s', (of, face) => {
  test('lowers the output limit to the model’s configured maximum and reports the field', async () => {
    await open(of, {}, { models: [{ id: 'm', outputTokenLimit: 4000 }] })
    const response = await post(gateway, face, 'up/m')
    expect(response.status, await response.text()).toBe(200)
    expect(limits()).toEqual([4000])
    expect(response.headers.get('x-sluice-dropped')).toBe(faces[face][2])
    expect(response.headers.get('x-sluice-attempts')).toBe('1')
  })

  test('retries once with the maximum that the upstream’s error names, and remembers it', async () => {
    await open(of)
    const first = await post(gateway, face, 'up/m')
    expect(first.status, await first.text()).toBe(200)
    expect(limits()).toEqual([asked, 8192])
    expect(first.headers.get('x-sluice-dropped')).toBe(faces[face][2])
    expect(first.headers.get('x-sluice-attempts')).toBe('2')
    const second = await post(gateway, face, 'up/m')
    expect(second.status, await second.text()).toBe(200)
    expect(limits()).toEqual([asked, 8192, 8192])
    expect(second.headers.get('x-sluice-dropped')).toBe(faces[face][2])
  })

  test('rejects the request if nothing may be changed, naming the field', async () => {
    await open(of, { unsupported: 'refuse' }, { models: [{ id: 'm', outputTokenLimit: 4000 }] })
    const response = await post(gateway, face, 'up/m')
    const text = await response.text()
    expect(response.status, text).toBe(400)
    expect(text).toContain(`'${faces[face][2]}'`)
    expect(text).toContain('4000')
    expect(limits()).toEqual([])
  })
})

describe('the ledger of a retried output limit', () => {
  beforeEach(() => open('openai'))

  test('has both attempts and charges only the successful one', async () => {
    await gateway.configure({
      providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
      prices: { 'up/*': { input: 1, output: 1 } },
    })
    await (await post(gateway, 'chat', 'up/m')).text()
    const records = await ledger(gateway)
    const told = records.map(({ attempt, outcome, costMicroUsd }) => [
      attempt,
      outcome,
      costMicroUsd,
    ])
    expect(told.toSorted(([one], [other]) => Number(one) - Number(other))).toEqual([
      [1, 'failed', 0],
      [2, 'completed', expect.any(Number)],
    ])
    expect(records.find(({ attempt }) => attempt === 2)?.costMicroUsd).toBeGreaterThan(0)
  })

  test('has no third attempt if the lowered limit is rejected too', async () => {
    upstream.answer(limited('openai', 100))
    const response = await post(gateway, 'messages', 'up/m')
    expect(response.status).toBe(400)
    expect(limits()).toEqual([asked, 8192])
    // It was not accepted, so nothing was learned.
    upstream.answer(limited('openai'))
    await (await post(gateway, 'messages', 'up/m')).text()
    expect(limits()).toEqual([asked, 8192, asked, 8192])
  })
})

describe('an upstream error', () => {
  beforeEach(() => open('openai'))

  test.each([
    ['another reason', 400, 'max_tokens must be an integer'],
    ['a rate limit', 429, 'Limit of max_tokens 64000 per minute: at most 8192'],
    ['no number', 400, 'max_tokens is too large'],
    ['several numbers', 400, 'max_tokens 64000: 100, 200 or 300'],
  ])('for %s is not retried with a lower limit', async (_, status, message) => {
    upstream.answer((_seen, response) => json(response, { error: { message } }, { status }))
    const response = await post(gateway, 'chat', 'up/m')
    await response.text()
    expect(response.status).toBe(status)
    expect(new Set(limits())).toEqual(new Set([asked]))
  })

  test('that names a context window is retried with what the prompt leaves, also later', async () => {
    const window: Answering = (seen, response, request) => {
      const left = 32_768 - 13
      if (limitIn(seen.body) <= left) return upstreams.openai.answer(seen, response, request)
      return json(
        response,
        {
          object: 'error',
          message: `'max_tokens' or 'max_completion_tokens' is too large: ${limitIn(seen.body)}. This model's maximum context length is 32768 tokens and your request has 13 input tokens (64000 > 32768 - 13). None`,
          type: 'BadRequestError',
          code: 400,
        },
        { status: 400 },
      )
    }
    upstream.answer(window)
    for (const face of ['chat', 'messages'] as const) {
      const response = await post(gateway, face, 'up/m')
      expect(response.status, await response.text()).toBe(200)
      expect(response.headers.get('x-sluice-dropped')).toBe('max_tokens')
    }
    const [first, second, third, ...more] = limits()
    expect([first, second, more]).toEqual([asked, 32_755, []])
    expect(third).toBeLessThan(32_768)
    expect(third).toBeGreaterThan(32_000)
  })

  test('for a stream is retried as a stream', async () => {
    const response = await postWith(gateway, 'chat', { model: 'up/m', stream: true })
    expect(await response.text()).toContain('[DONE]')
    expect(response.headers.get('x-sluice-dropped')).toBe('max_tokens')
    expect(limits()).toEqual([asked, 8192])
  })
})

describe('a model’s maximum output', () => {
  test('is read from the upstream’s list of models', async () => {
    await open('openai')
    upstream.answer((seen, response, request) =>
      seen.path.endsWith('/models')
        ? json(response, { data: [{ id: 'm', max_completion_tokens: 2048 }] })
        : limited('openai')(seen, response, request),
    )
    await (await gateway.request('/v1/models')).text()
    for (const face of ['chat', 'messages'] as const)
      await (await post(gateway, face, 'up/m')).text()
    expect(limits()).toEqual([2048, 2048])
  })

  test.each([
    ['anthropic', 'claude-opus-4-1', 32_000],
    ['anthropic', 'claude-3-5-haiku-20241022', 8192],
    ['gemini', 'gemini-2.0-flash', 8192],
  ] as const)('is known for %s: %s', async (of, model, most) => {
    await open(of)
    upstream.answer(limited(of, most))
    for (const face of ['chat', 'messages', 'gemini'] as const) {
      const response = await post(gateway, face, `up/${model}`)
      expect(response.status, await response.text()).toBe(200)
      expect(response.headers.get('x-sluice-dropped')).toBe(faces[face][2])
    }
    expect(limits()).toEqual([most, most, most])
  })

  test('also lowers the thinking budget, which must be smaller', async () => {
    await open('anthropic')
    upstream.answer(limited('anthropic', 32_000))
    const thinking = { type: 'enabled', budget_tokens: 40_000 }
    const model = 'up/claude-opus-4-1'
    for (const hidden of [{}, { messages: [{ role: 'user', content: 'Hi' }], mcp_servers: [] }]) {
      const response = await postWith(gateway, 'messages', { model, thinking, ...hidden })
      expect(response.status, await response.text()).toBe(200)
      expect(response.headers.get('x-sluice-dropped')).toBe('max_tokens, thinking.budget_tokens')
      const { body } = upstream.seen.at(-1)!
      expect(body['thinking']).toEqual({ type: 'enabled', budget_tokens: 31_999 })
    }
  })

  test('leaves the bytes of a request at or below it unchanged', async () => {
    await open('openai', {}, { models: [{ id: 'm', outputTokenLimit: asked }] })
    upstream.answer(limited('openai', asked))
    const text = `{ "model":"up/m", "messages":[{"role":"user","content":"Hi"}],  "max_tokens": ${asked}, "x":1.0}`
    const response = await gateway.request('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
    })
    await response.text()
    expect(upstream.seen.at(-1)?.text).toBe(text.replace('up/m', 'm'))
    expect(response.headers.get('x-sluice-dropped')).toBeNull()
  })

  test('changes only the limit in the bytes of a request above it', async () => {
    await open('gemini', {}, { models: [{ id: 'm', outputTokenLimit: 100 }] })
    const body = (limit: number) =>
      `{ "contents":[{"parts":[{"text":"Hi"}]}],  "generationConfig" : {"topP":1.0, "maxOutputTokens" : ${limit} }, "x":1e1}`
    const response = await gateway.request('/v1beta/models/up%2Fm:generateContent', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: body(asked),
    })
    await response.text()
    expect(upstream.seen.at(-1)?.text).toBe(body(100))
  })

  test('applies to the built-in engine and is reported', async () => {
    await open('openai', { builtin: { enabled: 'always' } })
    for (const face of ['chat', 'messages', 'responses', 'gemini'] as const) {
      const response = await post(gateway, face, 'builtin-chat')
      expect(response.status, await response.text()).toBe(200)
      expect(response.headers.get('x-sluice-dropped')).toContain(faces[face][2])
      const refused = await post(gateway, face, 'builtin-chat', {
        'x-sluice-unsupported': 'refuse',
      })
      expect(refused.status).toBe(400)
      expect(await refused.text()).toContain(faces[face][2])
    }
  })

  test('applies to text completions', async () => {
    await open('openai', {}, { models: [{ id: 'm', outputTokenLimit: 100 }] })
    upstream.answer((seen, response) =>
      json(response, {
        id: 'cmpl-1',
        object: 'text_completion',
        created: 1,
        model: 'm',
        choices: [{ text: 'a', index: 0, logprobs: null, finish_reason: 'stop' }],
        usage: {
          prompt_tokens: 1,
          completion_tokens: 1,
          total_tokens: Number(seen.body['max_tokens']),
        },
      }),
    )
    const body = { model: 'up/m', prompt: 'Hi', max_tokens: asked }
    const response = await gateway.post('/v1/completions', body)
    await response.text()
    expect(response.headers.get('x-sluice-dropped')).toBe('max_tokens')
    expect(limits()).toEqual([100])
  })
})
