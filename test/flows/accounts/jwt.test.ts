// Callers that authenticate with an issuer's token instead of a key.
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import { granted } from '../../support/administrate.ts'
import { fakeDate } from '../../support/fake-date.ts'
import { fakeUpstream, sse } from '../../support/fakes/fake-upstream.ts'
import { upstreamStreams } from '../../support/fakes/upstream-streams.ts'
import { noSuchAddress } from '../../support/gateways/two-keys.ts'
import { onEachDatabase, type SharedData } from '../../support/servers/databases.ts'
import { type Started, start, until } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const issuer = 'https://login.example.com'
const audience = 'sluice'
const chat = { model: 'builtin-chat', messages: [{ role: 'user', content: 'Hello' }] }

/** A server of public keys that can be exchanged, and be silent, or fail at once. */
async function keyServer() {
  let keys: readonly JWK[] = []
  let isSilent = false
  let isFailing = false
  let asked = 0
  const server = createServer((_request, response) => {
    asked += 1
    if (isFailing) response.writeHead(500).end()
    else if (!isSilent)
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/jwks`,
    asked: () => asked,
    serve(next: readonly JWK[]) {
      keys = next
      isSilent = false
      isFailing = false
    },
    fail() {
      isFailing = true
    },
    beSilent() {
      isSilent = true
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

interface Pair {
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

async function pair(kid: string, alg = 'RS256'): Promise<Pair> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

interface Said {
  readonly [claim: string]: unknown
}

/** A token that is valid for a minute, but for what is changed. */
function token(
  { privateKey, jwk }: Pair,
  claims: Said = {},
  header: { readonly alg?: string; readonly kid?: string } = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  return new SignJWT({ iss: issuer, aud: audience, sub: 'ada', iat: now, exp: now + 60, ...claims })
    .setProtectedHeader({ alg: jwk.alg ?? '', kid: jwk.kid ?? '', ...header })
    .sign(privateKey)
}

const unsigned = (header: object, claims: Said = {}) => {
  const exp = Math.floor(Date.now() / 1000) + 60
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part(header)}.${part({ iss: issuer, aud: audience, sub: 'ada', exp, ...claims })}.`
}

let server: Awaited<ReturnType<typeof keyServer>>
let key: Pair
const settings = (further: object = {}): ConfigFile => ({
  jwt: [{ issuer, audience, jwksUrl: server.url, ...further }],
})

beforeAll(async () => {
  server = await keyServer()
  key = await pair('k1')
  server.serve([key.jwk])
})
afterAll(() => server[Symbol.asyncDispose]())

async function asked(secret: string, at: Started) {
  const response = await at.post('/v1/chat/completions', chat, { key: secret })
  return { status: response.status, text: await response.text() }
}

onEachDatabase((newData) => {
  let data: SharedData
  let gateway: Started
  let teamId: string
  beforeAll(async () => {
    data = await newData()
    gateway = await start(settings(), data.options)
    teamId = (await granted(gateway, 'POST /admin/v1/teams', { name: 'search' })).id
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await data[Symbol.asyncDispose]()
  })

  const ask = (secret: string) => asked(secret, gateway)

  test('accepts a JWT as an API key and fetches the issuer’s keys once', async () => {
    const before = server.asked()
    for (let n = 0; n < 3; n++) expect((await ask(await token(key, { n }))).status).toBe(200)
    expect(server.asked()).toBe(before + 1)
    const list = await gateway.request('/v1/models', { key: await token(key) })
    expect(list.status).toBe(200)
  })

  describe('rejects', () => {
    test.each<[string, () => Promise<string> | string]>([
      ['expired', () => token(key, { exp: Math.floor(Date.now() / 1000) - 60 })],
      ['not valid yet', () => token(key, { nbf: Math.floor(Date.now() / 1000) + 600 })],
      ['without an expiry', () => token(key, { exp: undefined })],
      ['for another audience', () => token(key, { aud: 'other' })],
      ['without an audience', () => token(key, { aud: undefined })],
      ['of another issuer', () => token(key, { iss: 'https://evil.example.com' })],
      ['without a subject', () => token(key, { sub: undefined })],
      ['whose subject is not a string', () => token(key, { sub: 5 as unknown as string })],
      ['signed with another key of the same id', async () => token(await pair('k1'))],
      ['signed with an unknown key id', async () => token(await pair('k2'))],
      ['with the algorithm none', () => unsigned({ alg: 'none' })],
      ['with an empty signature', () => unsigned({ alg: 'RS256', kid: 'k1' })],
      [
        'signed with the public key as an HMAC secret (HS256)',
        async () => {
          const claims = { iss: issuer, aud: audience, sub: 'ada', exp: Date.now() / 1000 + 60 }
          const secret = new TextEncoder().encode(JSON.stringify(key.jwk))
          return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(secret)
        },
      ],
      [
        'with modified claims',
        async () => {
          const [head, , signature] = (await token(key)).split('.')
          const claims = { iss: issuer, aud: audience, sub: 'eve', exp: Date.now() / 1000 + 60 }
          return [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join(
            '.',
          )
        },
      ],
      ['that is too long', () => token(key, { more: 'x'.repeat(8_000) })],
    ])('a token %s', async (_name, made) => {
      const { status, text } = await ask(await made())
      expect(status, text).toBe(401)
      expect(JSON.parse(text)).toMatchObject({ error: { code: 'invalid_api_key' } })
      expect(text).not.toContain('127.0.0.1')
    })

    test('a token at the administration API', async () => {
      const response = await gateway.request('/admin/v1/keys', { key: await token(key) })
      expect(response.status).toBe(403)
    })
  })

  test('maps claims to team and models, and applies the team’s restrictions', async () => {
    await gateway.configure(
      settings({ teamClaim: 'groups', teams: { devs: teamId }, modelsClaim: 'scope' }),
    )
    const claims = { groups: ['others', 'devs'], scope: 'builtin-chat x/*' }
    const made = await token(key, claims)
    expect((await ask(made)).status).toBe(200)
    expect((await ask(await token(key, { ...claims, scope: 'x/*' }))).text).toContain(
      'This key may not',
    )
    expect((await ask(await token(key, { ...claims, groups: ['others'] }))).status).toBe(401)
    expect((await ask(await token(key, { ...claims, groups: [teamId] }))).status).toBe(401)
    await granted(gateway, `PATCH /admin/v1/teams/${teamId}`, { models: ['builtin-embed'] })
    const refused = await ask(made)
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('The team search may not use the model builtin-chat')
    await granted(gateway, `POST /admin/v1/teams/${teamId}/disable`)
    expect((await ask(made)).status).toBe(401)
    await gateway.configure(settings())
    expect((await ask(made)).status).toBe(200)
  })
})

test('answers 503 while the issuer does not respond, and asks it again', async () => {
  await using own = await keyServer()
  await using served = await start({
    jwt: [{ issuer, audience, jwksUrl: own.url, algorithms: ['ES256'] }],
  })
  const made = await pair('e1', 'ES256')
  own.beSilent()
  const silent = await asked(await token(made), served)
  expect(silent.status).toBe(503)
  expect(silent.text).not.toContain('127.0.0.1')
  own.serve([made.jwk])
  await until(async () => (await asked(await token(made), served)).status === 200)
  // RS256 is not among the signatures of this issuer.
  expect((await asked(await token(key), served)).status).toBe(401)
})

test('picks up rotated issuer keys, and limits refetches for unknown key ids', async () => {
  await using own = await keyServer()
  await using served = await start({ jwt: [{ issuer, audience, jwksUrl: own.url }] })
  const [old, next] = [await pair('old'), await pair('next')]
  own.serve([old.jwk])
  expect((await asked(await token(old), served)).status).toBe(200)
  own.serve([next.jwk])
  for (let n = 0; n < 3; n++)
    expect((await asked(await token(next, { n }), served)).status).toBe(401)
  expect(own.asked()).toBe(1)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 })
  try {
    expect((await asked(await token(next), served)).status).toBe(200)
    expect((await asked(await token(old, { n: 1 }), served)).status).toBe(401)
    expect(own.asked()).toBe(2)
  } finally {
    vi.useRealTimers()
  }
})

test('uses known issuer keys for a day while the issuer does not respond', async () => {
  await using own = await keyServer()
  await using served = await start({ jwt: [{ issuer, audience, jwksUrl: own.url }] })
  const [known, unknown] = [await pair('known'), await pair('unknown')]
  own.serve([known.jwk])
  expect((await asked(await token(known), served)).status).toBe(200)
  own.beSilent()
  const began = Date.now()
  const at = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: began + ms })
  const minute = 60_000
  const long = { exp: Math.floor(began / 1000) + 3 * 86_400 }
  try {
    at(11 * minute)
    expect((await asked(await token(known, { n: 1, ...long }), served)).status).toBe(200)
    const count = own.asked()
    expect((await asked(await token(known, { n: 2, ...long }), served)).status).toBe(200)
    expect((await asked(await token(unknown, long), served)).status).toBe(503)
    expect(own.asked()).toBe(count)
    at(25 * 60 * minute)
    expect((await asked(await token(known, { n: 3, ...long }), served)).status).toBe(503)
    own.serve([unknown.jwk])
    at(25 * 60 * minute + 1_000)
    expect((await asked(await token(unknown, { n: 4, ...long }), served)).status).toBe(200)
    expect((await asked(await token(known, { n: 5, ...long }), served)).status).toBe(401)
  } finally {
    vi.useRealTimers()
  }
}, 30_000)

