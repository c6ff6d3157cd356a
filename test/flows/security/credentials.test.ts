// Provider credentials are sent only to the provider's own origin, and caller credentials nowhere.
import { describe, expect, test } from 'vitest'
import {
  type Answering,
  type FakeUpstream,
  fakeUpstream,
  json,
  type SeenRequest,
  sse,
} from '../../support/fakes/fake-upstream.ts'
import { chatReply, textStream } from '../../support/fakes/openai-wire.ts'
import { clientStreams, upstreamStreams } from '../../support/fakes/upstream-streams.ts'
import { noSuchAddress, videoTask } from '../../support/gateways/two-keys.ts'
import { type Routes } from '../../support/routes.ts'
import { adminKey, start, testKey, until } from '../../support/start.ts'

const providerKey = 'PROVIDERSECRET0123456789abcdef'
const operatorHeader = 'hunter2-of-the-operator'

const routes = (url: string, type: 'openai' | 'anthropic' | 'gemini' = 'openai'): Routes => ({
  providers: {
    up: { type, baseUrl: url, key: providerKey, headers: { 'x-operator': operatorHeader } },
  },
})

const carries = ({ method, path, headers, text }: SeenRequest, secret: string): boolean =>
  JSON.stringify([method, path, headers, text]).includes(secret)

/** An upstream whose finished clip is where `location` says. */
const clipAt =
  (location: () => string, status: number): Answering =>
  (seen, response) => {
    if (seen.method === 'POST') return json(response, videoTask('up_1'))
    if (seen.path.startsWith('/elsewhere')) {
      response.writeHead(200, { 'content-type': 'video/mp4' })
      response.end('clip')
      return
    }
    if (!seen.path.endsWith('/content'))
      return json(response, videoTask('up_1', { status: 'completed', progress: 100 }))
    response.writeHead(status, { location: location() })
    response.end()
  }

/** Asks for a clip of the upstream. */
async function download(upstream: FakeUpstream): Promise<{ status: number; text: string }> {
  await using gateway = await start(routes(upstream.url))
  const made = await gateway.post('/v1/videos', { model: 'up/sora', prompt: 'a' })
  const { id } = (await made.json()) as { id: string }
  const content = await gateway.request(`/v1/videos/${id}/content`)
  return {
    status: content.status,
    text: JSON.stringify([...content.headers]) + (await content.text()),
  }
}

describe.each([301, 302, 303, 307, 308])('a download that is redirected with %i', (status) => {
  test('follows a redirect within its origin with the credentials', async () => {
    await using upstream = await fakeUpstream(clipAt(() => '/elsewhere', status))
    expect(await download(upstream)).toMatchObject({ status: 200 })
    const last = upstream.seen.at(-1)!
    expect(last.path).toBe('/elsewhere')
    expect(last.headers).toMatchObject({
      authorization: `Bearer ${providerKey}`,
      'x-operator': operatorHeader,
    })
  })

  test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f000001', '127.1'])(
    'does not follow a redirect to another port of %s',
    async (host) => {
      await using other = await fakeUpstream((_seen, response) => {
        response.writeHead(200, { 'content-type': 'video/mp4' })
        response.end('a secret of the network')
      })
      const { port } = new URL(other.url)
      await using upstream = await fakeUpstream(
        clipAt(() => `http://${host}:${port}/latest/meta-data`, status),
      )
      const { status: answered, text } = await download(upstream)
      expect(answered).toBe(502)
      expect(text).not.toContain('secret')
      expect(text).not.toContain(port)
      expect(other.seen).toHaveLength(0)
      expect(other.connections).toBe(0)
    },
  )

  test('fails on a redirect loop without naming its target', async () => {
    await using upstream = await fakeUpstream(
      clipAt(() => `${upstream.url}/videos/content`, status),
    )
    const { status: answered, text } = await download(upstream)
    expect(answered).toBe(502)
    expect(text).not.toContain(new URL(upstream.url).host)
    expect(upstream.seen.filter(({ path }) => path.endsWith('/content')).length).toBe(4)
  })
})

describe.each([301, 302, 303, 307, 308])('a POST that is redirected with %i', (status) => {
  test.each(['the same origin', 'another origin'])('to %s is not sent again', async (where) => {
    await using other = await fakeUpstream((_seen, response) => json(response, chatReply('No')))
    await using upstream = await fakeUpstream((_seen, response) => {
      const location = where === 'another origin' ? `${other.url}/elsewhere` : '/elsewhere'
      response.writeHead(status, { location })
      response.end()
    })
    await using gateway = await start(routes(upstream.url))
    for (const client of clientStreams) {
      const answer = await gateway.post(client.path('up/m'), client.body('up/m'))
      const text = JSON.stringify([...answer.headers]) + (await answer.text())
      expect(answer.status).toBe(502)
      for (const { url } of [upstream, other]) expect(text).not.toContain(new URL(url).host)
    }
    expect(other.seen).toEqual([])
    expect(upstream.seen.some(({ path }) => path === '/elsewhere')).toBe(false)
  })
})

