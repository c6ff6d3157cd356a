// Outgoing connections through a forward proxy: calls, files, webhooks, issuers, traces and prices.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { openTlsUpstream } from '../../support/fakes/tls-upstream.ts'
import { startServer } from '../../support/gateways/server-process.ts'
import { leaveOut } from '../../support/leave-out.ts'
import { main } from '../../support/run-sluice.ts'
import { type Certified, certificate } from '../../support/servers/certificates.ts'
import {
  type ForwardProxy,
  openForwardProxy,
  proxyPassword,
} from '../../support/servers/forward-proxy.ts'
import { type Started, start, until } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const authority = certificate('Company CA', { isAuthority: true })
const server = certificate('models.example', { names: ['models.example'], by: authority })
const client = certificate('gateway-7', { by: authority })
const hi = { role: 'user', content: 'Hi' }

async function chat(gateway: Started, model: string, stream = false) {
  const answer = await gateway.post('/v1/chat/completions', { model, messages: [hi], stream })
  return { status: answer.status, text: await answer.text() }
}

const provider = (baseUrl: string, further: object = {}) =>
  ({ type: 'openai', baseUrl, key: 'k', ...further }) as NonNullable<
    ConfigFile['providers']
  >[string]

const hello = { candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] } }] }

/** Google's token endpoint, which gives the token `fresh`, and a model of Vertex AI. */
async function openGoogle({ cert, key }: Certified) {
  const authorizations: (string | undefined)[] = []
  const google = createServer({ cert, key }, (request, response) => {
    const isToken = request.url === '/token'
    if (!isToken) authorizations.push(request.headers.authorization)
    json(response, isToken ? { access_token: 'fresh', expires_in: 3600 } : hello)
  })
  google.listen(0, '127.0.0.1')
  await once(google, 'listening')
  return {
    port: (google.address() as AddressInfo).port,
    authorizations,
    async [Symbol.asyncDispose]() {
      google.closeAllConnections()
      google.close()
    },
  }
}

