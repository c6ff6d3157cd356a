// Default parameters belong to a route: its fallbacks, its budgets, its explanation, and how it is stored.
import { expect, test } from 'vitest'
import { asked, granted } from '../../support/administrate.ts'
import { answering, postAs, type UpstreamType } from '../../support/clients/four-formats.ts'
import { type FakeUpstream, fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { answerCompletion } from '../../support/fakes/openai-wire.ts'
import type { Routes } from '../../support/routes.ts'
import { start } from '../../support/start.ts'

type Defaults = Readonly<Record<string, unknown>>

const withDefaults = (upstream: FakeUpstream, type: UpstreamType, defaults: Defaults): Routes => ({
  providers: { up: { type, baseUrl: upstream.url, key: 'k' } },
  models: { main: { targets: ['up/m'], defaults }, plain: 'up/m' },
  defaults: { retries: { attempts: 1 } },
})

test('the built-in engine keeps to them', async () => {
  await using gateway = await start({
    models: { main: { targets: ['builtin/builtin-chat'], defaults: { max_tokens: 1 } } },
  })
  const response = await postAs(gateway, 'chat', { model: 'main', text: 'Write a long poem' })
  expect(await response.json()).toMatchObject({ choices: [{ finish_reason: 'length' }] })
})

test('the defaults of the called route hold at its fallbacks, and those of a redirected one are its own', async () => {
  await using failing = await fakeUpstream((_seen, response) => void response.writeHead(500).end())
  await using upstream = await fakeUpstream(answering.anthropic)
  await using gateway = await start({
    providers: {
      failing: { type: 'openai', baseUrl: failing.url, key: 'k' },
      up: { type: 'anthropic', baseUrl: upstream.url, key: 'k' },
    },
    models: {
      main: { targets: ['failing/m'], fallback: ['other'], defaults: { temperature: 0.25 } },
      other: { targets: ['up/m'], defaults: { temperature: 0.5, top_p: 0.5 } },
    },
    defaults: { retries: { attempts: 1 } },
    prices: { 'failing/*': { input: 100, output: 1_000_000 }, 'up/*': { input: 0, output: 0 } },
  })
  await (await postAs(gateway, 'chat', { model: 'main' })).text()
  expect(upstream.seen.at(-1)?.body).toMatchObject({ temperature: 0.25 })
  expect(upstream.seen.at(-1)?.body['top_p']).toBe(undefined)
  const { secret } = await granted(gateway, 'POST /admin/v1/keys', {
    name: 'poor',
    budgets: [{ id: 'b', window: 'day', limitMicroUsd: 1000, overBudget: { route: 'other' } }],
  })
  const redirected = await postAs(gateway, 'chat', {
    model: 'main',
    key: secret,
    further: { max_tokens: 100 },
  })
  expect(redirected.status, await redirected.text()).toBe(200)
  expect(upstream.seen.at(-1)?.body).toMatchObject({ temperature: 0.5, top_p: 0.5 })
})

test.each([
  [5, 200],
  [50, 429],
])('a budget reserves for a default limit of %i', async (limit, status) => {
  await using upstream = await fakeUpstream(answering.openai)
  await using gateway = await start({
    ...withDefaults(upstream, 'openai', { max_tokens: limit }),
    prices: { 'up/*': { input: 0, output: 1_000_000 } },
  })
  const { secret } = await granted(gateway, 'POST /admin/v1/keys', {
    name: 'poor',
    budgets: [{ id: 'b', window: 'day', limitMicroUsd: 10_000_000 }],
  })
  const response = await postAs(gateway, 'chat', { model: 'main', key: secret })
  expect(response.status, await response.text()).toBe(status)
  expect(response.headers.get('x-sluice-output-limit')).toBe(null)
})

test('an explanation tells which defaults apply', async () => {
  await using upstream = await fakeUpstream(answering.anthropic)
  await using gateway = await start(
    withDefaults(upstream, 'anthropic', { temperature: 0.25, max_tokens: 500, seed: 7 }),
  )
  const request = { model: 'main', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }
  const told = await granted(gateway, 'POST /admin/v1/explain', { path: '/v1/messages', request })
  expect(told['defaults']).toEqual({ temperature: 0.25, seed: 7 })
  expect(told['targets']).toMatchObject([
    { upstream: { body: { temperature: 0.25, max_tokens: 9 } }, dropped: ['seed'] },
  ])
})

test('routes in the database have them too, and what is no parameter is refused', async () => {
  await using upstream = await fakeUpstream(answering.openai)
  await using gateway = await start({
    providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
  })
  const { etag } = await granted(gateway, 'GET /admin/v1/routes')
  const stored = (defaults: Defaults) => ({ main: { targets: ['up/m'], defaults } })
  for (const [defaults, place] of [
    [{ messages: [] }, 'models.main.defaults.messages'],
    [{ temprature: 1 }, 'models.main.defaults.temprature'],
    [{ temperature: 3 }, 'models.main.defaults.temperature'],
    [{ max_tokens: 1, max_completion_tokens: 2 }, 'models.main.defaults.max_tokens'],
  ] as const) {
    const refused = await asked(gateway, 'PUT /admin/v1/routes', { models: stored(defaults), etag })
    expect(refused.status).toBe(400)
    expect(refused.body.error.message).toContain(place)
  }
  await granted(gateway, 'PUT /admin/v1/routes', { models: stored({ temperature: 0.25 }), etag })
  await (await postAs(gateway, 'chat', { model: 'main' })).text()
  expect(upstream.seen.at(-1)?.body['temperature']).toBe(0.25)
})

test('a response that is continued keeps to them', async () => {
  await using upstream = await fakeUpstream((seen, response) =>
    seen.path.endsWith('/responses')
      ? void response.writeHead(404).end()
      : answering.openai(seen, response),
  )
  await using gateway = await start(
    withDefaults(upstream, 'openai', { temperature: 0.25, seed: 7 }),
  )
  const ask = async (further: object) => {
    const response = await postAs(gateway, 'responses', { model: 'main', further })
    expect(response.status).toBe(200)
    expect(upstream.seen.at(-1)?.body).toMatchObject({ temperature: 0.25, seed: 7 })
    return (await response.json()) as { readonly id: string }
  }
  const first = await ask({})
  await ask({ previous_response_id: first.id })
  expect(upstream.seen.at(-1)?.body['messages']).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: 'Hello' },
    { role: 'user' },
  ])
})

test.each(['messages', 'responses', 'gemini'] as const)(
  'a caller that did not ask for thinking is not shown it, asked as %s',
  async (face) => {
    await using upstream = await fakeUpstream((seen, response) =>
      seen.path.endsWith('/responses')
        ? void response.writeHead(404).end()
        : answerCompletion(seen, response, { reasoning: 'Secret thoughts', text: 'Hello' }),
    )
    await using gateway = await start(
      withDefaults(upstream, 'openai', { reasoning_effort: 'high' }),
    )
    for (const stream of [false, true]) {
      const response = await postAs(gateway, face, { model: 'main', stream })
      const text = await response.text()
      expect(upstream.seen.at(-1)?.body['reasoning_effort']).toBe('high')
      expect(text).toContain('Hello')
      if (face !== 'responses') expect(text).not.toContain('Secret')
      const plain = await postAs(gateway, face, { model: 'plain', stream })
      const kinds = (told: string) => told.match(/"type": ?"[a-z_]+"/g)
      expect(kinds(text)).toEqual(kinds(await plain.text()))
    }
  },
)