const forms: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Bearer: { authorization: `Bearer ${testKey}` },
  bare: { authorization: testKey },
  'x-api-key': { 'x-api-key': testKey },
  'x-goog-api-key': { 'x-goog-api-key': testKey },
  'api-key': { 'api-key': testKey },
  'all at once': {
    'api-key': testKey,
    authorization: `Bearer ${testKey}`,
    'x-api-key': testKey,
    'x-goog-api-key': testKey,
    cookie: `session=${testKey}`,
    'proxy-authorization': `Bearer ${testKey}`,
  },
}
const ownKeys: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  openai: { authorization: `Bearer ${providerKey}` },
  anthropic: { 'x-api-key': providerKey },
  gemini: { 'x-goog-api-key': providerKey },
}

describe.each(upstreamStreams)('a caller’s key, at an upstream of type $type', (stream) => {
  test.each(Object.entries(forms))(
    'sent as %s does not reach the upstream or the log',
    async (_name, headers) => {
      await using upstream = await fakeUpstream((seen, response) => {
        if (seen.path.endsWith('/responses')) return noSuchAddress(response)
        if (stream.type === 'openai') return sse(response, textStream)
        return sse(response, [...stream.preamble, ...stream.content, ...stream.ending])
      })
      await using gateway = await start(routes(upstream.url, stream.type))
      for (const client of clientStreams) {
        const path = client.path('up/m')
        const asked = { headers, key: null }
        const answer = await gateway.post(path, client.body('up/m'), asked)
        expect(answer.status).toBe(200)
        expect(client.text(await answer.text())).toBe('Hello')
        if (!path.startsWith('/v1beta/')) continue
        const inQuery = `${path}&key=${testKey}`
        const keyed = await gateway.post(inQuery, client.body('up/m'), { key: null })
        expect(client.text(await keyed.text())).toBe('Hello')
      }
      expect(upstream.seen.length).toBeGreaterThanOrEqual(clientStreams.length)
      for (const seen of upstream.seen) {
        expect(carries(seen, testKey.slice('sk-'.length))).toBe(false)
        expect(seen.headers).toMatchObject({
          ...ownKeys[stream.type],
          'x-operator': operatorHeader,
        })
      }
      await until(() => gateway.logged.some(({ message }) => message === 'request'))
      expect(JSON.stringify(gateway.logged)).not.toContain(testKey.slice('sk-'.length))
    },
  )
})

describe('headers configured by the operator override the caller’s', () => {
  const given = {
    'user-agent': 'acme/1',
    'anthropic-version': '2099-01-01',
    'anthropic-beta': 'operators-beta',
    'content-type': 'application/json; charset=utf-8',
  }

  test.each(['/v1/messages', '/v1/chat/completions'])('on %s', async (path) => {
    await using upstream = await fakeUpstream((_seen, response) => {
      response.writeHead(500).end()
    })
    await using gateway = await start({
      providers: { up: { type: 'anthropic', baseUrl: upstream.url, key: 'k', headers: given } },
      defaults: { retries: { attempts: 1 } },
    })
    const body = { model: 'up/m', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }
    const headers = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'callers-beta' }
    await (await gateway.post(path, body, { headers })).text()
    expect(upstream.seen[0]?.headers).toMatchObject(given)
  })
})

describe('explain', () => {
  test.each(['openai', 'anthropic', 'gemini'] as const)(
    'for an upstream of type %s shows no credential',
    async (type) => {
      await using upstream = await fakeUpstream((_seen, response) => noSuchAddress(response))
      await using gateway = await start(routes(upstream.url, type))
      for (const client of clientStreams) {
        const asked = { path: client.path('up/m'), request: client.body('up/m') }
        const answer = await gateway.post('/admin/v1/explain', asked, { key: adminKey })
        const text = await answer.text()
        expect(answer.status, text).toBe(200)
        expect(JSON.parse(text).targets).toMatchObject([{ target: 'up/m' }])
        for (const secret of [providerKey, operatorHeader, adminKey, testKey])
          expect(text).not.toContain(secret.replace(/^sk-/, ''))
      }
      expect(upstream.seen.filter(({ method }) => method === 'POST')).toEqual([])
    },
  )

  test('is refused to callers without naming the upstream', async () => {
    await using upstream = await fakeUpstream((_seen, response) => noSuchAddress(response))
    await using gateway = await start(routes(upstream.url))
    const asked = { request: { model: 'up/m', messages: [{ role: 'user', content: 'Hi' }] } }
    const answer = await gateway.post('/admin/v1/explain', asked)
    expect(answer.status).toBe(403)
    expect(await answer.text()).not.toContain(new URL(upstream.url).host)
  })
})

test('an unreachable upstream is not named to callers', async () => {
  const gone = await fakeUpstream((_seen, response) => noSuchAddress(response))
  await gone[Symbol.asyncDispose]()
  await using gateway = await start({
    ...routes(gone.url),
    defaults: { retries: { attempts: 1 } },
  })
  for (const client of clientStreams) {
    const answer = await gateway.post(client.path('up/m'), client.body('up/m'))
    expect(answer.status).toBe(503)
    expect(await answer.text()).not.toContain(new URL(gone.url).host)
  }
})