test('asks a failing issuer at most once a second', async () => {
  await using own = await keyServer()
  const began = Date.now()
  using date = fakeDate(began)
  await using served = await start({ jwt: [{ issuer, audience, jwksUrl: own.url }] })
  const made = await pair('k')
  own.fail()
  for (let n = 0; n < 5; n++)
    expect((await asked(await token(made, { n }), served)).status).toBe(503)
  expect(own.asked()).toBe(1)
  date.set(began + 1_000)
  own.serve([made.jwk])
  expect((await asked(await token(made), served)).status).toBe(200)
  expect(own.asked()).toBe(2)
})

test('rejects a token within minutes after the issuer withdrew its key', async () => {
  await using own = await keyServer()
  const began = Date.now()
  using date = fakeDate(began)
  await using served = await start({ jwt: [{ issuer, audience, jwksUrl: own.url }] })
  const [stolen, next] = [await pair('stolen'), await pair('next')]
  own.serve([stolen.jwk])
  const forged = await token(stolen, { exp: Math.floor(began / 1000) + 400 * 86_400 })
  expect((await asked(forged, served)).status).toBe(200)
  own.serve([next.jwk])
  date.set(began + 9 * 60_000)
  expect((await asked(forged, served)).status).toBe(200)
  date.set(began + 11 * 60_000)
  expect((await asked(forged, served)).status).toBe(401)
})