describe('a chat call through a proxy with a password', () => {
  let upstream: FakeUpstream
  let proxy: ForwardProxy
  beforeAll(async () => {
    upstream = await fakeUpstream((_seen, response) => json(response, chatReply('Hello')))
    proxy = await openForwardProxy({
      hosts: { 'models.example': Number(new URL(upstream.url).port) },
    })
  })
  afterAll(async () => {
    await upstream[Symbol.asyncDispose]()
    await proxy[Symbol.asyncDispose]()
  })
  const retries = { defaults: { retries: { attempts: 1 } } }

  test('is forwarded unchanged to an http address', async () => {
    await using gateway = await start(
      { providers: { up: provider('http://models.example/v1') }, ...retries },
      { variables: { HTTP_PROXY: proxy.url } },
    )
    expect(await chat(gateway, 'up/m')).toMatchObject({ status: 200 })
    expect(proxy.seen.at(-1)).toBe('POST http://models.example/v1/chat/completions')
    expect(upstream.seen.at(-1)?.headers).toMatchObject({ host: 'models.example' })
    expect(upstream.seen.at(-1)?.headers).not.toHaveProperty('proxy-authorization')
  })

  test.each(['http/1.1', 'h2'] as const)(
    'is sent through a tunnel to an https address, over %s, with a company’s CA and a client certificate',
    async (alpn) => {
      await using secure = await openTlsUpstream(server, { alpn, clients: authority })
      await using tunnels = await openForwardProxy({ hosts: { 'models.example': secure.port } })
      const settings = {
        ca: authority.cert,
        certificate: client.cert,
        certificateKey: client.key,
        http2: alpn === 'h2',
      }
      await using gateway = await start(
        { providers: { up: provider('https://models.example/v1', settings) }, ...retries },
        { variables: { https_proxy: tunnels.url, NO_PROXY: 'other.example' } },
      )
      for (const stream of [false, true]) {
        const { status, text } = await chat(gateway, 'up/m', stream)
        expect(status, text).toBe(200)
        expect(text).toContain('Hello')
      }
      expect(tunnels.seen[0]).toBe('CONNECT models.example:443')
      const version = alpn === 'h2' ? '2.0' : '1.1'
      const one = { version, serverName: 'models.example', client: 'gateway-7' }
      expect(secure.seen).toMatchObject([one, one])
    },
  )

  test.each(['http/1.1', 'h2'] as const)('works without a proxy, over %s', async (alpn) => {
    const local = certificate('localhost', { names: ['localhost'], by: authority })
    await using secure = await openTlsUpstream(local, { alpn, clients: authority })
    const settings = {
      ca: authority.cert,
      certificate: client.cert,
      certificateKey: client.key,
      http2: alpn === 'h2',
    }
    await using gateway = await start({
      providers: {
        up: provider(`https://localhost:${secure.port}/v1`, settings),
        stranger: provider(`https://localhost:${secure.port}/v1`, { ca: authority.cert }),
        trusting: provider(`https://localhost:${secure.port}/v1`),
      },
      ...retries,
    })
    expect(await chat(gateway, 'up/m')).toMatchObject({ status: 200 })
    expect(secure.seen).toMatchObject([{ client: 'gateway-7' }])
    for (const model of ['stranger/m', 'trusting/m'])
      expect(await chat(gateway, model)).toMatchObject({ status: 503 })
    expect(secure.seen).toHaveLength(1)
  })

  test('is not used for loopback addresses and the hosts in NO_PROXY', async (context) => {
    const own = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .find(({ family, internal }) => family === 'IPv4' && !internal)
    await using gateway = await start(
      { providers: { up: provider(upstream.url) }, ...retries },
      { variables: { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url } },
    )
    const before = proxy.seen.length
    expect(await chat(gateway, 'up/m')).toMatchObject({ status: 200 })
    expect(proxy.seen).toHaveLength(before)
    if (!own) return leaveOut(context, 'this machine has no address but loopback')
    await using excepted = await start(
      {
        providers: {
          direct: provider(`http://${own.address}:1/v1`),
          through: provider('http://models.example/v1'),
        },
        ...retries,
      },
      { variables: { HTTP_PROXY: proxy.url, NO_PROXY: `${own.address}/32, .other.example` } },
    )
    await chat(excepted, 'direct/m')
    expect(proxy.seen).toHaveLength(before)
    await chat(excepted, 'through/m')
    expect(proxy.seen).toHaveLength(before + 1)
  })

  test('uses the provider’s own proxy, if set', async () => {
    await using other = await openForwardProxy({
      hosts: { 'models.example': Number(new URL(upstream.url).port) },
    })
    await using gateway = await start(
      {
        providers: {
          own: provider('http://models.example/v1', { proxy: other.url }),
          none: provider('http://models.example/v1', { proxy: 'none' }),
          // Whoever names a proxy for a loopback address means it.
          local: provider(upstream.url, { proxy: other.url }),
        },
        ...retries,
      },
      { variables: { HTTP_PROXY: proxy.url } },
    )
    const before = proxy.seen.length
    expect(await chat(gateway, 'own/m')).toMatchObject({ status: 200 })
    expect(await chat(gateway, 'local/m')).toMatchObject({ status: 200 })
    expect(other.seen).toHaveLength(2)
    expect(await chat(gateway, 'none/m')).toMatchObject({ status: 503 })
    expect(proxy.seen).toHaveLength(before)
  })

  test('gets Google’s access tokens through the proxy of the provider, too', async () => {
    const names = ['oauth2.googleapis.com', 'vertex.example']
    await using google = await openGoogle(certificate('Google', { names, by: authority }))
    const hosts = { 'oauth2.googleapis.com': google.port, 'vertex.example': google.port }
    await using tunnels = await openForwardProxy({ hosts })
    const key = JSON.stringify({ client_email: 'a@p.example', private_key: server.key })
    const settings = { kind: 'google-vertex', project: 'p', region: 'global', key }
    const way = { baseUrl: 'https://vertex.example', ca: authority.cert, proxy: tunnels.url }
    await using gateway = await start({
      providers: { google: { ...settings, ...way } },
      ...retries,
    })
    const { status, text } = await chat(gateway, 'google/gemini-3-flash')
    expect(status, text).toBe(200)
    expect(tunnels.seen).toEqual([
      'CONNECT oauth2.googleapis.com:443',
      'CONNECT vertex.example:443',
    ])
    expect(google.authorizations).toEqual(['Bearer fresh'])
  })

  test.each([
    { scheme: 'http', why: 'the password is wrong', password: 'wrong', sentence: 'demands' },
    { scheme: 'https', why: 'the password is wrong', password: 'wrong', sentence: 'demands' },
    { scheme: 'https', why: 'it refuses the host', refusal: '403 Forbidden', sentence: 'refused' },
    { scheme: 'https', why: 'it finds no host', refusal: '502 Bad Gateway', sentence: 'refused' },
  ])(
    'fails over $scheme if $why, without revealing the password',
    async ({ scheme, password = proxyPassword, refusal, sentence }) => {
      await using failing = await openForwardProxy()
      failing.refusal = refusal
      const url = failing.url.replace(proxyPassword, password)
      await using gateway = await start(
        { providers: { up: provider(`${scheme}://models.example/v1`) }, ...retries },
        { variables: { HTTP_PROXY: url, HTTPS_PROXY: url } },
      )
      const { status, text } = await chat(gateway, 'up/m')
      expect(status).toBe(503)
      expect(text).toContain(`The proxy ${sentence}`)
      const said = text + JSON.stringify(gateway.logged)
      expect(said).not.toContain(password)
      expect(said).not.toContain(Buffer.from(`company:${password}`).toString('base64'))
    },
  )

  test('fails if the proxy is unreachable', async () => {
    await using gateway = await start(
      { providers: { up: provider('https://models.example/v1') }, ...retries },
      { variables: { HTTPS_PROXY: `http://company:${proxyPassword}@127.0.0.1:1` } },
    )
    const { status, text } = await chat(gateway, 'up/m')
    expect(status).toBe(503)
    expect(text + JSON.stringify(gateway.logged)).not.toContain(proxyPassword)
  })
})

