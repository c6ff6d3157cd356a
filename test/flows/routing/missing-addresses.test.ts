// Upstreams that lack an address: the call is sent in another form, and what a server lacks is learnt from what it does.
import { describe, expect, test } from 'vitest'
import { answerMessage, anthropicMessage, textBlock } from '../../support/fakes/anthropic-wire.ts'
import {
  type Answering,
  type FakeUpstream,
  fakeUpstream,
  json,
  sse,
} from '../../support/fakes/fake-upstream.ts'
import { missingAddresses } from '../../support/fakes/missing-addresses.ts'
import { chatReply, textStream } from '../../support/fakes/openai-wire.ts'
import { type Started, start, testKey } from '../../support/start.ts'

const shapes = Object.entries(missingAddresses)
const lmStudio = missingAddresses['LM Studio']!

/** A server with chat completions alone. */
const chatOnly =
  (missing: Answering): Answering =>
  (seen, response, request) => {
    if (!seen.path.endsWith('/chat/completions')) return missing(seen, response, request)
    return seen.body['stream'] === true
      ? sse(response, textStream)
      : json(response, chatReply('Hello'))
  }

/** The response that such a server would give if it spoke Responses, too. */
const response = (text: string) => ({
  id: 'resp_up1',
  object: 'response',
  created_at: 1_760_000_001,
  status: 'completed',
  model: 'm',
  output: [
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text, annotations: [] }],
    },
  ],
  usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
})

const paths = ({ seen }: FakeUpstream) => seen.map(({ path }) => path)

function inFront(type: string, upstream: FakeUpstream, further: object = {}): Promise<Started> {
  const baseUrl = type === 'openai' ? `${upstream.url}/v1` : upstream.url
  return start({
    providers: { up: { type, baseUrl, key: 'k' }, ...further },
    defaults: { retries: { attempts: 1 } },
  } as Parameters<typeof start>[0])
}

const asked = { model: 'up/m', input: 'Hi' }
const counted = { model: 'up/m', messages: [{ role: 'user', content: 'Hello there' }] }
const contents = [{ role: 'user', parts: [{ text: 'Hello there' }] }]

const embeddings = {
  object: 'list',
  model: 'm',
  data: [{ object: 'embedding', index: 0, embedding: [0.1] }],
  usage: { prompt_tokens: 1, total_tokens: 1 },
}

describe.each(shapes)('an upstream without an address, as %s says it', (_, missing) => {
  test.each([false, true])('is asked for a response as chat, streamed: %s', async (stream) => {
    await using upstream = await fakeUpstream(chatOnly(missing))
    await using gateway = await inFront('openai', upstream)
    const ask = async () => {
      const answer = await gateway.post('/v1/responses', { ...asked, stream })
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Hello')])
    }
    await ask()
    expect(paths(upstream)).toEqual(['/v1/responses', '/v1/chat/completions'])
    await ask()
    expect(paths(upstream).slice(2)).toEqual(['/v1/chat/completions'])
  })

  test('compacts by a chat', async () => {
    await using upstream = await fakeUpstream(chatOnly(missing))
    await using gateway = await inFront('openai', upstream)
    const answer = await gateway.post('/v1/responses/compact', asked)
    expect(answer.status).toBe(200)
    expect(paths(upstream)).toEqual(['/v1/responses/compact', '/v1/chat/completions'])
  })

  test.each([
    ['anthropic', '/v1/messages/count_tokens', counted, { input_tokens: expect.any(Number) }],
    [
      'gemini',
      '/v1beta/models/up%2Fm:countTokens',
      { contents },
      { totalTokens: expect.any(Number) },
    ],
    [
      'openai',
      '/v1/responses/input_tokens',
      asked,
      { object: 'response.input_tokens', input_tokens: expect.any(Number) },
    ],
  ])('counts tokens itself, for %s', async (type, path, body, expected) => {
    await using upstream = await fakeUpstream(missing)
    await using gateway = await inFront(type, upstream)
    for (const _ of [1, 2]) {
      const answer = await gateway.post(path, body)
      expect(answer.status).toBe(200)
      expect(await answer.json()).toEqual(expected)
      expect(answer.headers.get('x-sluice-count-estimated')).toBe('true')
    }
    expect(paths(upstream).filter((one) => !/(?:count|input)_?tokens/i.test(one))).toEqual([])
  })

  test('lists no models, and serves those that are named', async () => {
    await using upstream = await fakeUpstream(chatOnly(missing))
    await using gateway = await inFront('openai', upstream)
    const headers = { authorization: `Bearer ${testKey}` }
    const list = await fetch(`${gateway.url}/v1/models`, { headers })
    expect(list.status).toBe(200)
    expect(paths(upstream)).toEqual(['/v1/models'])
    // A list that was not fetched would be asked for, and the name could not be refused.
    const other = await gateway.post('/v1/chat/completions', { ...counted, model: 'unknown-one' })
    expect(other.status).toBe(404)
    expect((await gateway.post('/v1/chat/completions', counted)).status).toBe(200)
  })
})