test('reads issuer keys from a file', async () => {
  using folder = temporaryFolder()
  const jwksFile = join(folder.path, 'jwks.json')
  writeFileSync(jwksFile, JSON.stringify({ keys: [key.jwk] }))
  await using served = await start({ jwt: [{ issuer, audience, jwksFile }] })
  expect((await asked(await token(key), served)).status).toBe(200)
  expect((await asked(await token(await pair('k1')), served)).status).toBe(401)
})

test('picks up rotated and removed keys of a file', async () => {
  using folder = temporaryFolder()
  const jwksFile = join(folder.path, 'jwks.json')
  const [old, next] = [await pair('old'), await pair('next')]
  writeFileSync(jwksFile, JSON.stringify({ keys: [old.jwk] }))
  const began = Date.now()
  using date = fakeDate(began)
  await using served = await start({ jwt: [{ issuer, audience, jwksFile }] })
  const exp = Math.floor(began / 1000) + 3_600
  const tokens = await Promise.all([old, next].map((one) => token(one, { exp })))
  const statuses = async () => {
    const found: number[] = []
    for (const one of tokens) found.push((await asked(one, served)).status)
    return found
  }
  expect(await statuses()).toEqual([200, 401])
  writeFileSync(jwksFile, JSON.stringify({ keys: [next.jwk] }))
  date.set(began + 60_000)
  expect(await statuses()).toEqual([401, 200])
  // As it is while it is being written.
  writeFileSync(jwksFile, '{"keys":')
  date.set(began + 120_000)
  expect(await statuses()).toEqual([401, 200])
})

test('ends a stream when its token expires', async () => {
  const [openai] = upstreamStreams
  await using upstream = await fakeUpstream((seen, response) =>
    seen.path.endsWith('/responses')
      ? noSuchAddress(response)
      : sse(response, [...openai!.preamble, ...openai!.content], { end: false }),
  )
  await using streaming = await start({
    ...settings(),
    providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
  })
  const exp = Math.floor(Date.now() / 1000) + 3
  const answer = await streaming.post(
    '/v1/chat/completions',
    { ...chat, model: 'up/m', stream: true },
    { key: await token(key, { exp }) },
  )
  expect(answer.status).toBe(200)
  const text = await answer.text()
  expect(text).toContain('The API key is not valid any more')
  expect(Date.now()).toBeGreaterThanOrEqual(exp * 1000)
})