test.each(['http/1.1', 'h2'] as const)(
  'the bundled program calls upstreams through a proxy, over %s',
  async (alpn) => {
    await using secure = await openTlsUpstream(server, { alpn, clients: authority })
    await using proxy = await openForwardProxy({ hosts: { 'models.example': secure.port } })
    using folder = temporaryFolder()
    const inFolder = (name: string, text: string) => {
      writeFileSync(join(folder.path, name), text)
      return join(folder.path, name)
    }
    const settings = {
      ca: inFolder('ca.pem', authority.cert),
      certificate: inFolder('client.pem', client.cert),
      certificateKey: inFolder('client-key.pem', client.key),
      http2: alpn === 'h2',
    }
    inFolder(
      'sluice.yaml',
      stringify({ providers: { up: provider('https://models.example/v1', settings) } }),
    )
    await using program = await startServer(process.execPath, [main, 'serve'], {
      folder: folder.path,
      env: { PATH: process.env['PATH'] ?? '', HTTPS_PROXY: proxy.url },
    })
    const answer = await program.post('/v1/chat/completions', { model: 'up/m', messages: [hi] })
    expect(answer.status, await answer.text()).toBe(200)
    expect(secure.seen).toMatchObject([
      { version: alpn === 'h2' ? '2.0' : '1.1', client: 'gateway-7' },
    ])
  },
)

