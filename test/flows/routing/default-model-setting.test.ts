// The setting `defaultModel`: which requests it serves, and whose.
import { describe, expect, test } from 'vitest'
import { granted } from '../../support/administrate.ts'
import { answering, chatFaces, postAs } from '../../support/clients/four-formats.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import type { Routes } from '../../support/routes.ts'
import { start } from '../../support/start.ts'

async function oneUpstream(models: readonly string[] | undefined, further: Routes = {}) {
  const upstream = await fakeUpstream(answering.openai)
  const routes: Routes = {
    providers: {
      up: {
        type: 'openai',
        baseUrl: upstream.url,
        key: 'k',
        ...(models && { models: [...models] }),
      },
    },
    models: { main: 'up/m' },
    defaultModel: 'main',
    defaults: { retries: { attempts: 1 } },
    ...further,
  }
  return { upstream, routes, [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose]() }
}

describe.each(chatFaces)('asked as %s', (face) => {
  test.each([false, true])('serves an unknown model, streamed: %s', async (stream) => {
    await using at = await oneUpstream(['m'])
    await using gateway = await start(at.routes)
    for (const model of ['unheard', 'nobody/of-it']) {
      const response = await postAs(gateway, face, { model, stream })
      const text = await response.text()
      expect(response.status, text).toBe(200)
      expect(at.upstream.seen.at(-1)?.body['model']).toBe('m')
      expect(response.headers.get('x-sluice-model')).toBe('m')
    }
  })
})

describe.each([
  ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }],
  ['/v1/responses', { input: 'Hi' }],
  ['/v1/messages', { max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }],
] as const)('%s', (path, body) => {
  test.each([{}, { model: null }, { model: '' }])('serves a request with %o', async (named) => {
    await using at = await oneUpstream(['m'])
    await using gateway = await start(at.routes)
    const response = await gateway.post(path, { ...named, ...body })
    expect(response.status, await response.text()).toBe(200)
    expect(at.upstream.seen.at(-1)?.body['model']).toBe('m')
    const { defaultModel: _, ...without } = at.routes
    await gateway.configure(without)
    expect((await gateway.post(path, { ...named, ...body })).status).toBe(400)
  })
})

test('a large request without a model is served too', async () => {
  await using at = await oneUpstream(['m'])
  await using gateway = await start(at.routes)
  const content = 'word '.repeat(200_000)
  const response = await gateway.post('/v1/chat/completions', {
    messages: [{ role: 'user', content }],
  })
  expect(response.status, await response.text()).toBe(200)
  expect(at.upstream.seen.at(-1)?.body).toMatchObject({ model: 'm', messages: [{ content }] })
})

test('a key needs both the name that it asks for and the default model', async () => {
  await using at = await oneUpstream(['m'])
  await using gateway = await start(at.routes)
  const statusFor = async (models: readonly string[] | undefined, model: string) => {
    const { secret: key } = await granted(gateway, 'POST /admin/v1/keys', {
      name: 'k',
      ...(models && { models }),
    })
    return (await postAs(gateway, 'chat', { model, key })).status
  }
  expect(await statusFor(undefined, 'unheard')).toBe(200)
  expect(await statusFor(['unheard', 'main'], 'unheard')).toBe(200)
  expect(await statusFor(['unheard'], 'unheard')).toBe(404)
  expect(await statusFor(['main'], 'unheard')).toBe(403)
})

test('what is known keeps its error: other operations, names of several providers, routes that are off', async () => {
  await using at = await oneUpstream(['m'], {})
  await using gateway = await start({
    ...at.routes,
    providers: {
      ...at.routes.providers,
      two: { type: 'openai', baseUrl: at.upstream.url, key: 'k', models: ['m'] },
    },
    models: { main: 'up/m', lost: 'nobody/m' },
  })
  const statusOf = async (model: string) => (await postAs(gateway, 'chat', { model })).status
  expect(await statusOf('m')).toBe(404)
  expect(await statusOf('lost')).toBe(404)
  expect(await statusOf('unheard')).toBe(200)
  const embedded = await gateway.post('/v1/embeddings', { model: 'unheard', input: 'Hi' })
  expect(embedded.status).toBe(404)
  expect((await gateway.post('/v1/embeddings', { input: 'Hi' })).status).toBe(400)
})

test('a default model that is itself unknown is an error of its own name', async () => {
  await using at = await oneUpstream(['m'], { defaultModel: 'lost' })
  await using gateway = await start(at.routes)
  const response = await postAs(gateway, 'chat', { model: 'unheard' })
  expect(response.status).toBe(404)
  expect(await response.text()).toContain('lost')
})

test('text completions are served as well, and an explanation says so', async () => {
  await using at = await oneUpstream(['m'])
  at.upstream.answer((_seen, response) =>
    json(response, {
      id: 'c',
      object: 'text_completion',
      created: 1,
      model: 'm',
      choices: [{ text: 'Hello', index: 0, logprobs: null, finish_reason: 'stop' }],
    }),
  )
  await using gateway = await start(at.routes)
  expect((await gateway.post('/v1/completions', { prompt: 'Hi' })).status).toBe(200)
  const request = { model: 'unheard', messages: [{ role: 'user', content: 'Hi' }] }
  const told = await granted(gateway, 'POST /admin/v1/explain', { request })
  expect(told['notes']).toEqual(['Nothing here knows "unheard": the defaultModel main serves.'])
  const known = await granted(gateway, 'POST /admin/v1/explain', {
    request: { ...request, model: 'main' },
  })
  expect(known['notes']).toEqual([])
})