// A page may also come from a proxy whose server is down.
test.each(shapes.filter(([name]) => name !== 'a page at every address'))(
  'an address that is missing as %s says it moves no breaker',
  async (_, missing) => {
    await using upstream = await fakeUpstream(chatOnly(missing))
    await using paid = await fakeUpstream((seen, reply, request) =>
      seen.path.endsWith('/embeddings')
        ? json(reply, embeddings)
        : chatOnly(missing)(seen, reply, request),
    )
    await using gateway = await start({
      providers: {
        up: { type: 'openai', baseUrl: `${upstream.url}/v1`, key: 'k' },
        paid: { type: 'openai', baseUrl: `${paid.url}/v1`, key: 'k' },
      },
      models: { loc: { targets: [{ target: 'up/m' }], fallback: ['paid/m'] } },
      defaults: { retries: { attempts: 1 } },
    })
    for (let index = 0; index < 6; index += 1)
      expect((await gateway.post('/v1/embeddings', { model: 'loc', input: 'Hi' })).status).toBe(200)
    const before = paid.seen.length
    const answer = await gateway.post('/v1/chat/completions', { ...counted, model: 'loc' })
    expect(answer.status).toBe(200)
    expect(paid.seen.length).toBe(before)
  },
)

const chatAsWell = chatOnly((seen, reply) => json(reply, response(`${seen.path} answers`)))

describe('a failed Responses call', () => {
  const bodies: Readonly<Record<string, object>> = {
    'names the model': { error: { message: 'The model `m` does not exist', code: null } },
    'has the code of a missing model': { error: { message: 'Gone', code: 'model_not_found' } },
    'has a parameter': { error: { message: 'Gone', param: 'tools[0]', code: null } },
    'names an id that was sent': { error: { message: "Item 'rs_12345' not found.", code: null } },
  }
  test.each(Object.entries(bodies))('stays one where the 404 %s', async (_, body) => {
    await using upstream = await fakeUpstream(
      chatOnly((_seen, reply) => json(reply, body, { status: 404 })),
    )
    await using gateway = await inFront('openai', upstream)
    const input = [
      { role: 'user', content: 'Hi' },
      { type: 'function_call', id: 'fc_1', call_id: 'rs_12345', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'rs_12345', output: 'x' },
    ]
    const answer = await gateway.post('/v1/responses', { model: 'up/m', input })
    expect(answer.status).toBe(404)
    expect(paths(upstream)).toEqual(['/v1/responses'])
  })

  test('switches nothing off where the request refers to something stored', async () => {
    let isLost = true
    await using upstream = await fakeUpstream((seen, reply, request) =>
      isLost && seen.path === '/v1/responses'
        ? json(reply, { detail: 'Not Found' }, { status: 404 })
        : chatAsWell(seen, reply, request),
    )
    await using gateway = await inFront('openai', upstream)
    const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{}' }
    const given = { type: 'function_call_output', call_id: 'c1', output: 'x' }
    const mine = { model: 'up/m', input: [call, given] }
    expect((await gateway.post('/v1/responses', mine)).status).toBe(200)
    expect(paths(upstream)).toEqual(['/v1/responses', '/v1/chat/completions'])
    isLost = false
    await gateway.post('/v1/responses', asked)
    expect(paths(upstream).at(-1)).toBe('/v1/responses')
  })

  test('switches nothing off where the other form does not work either', async () => {
    let isDown = true
    await using upstream = await fakeUpstream((seen, reply, request) =>
      isDown
        ? json(reply, { detail: 'Not Found' }, { status: 404 })
        : chatAsWell(seen, reply, request),
    )
    await using gateway = await inFront('openai', upstream)
    expect((await gateway.post('/v1/responses', asked)).status).toBe(404)
    isDown = false
    await gateway.post('/v1/responses', asked)
    expect(paths(upstream).at(-1)).toBe('/v1/responses')
  })

  test('is answered as it was where the other form cannot express the request', async () => {
    await using upstream = await fakeUpstream(
      chatOnly((_seen, reply) => json(reply, { error: { message: 'gone' } }, { status: 404 })),
    )
    await using gateway = await inFront('openai', upstream)
    const tools = [{ type: 'mcp', server_label: 'x', server_url: 'https://mcp.example.com' }]
    const answer = await gateway.post('/v1/responses', { ...asked, tools })
    expect(answer.status).toBe(404)
    expect(await answer.text()).toContain('gone')
  })
})

test.each(['FastAPI', 'Moonshot', 'LM Studio'])(
  'a server that loses Responses is asked as chat, as %s says it',
  async (name) => {
    let missing: Answering | undefined
    await using upstream = await fakeUpstream((seen, reply, request) =>
      missing && seen.path === '/v1/responses'
        ? missing(seen, reply, request)
        : chatAsWell(seen, reply, request),
    )
    await using gateway = await inFront('openai', upstream)
    const ask = () => gateway.post('/v1/responses', asked)
    expect(await (await ask()).text()).toContain('/v1/responses answers')
    missing = missingAddresses[name]!
    for (const _ of [1, 2, 3]) expect((await ask()).status).toBe(200)
    const before = upstream.seen.length
    await ask()
    expect(paths(upstream).slice(before)).toEqual(['/v1/chat/completions'])
  },
)