describe('a file that a request names by URL', () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const ask = (gateway: Started, url: string) =>
    gateway.post('/v1/chat/completions', {
      model: 'google/gemini-3-flash',
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
    })

  async function stage(media: NonNullable<ConfigFile['media']> = {}) {
    const opened = new AsyncDisposableStack()
    const files = opened.use(
      await fakeUpstream((_seen, response) => {
        response.writeHead(200, { 'content-type': 'image/png' }).end(png)
      }),
    )
    const port = Number(new URL(files.url).port)
    const proxy = opened.use(
      await openForwardProxy({ hosts: { 'files.example': port, '93.184.215.14': port } }),
    )
    const google = opened.use(
      await fakeUpstream((_seen, response) =>
        json(response, {
          candidates: [{ content: { parts: [{ text: 'A dot' }] }, finishReason: 'STOP' }],
          usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
        }),
      ),
    )
    const gateway = opened.use(
      await start(
        { providers: { google: { type: 'gemini', baseUrl: google.url, key: 'k' } }, media },
        { variables: { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url } },
      ),
    )
    return { gateway, proxy, files, [Symbol.asyncDispose]: () => opened.disposeAsync() }
  }

  test('is fetched through the proxy at the address that was checked', async () => {
    await using set = await stage()
    const answer = await ask(set.gateway, 'http://93.184.215.14/dot.png')
    expect(answer.status, await answer.text()).toBe(200)
    expect(set.proxy.seen).toEqual(['GET http://93.184.215.14:80/dot.png'])
  })

  test('is rejected if its host cannot be resolved, unless proxyResolves is set', async () => {
    await using set = await stage()
    const refused = await ask(set.gateway, 'http://files.example/dot.png')
    expect(refused.status).toBe(400)
    expect(set.proxy.seen).toEqual([])
    await using trusting = await stage({ proxyResolves: true })
    const answer = await ask(trusting.gateway, 'http://files.example/dot.png')
    expect(answer.status, await answer.text()).toBe(200)
    expect(trusting.files.seen[0]?.headers['host']).toBe('files.example')
    // An address is checked nevertheless.
    expect((await ask(trusting.gateway, 'http://10.0.0.1/dot.png')).status).toBe(400)
    expect((await ask(trusting.gateway, 'http://127.0.0.1/dot.png')).status).toBe(400)
    expect(trusting.proxy.seen).toHaveLength(1)
  })
})

test('webhooks, issuers’ keys and traces use the proxy', async () => {
  await using servers = await fakeUpstream((seen, response) =>
    json(response, seen.path === '/keys' ? { keys: [] } : chatReply('Hello')),
  )
  const port = Number(new URL(servers.url).port)
  const hosts = { 'hooks.example': port, 'issuer.example': port, 'traces.example': port }
  await using proxy = await openForwardProxy({ hosts })
  await using gateway = await start(
    {
      alerts: {
        webhooks: [
          {
            url: 'http://hooks.example/hook',
            secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
            events: ['price.unknown'],
          },
        ],
      },
      jwt: [
        {
          issuer: 'http://issuer.example',
          audience: 'sluice',
          jwksUrl: 'http://issuer.example/keys',
        },
      ],
      telemetry: { traces: { endpoint: 'http://traces.example/v1/traces' } },
      providers: { up: provider(servers.url) },
      prices: {},
    },
    { variables: { HTTP_PROXY: proxy.url } },
  )
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const token = `${part({ alg: 'RS256', kid: 'a' })}.${part({ iss: 'http://issuer.example', aud: 'sluice', sub: 'me', exp: 9_999_999_999 })}.AAAA`
  await gateway.request('/v1/models', { key: token })
  await chat(gateway, 'up/m')
  for (const path of ['hooks.example/hook', 'issuer.example/keys', 'traces.example/v1/traces'])
    await until(() => proxy.seen.find((seen) => seen.includes(path)), 15_000)
})
