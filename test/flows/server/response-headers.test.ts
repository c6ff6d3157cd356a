// What callers rely on in a response besides its content.
import { describe, expect, test } from 'vitest'
import { fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chunk, textStream } from '../../support/fakes/openai-wire.ts'
import { noSuchAddress, videoTask } from '../../support/gateways/two-keys.ts'
import { ask, at, error, good } from '../../support/routes.ts'
import { adminKey, start } from '../../support/start.ts'

describe('CORS lets pages of other origins read', () => {
  const asked = { model: 'up/m', ...ask }
  const json200 = (body: object) => ({ method: 'POST', body: JSON.stringify(body) })

  test.each<[string, string, { method?: string; body?: string; key?: string | null }, number]>([
    ['a whole answer', '/v1/chat/completions', json200(asked), 200],
    ['a stream', '/v1/chat/completions', json200({ ...asked, stream: true }), 200],
    ['an upstream’s error', '/v1/chat/completions', json200({ ...asked, model: 'bad/m' }), 400],
    ['an invalid request', '/v1/chat/completions', json200({}), 400],
    ['a refusal without a key', '/v1/models', { key: null }, 401],
    ['a list', '/v1/models', {}, 200],
    ['an unknown path', '/v1/nothing', {}, 404],
    ['a wrong method', '/v1/models', { method: 'DELETE' }, 405],
    ['health', '/healthz', { key: null }, 200],
    ['an answer to an administrator', '/admin/v1/explain', { ...json200({}), key: adminKey }, 400],
    ['an undecodable path', '/v1/models/%zz', {}, 400],
  ])('%s and its response headers', async (_name, path, options, status) => {
    await using up = await fakeUpstream((seen, response, request) =>
      seen.body['stream'] === true ? sse(response, textStream) : good(seen, response, request),
    )
    await using bad = await fakeUpstream(error(400))
    await using gateway = await start(at({ up, bad }))
    const headers = { origin: 'https://page.example', 'content-type': 'application/json' }
    const response = await gateway.request(path, { ...options, headers })
    await response.text()
    expect(response.status).toBe(status)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-expose-headers')).toBe('*')
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    expect(response.headers.get('x-request-id')).not.toBeNull()
  })
})

const keepAliveMs = 60
const comment = ': keep-alive\n\n'

test.each(['while it waits', 'at once'])(
  'sends no keep-alive comments in a stream that begins %s and keeps sending',
  async (begins) => {
    await using up = await fakeUpstream(async (_seen, response) => {
      if (begins === 'while it waits')
        await new Promise((resolve) => setTimeout(resolve, 2 * keepAliveMs))
      await sse(response, [chunk({ role: 'assistant', content: 'first' })], { end: false })
      const until = Date.now() + 20 * keepAliveMs
      while (Date.now() < until) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        await sse(response, [chunk({ content: '.' })], { end: false })
      }
      await sse(response, textStream.slice(1))
    })
    await using gateway = await start(at({ up }), {
      streamTimes: { keepAliveMs, stalledMs: 10_000 },
    })
    const body = { model: 'up/m', stream: true, ...ask }
    const response = await gateway.post('/v1/chat/completions', body)
    const text = await response.text()
    const [before = '', ...after] = text.split('"first"')
    expect(before.includes(comment)).toBe(begins === 'while it waits')
    expect(text).toContain('[DONE]')
    // About twenty times as long as the quiet that a sign of life breaks; a busy machine may be quiet once or twice.
    expect(after.join().split(comment).length - 1).toBeLessThan(6)
  },
  20_000,
)

describe('paged lists set has_more', () => {
  const pages = [
    [1, '', [2], true],
    [2, '', [2, 1], true],
    [3, '', [2, 1, 0], false],
    [4, '', [2, 1, 0], false],
    [1, 2, [1], true],
    [1, 1, [0], false],
    [2, 2, [1, 0], false],
    [5, 0, [], false],
  ] as const

  test('of videos', async () => {
    let count = 0
    await using up = await fakeUpstream((_seen, response) =>
      json(response, videoTask(`up_${(count += 1)}`)),
    )
    await using gateway = await start(at({ up }))
    const ids: string[] = []
    for (let made = 0; made < 3; made += 1) {
      const response = await gateway.post('/v1/videos', { model: 'up/sora', prompt: 'a' })
      ids.push(((await response.json()) as { id: string }).id)
    }
    for (const [limit, after, found, more] of pages) {
      const query = `limit=${limit}${after === '' ? '' : `&after=${ids[after]}`}`
      const list = (await (await gateway.request(`/v1/videos?${query}`)).json()) as object
      const data = found.map((index) => ({ id: ids[index] }))
      expect(list, query).toMatchObject({ data, has_more: more })
    }
    // One that was deleted between two pages: the list is not told to be over.
    const lost = await gateway.request('/v1/videos?after=video_deleted')
    expect([lost.status, await lost.json()]).toMatchObject([400, { error: { param: 'after' } }])
  })

  test('of the input items of a response', async () => {
    await using gateway = await start()
    const input = ['a', 'b', 'c'].map((content, index) => ({
      id: `msg_${index}`,
      type: 'message',
      role: 'user',
      content,
    }))
    const made = await gateway.post('/v1/responses', { model: 'builtin-chat', input })
    const { id } = (await made.json()) as { id: string }
    for (const [limit, after, found, more] of pages) {
      const query = `limit=${limit}${after === '' ? '' : `&after=msg_${after}`}`
      const list = await gateway.request(`/v1/responses/${id}/input_items?${query}`)
      const data = found.map((index) => ({ id: `msg_${index}` }))
      expect(await list.json(), query).toMatchObject({ data, has_more: more })
    }
  })
})