describe('what a failed call teaches', () => {
  const other = 'sk-other0123456789abcdef'
  type Way = readonly [what: string, missing: Answering, asksOther: string, asksModel: string]
  const text =
    (status: number, type: string, words: string): Answering =>
    (_seen, reply) => {
      reply.writeHead(status, { 'content-type': type })
      reply.end(words)
    }
  const again = '/v1/responses'
  const learnt = '/v1/chat/completions'
  const ways: readonly Way[] = [
    ['an address without the method', missingAddresses['a refused method']!, learnt, learnt],
    ['an address that is called unknown', missingAddresses['Cloudflare']!, learnt, learnt],
    ['the same with status 200', lmStudio, learnt, again],
    ['a 404 that may be the model’s', text(404, 'text/plain', 'No such model'), learnt, again],
    ['a 404 that says so', missingAddresses['FastAPI']!, learnt, again],
    ['a 404 in other words', missingAddresses['Moonshot']!, again, again],
    ['an error with status 200', (_, reply) => json(reply, { error: 'Busy now' }), again, again],
    ['a page with status 200', missingAddresses['a page at every address']!, again, again],
  ]
  test.each(ways)('%s', async (_, missing, asksOther, asksModel) => {
    await using upstream = await fakeUpstream((seen, reply, request) =>
      seen.path === '/v1/responses' && seen.body['model'] === 'm'
        ? missing(seen, reply, request)
        : chatAsWell(seen, reply, request),
    )
    await using gateway = await start({
      providers: { up: { type: 'openai', baseUrl: `${upstream.url}/v1`, key: 'k' } },
      keys: [{ name: 'other', key: other }],
      defaults: { retries: { attempts: 1 } },
    })
    const firstAsked = async (body: object, key = testKey) => {
      const before = upstream.seen.length
      const answer = await gateway.post('/v1/responses', body, { key })
      expect(answer.status).toBe(200)
      return paths(upstream)[before]
    }
    expect(await firstAsked(asked)).toBe(again)
    expect(await firstAsked(asked)).toBe(learnt)
    expect(await firstAsked(asked, other)).toBe(asksOther)
    expect(await firstAsked({ ...asked, model: 'up/n' })).toBe(asksModel)
  })

  test('a count that fails counts for its caller alone, because nothing confirms it', async () => {
    await using upstream = await fakeUpstream(missingAddresses['a refused method']!)
    await using gateway = await start({
      providers: { up: { type: 'anthropic', baseUrl: upstream.url, key: 'k' } },
      keys: [{ name: 'other', key: other }],
    })
    for (const [key, asks] of [
      [testKey, 1],
      [testKey, 1],
      [other, 2],
      [other, 2],
    ] as const) {
      await gateway.post('/v1/messages/count_tokens', counted, { key })
      expect(upstream.seen).toHaveLength(asks)
    }
  })
})

describe('counting tokens', () => {
  const messages = { ...counted, max_tokens: 9, model: 'loc' }
  const failures: Readonly<Record<string, Answering>> = {
    'a missing address': lmStudio,
    'a broken server': (_seen, reply) => json(reply, { error: 'x' }, { status: 500 }),
    'a refused key': (_seen, reply) => json(reply, { error: 'x' }, { status: 401 }),
    'a rate limit of its own': (_seen, reply) =>
      json(reply, { error: 'x' }, { status: 429, headers: { 'retry-after': '60' } }),
    'an unreadable answer': (_seen, reply) => void reply.end('<html>'),
    'a closed connection': (_seen, reply) => void reply.destroy(),
  }
  test.each(Object.entries(failures))(
    'moves no breaker and rests no key after %s',
    async (_, failing) => {
      const claude =
        (text: string): Answering =>
        (seen, reply, request) =>
          seen.path.startsWith('/v1/messages/count_tokens')
            ? failing(seen, reply, request)
            : answerMessage(seen, reply, anthropicMessage([textBlock(text)]))
      await using upstream = await fakeUpstream(claude('local'))
      await using paid = await fakeUpstream(claude('paid'))
      await using gateway = await start({
        providers: {
          up: { type: 'anthropic', baseUrl: upstream.url, key: 'k' },
          paid: { type: 'anthropic', baseUrl: paid.url, key: 'k' },
        },
        models: { loc: { targets: [{ target: 'up/m' }], fallback: ['paid/m'] } },
      })
      for (let index = 0; index < 6; index += 1) {
        const count = await gateway.post('/v1/messages/count_tokens', { ...counted, model: 'loc' })
        expect([count.status, count.headers.get('x-sluice-count-estimated')]).toEqual([200, 'true'])
      }
      const answer = await gateway.post('/v1/messages', messages)
      expect(await answer.text()).toContain('local')
      expect(paid.seen).toEqual([])
      expect(paths(upstream).filter((path) => path === '/v1/messages')).toHaveLength(1)
    },
  )
})