test('the reported progress of a video never decreases', async () => {
  const told = [20, 60, 30, 0, 61, 60]
  let polls = 0
  await using up = await fakeUpstream((seen, response) =>
    json(
      response,
      seen.method === 'POST'
        ? videoTask('up_1')
        : videoTask('up_1', { status: 'in_progress', progress: told[polls++] ?? 0 }),
    ),
  )
  await using gateway = await start(at({ up }))
  const made = await gateway.post('/v1/videos', { model: 'up/sora', prompt: 'a' })
  const { id } = (await made.json()) as { id: string }
  const shown: number[] = []
  for (let poll = 0; poll < told.length; poll += 1) {
    const found = await gateway.request(`/v1/videos/${id}`)
    shown.push(((await found.json()) as { progress: number }).progress)
  }
  expect(shown).toEqual([20, 60, 60, 60, 61, 61])
  const listed = await (await gateway.request('/v1/videos')).json()
  expect(listed).toMatchObject({ data: [{ progress: 61 }] })
})

test('sticky routing sends a key to one target and spreads keys over targets', async () => {
  const names = Array.from({ length: 24 }, (_, index) => `key${index}`)
  await using one = await fakeUpstream(good)
  await using two = await fakeUpstream(good)
  await using gateway = await start(
    at(
      { one, two },
      {
        models: { m: { targets: [{ target: 'one/m' }, { target: 'two/m' }], sticky: true } },
        keys: names.map((name) => ({ name, key: `sk-${name}-0123456789` })),
      },
    ),
  )
  const chosen = new Map<string, Set<string | null>>()
  for (const name of names)
    for (let turn = 0; turn < 3; turn += 1) {
      const options = { key: `sk-${name}-0123456789` }
      const response = await gateway.post('/v1/chat/completions', { model: 'm', ...ask }, options)
      await response.text()
      const seen = chosen.get(name) ?? new Set()
      chosen.set(name, seen.add(response.headers.get('x-sluice-provider')))
    }
  for (const seen of chosen.values()) expect(seen.size).toBe(1)
  expect(new Set([...chosen.values()].flatMap((seen) => [...seen]))).toEqual(
    new Set(['one', 'two']),
  )
})

describe('an error names the field as the caller wrote it', () => {
  const badName = ''
  const google = (further: object) => ({ contents: [{ parts: [{ text: 'Hi' }] }], ...further })
  const claude = (further: object) => ({ model: 'm', max_tokens: 9, ...ask, ...further })
  const responses = (further: object) => ({ model: 'm', input: 'Hi', ...further })
  const generate = '/v1beta/models/m:generateContent'
  const embed = '/v1beta/models/builtin-embed:embedContent'
  const content = { parts: [{ text: 'a' }] }
  const stop = Array.from({ length: 65 }, (_, index) => `${index}`)
  const tool = { name: badName, parameters: { type: 'object' } }
  const claudeTool = { name: badName, input_schema: { type: 'object' } }
  const picture = { role: 'user', content: [{ type: 'input_image', image_url: '?' }] }

  type Case = readonly [path: string, field: string, body: object]
  const named: readonly Case[] = [
    [generate, 'generationConfig.temperature', google({ generationConfig: { temperature: 5 } })],
    [
      generate,
      'tools[0].functionDeclarations[0].name',
      google({ tools: [{ functionDeclarations: [tool] }] }),
    ],
    ['/v1/messages', 'stop_sequences', claude({ stop_sequences: stop })],
    ['/v1/messages', 'tools[0].name', claude({ tools: [claudeTool] })],
    ['/v1/responses', 'input', responses({ input: [] })],
    ['/v1/responses', 'tools[0].name', responses({ tools: [{ type: 'function', ...tool }] })],
    ['/v1/responses', 'reasoning.effort', responses({ reasoning: { effort: 'strange' } })],
    // The built-in engine’s own refusals.
    ['/v1/responses', 'input[0].content[0].image_url', { model: 'builtin-chat', input: [picture] }],
    [embed, 'outputDimensionality', { content, outputDimensionality: 99_999 }],
  ]

  /** The field that an error names, wherever its format has a place for it; Claude's is the message. */
  async function namedField(path: string, body: object): Promise<string | undefined> {
    await using up = await fakeUpstream((_seen, response) => noSuchAddress(response))
    await using gateway = await start(
      at({ up }, { models: { m: 'up/m' }, builtin: { enabled: 'always' } }),
    )
    const response = await gateway.post(path, body)
    expect(response.status).toBe(400)
    // A translated request is checked before anybody is asked; only Responses may be asked for as they came.
    expect(up.seen.every((seen) => seen.path.endsWith('/responses'))).toBe(true)
    const answer = (await response.json()) as {
      readonly error: {
        readonly message: string
        readonly param?: string
        readonly details?: readonly { readonly fieldViolations?: readonly { field: string }[] }[]
      }
    }
    const { message, param, details } = answer.error
    const violation = details?.flatMap(({ fieldViolations = [] }) => fieldViolations).at(0)
    return param ?? violation?.field ?? /^'?([\w.[\]]+)/.exec(message)?.[1]
  }

  test.each(named)('%s: %s', async (path, field, body) => {
    expect(await namedField(path, body)).toBe(field)
  })
})
