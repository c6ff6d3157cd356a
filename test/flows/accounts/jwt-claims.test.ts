// Limits, models, tags and users from the claims of a token, which never exceed what the settings allow.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import type { JwtConfig } from '../../../packages/gateway/src/settings/schema-jwt.ts'
import { asked, granted } from '../../support/administrate.ts'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { type Started, start, until } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const issuer = 'https://login.example.com'
const audience = 'sluice'
/** What is settled and kept comes a moment after the answer, later where the machine is busy. */
const polling = { timeout: 15_000 }
/** One millionth of a dollar for each token of a response, and nothing for those of a prompt. */
const prices = { 'up/*': { input: 0, output: 1 } }
const answer = {
  ...chatReply('Hello'),
  usage: { prompt_tokens: 0, completion_tokens: 10, total_tokens: 10 },
}

const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
const folder = temporaryFolder()
const jwksFile = join(folder.path, 'jwks.json')
writeFileSync(jwksFile, JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k' }] }))

let upstream: FakeUpstream
let gateway: Started
beforeAll(async () => {
  upstream = await fakeUpstream((_seen, response) => json(response, answer))
  gateway = await start(settings())
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

function settings(further: Partial<JwtConfig> = {}): ConfigFile {
  return {
    prices,
    defaults: { retries: { attempts: 1 } },
    providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
    jwt: [{ issuer, audience, jwksFile, ...further }],
  }
}

let subjects = 0
/** A caller of its own for each test, so that what one has used is not another's. */
const newSubject = () => `ada-${(subjects += 1)}`

function token(claims: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  return new SignJWT({ iss: issuer, aud: audience, sub: 'ada', exp: now + 60, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .sign(privateKey)
}

interface Said {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

async function ask(
  key: string,
  { max_tokens = 20, model = 'up/m', headers = {} }: Asking = {},
): Promise<Said> {
  const body = { model, max_tokens, messages: [{ role: 'user', content: 'Hi' }] }
  const response = await gateway.post('/v1/chat/completions', body, { key, headers })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

interface Asking {
  readonly max_tokens?: number
  readonly model?: string
  readonly headers?: Record<string, string>
}

const limitClaims = {
  requestsPerMinute: 'rpm',
  tokensPerMinute: 'tpm',
  concurrentRequests: 'parallel',
  budgets: 'budgets',
  tags: 'tags',
  operations: 'operations',
}

test.each(['10/9000h', '1/0h', '5/day,tag=a,tag=b', '5/year'])(
  'rejects a token with an invalid budget claim: %s',
  async (budget) => {
    await gateway.configure(settings({ limitClaims }))
    expect((await ask(await token({ budgets: [budget] }))).status).toBe(401)
  },
)

test('accepts a budget with a window of a year', async () => {
  await gateway.configure(settings({ budgets: ['0.0001/8760h'] }))
  const refused = await ask(await token({ sub: newSubject() }), { max_tokens: 200 })
  expect(refused.text).toContain('The 8760-hour budget')
})

describe('limits in claims', () => {
  test.each<[string, Partial<JwtConfig>, Readonly<Record<string, unknown>>, number | null]>([
    ['from the claim alone', { limitClaims }, { rpm: 7 }, 7],
    ['from a claim as text', { limitClaims }, { rpm: '7' }, 7],
    [
      'the smaller of claim and settings: the claim',
      { limitClaims, requestsPerMinute: 9 },
      { rpm: 7 },
      7,
    ],
    [
      'the smaller of claim and settings: the settings',
      { limitClaims, requestsPerMinute: 5 },
      { rpm: 7 },
      5,
    ],
    ['a token without the claim', { limitClaims, requestsPerMinute: 9 }, {}, 9],
    ['a claim that the settings do not map', { requestsPerMinute: 9 }, { rpm: 1_000 }, 9],
    ['without claim and settings', {}, { rpm: 7 }, null],
  ])('%s', async (_name, further, claims, limit) => {
    await gateway.configure(settings(further))
    const answer = await ask(await token({ sub: newSubject(), ...claims }))
    expect(answer.status, answer.text).toBe(200)
    expect(answer.headers.get('x-ratelimit-limit-requests')).toBe(
      limit === null ? null : String(limit),
    )
  })

  test('apply across all tokens of one caller', async () => {
    await gateway.configure(settings({ limitClaims }))
    const sub = newSubject()
    const tokens = await Promise.all([1, 2, 3, 4].map((n) => token({ sub, n, rpm: 3 })))
    const statuses = await Promise.all(tokens.map(async (one) => (await ask(one)).status))
    expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 200, 200, 429])
    // Another caller has limits of its own.
    expect((await ask(await token({ sub: newSubject(), rpm: 3 }))).status).toBe(200)
  })

  test('apply per issuer when two issuers use the same subject', async () => {
    const both = [issuer, 'https://other.example.com'].map(
      (one): JwtConfig => ({ issuer: one, audience, jwksFile, requestsPerMinute: 1 }),
    )
    await gateway.configure({ ...settings(), jwt: both })
    const sub = newSubject()
    for (const { issuer: iss } of both) {
      expect((await ask(await token({ iss, sub }))).status).toBe(200)
      expect((await ask(await token({ iss, sub, n: 2 }))).status).toBe(429)
    }
  })

  test('work for a token that practically never expires', async () => {
    await gateway.configure(settings({ requestsPerMinute: 9 }))
    const key = await token({ sub: newSubject(), exp: 1e300 })
    expect((await ask(key)).status).toBe(200)
    expect((await gateway.request('/v1/usage', { key })).status).toBe(200)
  })

  test('include tokens per minute', async () => {
    await gateway.configure(settings({ limitClaims }))
    const key = await token({ sub: newSubject(), tpm: 100 })
    expect((await ask(key, { max_tokens: 70 })).status).toBe(200)
    const refused = await ask(key, { max_tokens: 101 })
    expect(refused.status).toBe(429)
    expect(refused.text).toContain('This key may use 100 tokens per minute')
  })

  test('include concurrent requests', async () => {
    await gateway.configure(settings({ limitClaims }))
    const open: (() => void)[] = []
    upstream.answer((_seen, response) => {
      open.push(() => json(response, chatReply('Hello')))
    })
    const key = await token({ sub: newSubject(), parallel: 1 })
    const first = ask(key)
    await until(() => open.length === 1)
    expect((await ask(key)).status).toBe(429)
    open[0]?.()
    expect((await first).status).toBe(200)
    upstream.answer((_seen, response) => json(response, answer))
    await expect.poll(async () => (await ask(key)).status, polling).toBe(200)
  })

  test('use the smaller of claim and settings for budgets with the same scope', async () => {
    await gateway.configure(settings({ limitClaims, budgets: ['0.001/month', '1/day,tag=x'] }))
    const sub = newSubject()
    const spent = await ask(await token({ sub, budgets: ['0.0005/month'] }), { max_tokens: 501 })
    expect(spent.status).toBe(429)
    expect(spent.text).toContain('The monthly budget of $0.000500 of this key')
    const wide = await ask(await token({ sub, budgets: '5/month' }), { max_tokens: 1_001 })
    expect(wide.text).toContain('The monthly budget of $0.001000 of this key')
    expect((await ask(await token({ sub, budgets: '5/month' }), { max_tokens: 900 })).status).toBe(
      200,
    )
    // What was spent is counted on, whatever limit the next token says.
    const less = await token({ sub, budgets: '0.00003/month' })
    await expect
      .poll(async () => (await ask(less, { max_tokens: 21 })).text, polling)
      .toContain('has $0.000020 left')
  })

  test('include tags that are set on every call and counted by tag budgets', async () => {
    await gateway.configure(settings({ limitClaims, tags: ['all'], budgets: ['0.0001/day,tag=b'] }))
    const sub = newSubject()
    const key = await token({ sub, tags: 'a b' })
    const refused = await ask(key, { max_tokens: 101 })
    expect(refused.text).toContain('for the tag b')
    const answered = await ask(key, { max_tokens: 10, headers: { 'x-sluice-tags': 'own' } })
    expect(answered.status).toBe(200)
    const id = answered.headers.get('x-request-id') ?? ''
    const shown = await until(async () => {
      const { status, body } = await asked(gateway, `GET /admin/v1/requests/${id}`)
      return status === 200 && body
    })
    expect(shown['tags']).toEqual(expect.arrayContaining(['all', 'a', 'b', 'own']))
    // A token without them is another matter: the claim is the issuer's.
    expect((await ask(await token({ sub, n: 1 }), { max_tokens: 101 })).status).toBe(200)
  })

  test('allow only operations and models that settings and claims both allow', async () => {
    await gateway.configure(
      settings({
        limitClaims,
        modelsClaim: 'models',
        models: ['up/*', 'builtin-embed'],
        operations: ['chat', 'embed'],
      }),
    )
    const sub = newSubject()
    const may = async (claims: object, model = 'up/m') =>
      (await ask(await token({ sub, ...claims }), { model })).status
    expect(await may({ models: 'up/m' })).toBe(200)
    expect(await may({ models: ['*'] })).toBe(200)
    expect(await may({ models: ['*'] }, 'builtin-chat')).toBe(403)
    expect(await may({ models: ['up/n', 'builtin-chat'] })).toBe(403)
    expect(await may({ models: ['builtin-chat'] }, 'builtin-chat')).toBe(403)
    expect(await may({})).toBe(403)
    expect(await may({ models: '*', operations: 'embed speak' })).toBe(403)
    expect(await may({ models: '*', operations: ['chat'] })).toBe(200)
  })

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['rpm', { rpm: 0 }],
    ['rpm', { rpm: -5 }],
    ['rpm', { rpm: 1.5 }],
    ['rpm', { rpm: 'many' }],
    ['rpm', { rpm: [5] }],
    ['tpm', { tpm: true }],
    ['parallel', { parallel: {} }],
    ['budgets', { budgets: 'all' }],
    ['budgets', { budgets: ['5/month', '-1/day'] }],
    ['budgets', { budgets: { limit: 5 } }],
    ['budgets', { budgets: '1/0h' }],
    ['tags', { tags: ['a b'] }],
    ['tags', { tags: { a: 1 } }],
    ['tags', { tags: Array.from({ length: 17 }, (_, n) => `t${n}`) }],
  ])('reject a token with an invalid claim %s: %j', async (claim, claims) => {
    await gateway.configure(settings({ limitClaims }))
    const { status, text } = await ask(await token({ sub: newSubject(), ...claims }))
    expect(status).toBe(401)
    expect(text).toContain(`The token's claim ${claim} is not`)
  })
})

describe('users and teams', () => {
  test('a caller mapped to a user has the budgets of the user and its team', async () => {
    const team = await granted(gateway, 'POST /admin/v1/teams', { name: 'research' })
    const user = await granted(gateway, 'POST /admin/v1/users', {
      name: 'ada',
      parentId: team.id,
      budgets: [{ limitMicroUsd: 100, window: 'month' }],
    })
    const key = await granted(gateway, 'POST /admin/v1/keys', { name: 'k', ownerId: user.id })
    const sub = newSubject()
    await gateway.configure(settings({ users: { [sub]: user.id }, teamClaim: 'groups' }))
    const refused = await ask(await token({ sub }), { max_tokens: 101 })
    expect(refused.status).toBe(429)
    expect(refused.text).toContain('of the user ada')
    expect((await ask(await token({ sub }), { max_tokens: 90 })).status).toBe(200)
    // The user's own key finds what the token has spent.
    await expect
      .poll(async () => (await ask(key.secret, { max_tokens: 95 })).text, polling)
      .toContain('has $0.000090 left')
    await granted(gateway, `PATCH /admin/v1/teams/${team.id}`, { models: ['builtin-embed'] })
    const forbidden = await ask(await token({ sub }), { max_tokens: 10 })
    expect(forbidden.status).toBe(403)
    expect(forbidden.text).toContain('The team research may not use the model up/m')
    await granted(gateway, `POST /admin/v1/users/${user.id}/disable`)
    expect((await ask(await token({ sub }))).status).toBe(401)
  })

  test('a caller without a mapping is rejected, or belongs to the team of the claim', async () => {
    const team = await granted(gateway, 'POST /admin/v1/teams', { name: 'others', models: ['x'] })
    const user = await granted(gateway, 'POST /admin/v1/users', { name: 'eve' })
    const users = { [newSubject()]: user.id }
    await gateway.configure(settings({ users }))
    const sub = newSubject()
    const refused = await ask(await token({ sub }))
    expect(refused.status).toBe(401)
    expect(refused.text).toContain('The token is of no user that is known')
    for (const name of ['__proto__', 'constructor', 'toString'])
      expect((await ask(await token({ sub: name }))).status, name).toBe(401)
    await gateway.configure(settings({ users, unknownUsers: 'allow' }))
    expect((await ask(await token({ sub }))).status).toBe(200)
    await gateway.configure(
      settings({ users, unknownUsers: 'allow', teamClaim: 'groups', teams: { all: team.id } }),
    )
    expect((await ask(await token({ sub }))).status).toBe(401)
    expect((await ask(await token({ sub, groups: ['none'] }))).status).toBe(401)
    expect((await ask(await token({ sub, groups: ['constructor'] }))).status).toBe(401)
    const teams = { 'all of us': team.id }
    await gateway.configure(settings({ teamClaim: 'groups', teams }))
    for (const groups of ['all of us', ['all of us']])
      expect((await ask(await token({ sub, groups }))).text).toContain('The team others')
    expect((await ask(await token({ sub, groups: 'all of them' }))).status).toBe(401)
    await gateway.configure(settings({ teamClaim: 'groups', teams: { all: team.id } }))
    expect((await ask(await token({ sub, groups: ['all'] }))).text).toContain('The team others')
  })

  test('a token of a team that does not exist is rejected', async () => {
    await gateway.configure(settings({ teamClaim: 'team' }))
    expect((await ask(await token({ team: 'team_none' }))).status).toBe(401)
    const acme = await granted(gateway, 'POST /admin/v1/organizations', { name: 'acme' })
    expect((await ask(await token({ team: acme.id }))).status).toBe(401)
    await gateway.configure(settings({ teamClaim: 'team', teams: { a: 'team_none' } }))
    expect((await ask(await token({ team: 'a' }))).status).toBe(401)
  })

  test.each([true, false])(
    'content logging of a caller follows its team: %s',
    async (contentLogging) => {
      const team = await granted(gateway, 'POST /admin/v1/teams', { name: 'kept', contentLogging })
      await gateway.configure(settings({ teamClaim: 'team' }))
      const { text, status, headers } = await ask(await token({ sub: newSubject(), team: team.id }))
      expect(status, text).toBe(200)
      const id = headers.get('x-request-id') ?? ''
      const shown = await until(async () => {
        const { status: found, body } = await asked(gateway, `GET /admin/v1/requests/${id}`)
        return found === 200 && body
      })
      expect(shown['team']).toBe(team.id)
      const content = () => asked(gateway, `GET /admin/v1/requests/${id}/content`)
      if (contentLogging)
        await expect.poll(async () => (await content()).body['answer'], polling).toContain('Hello')
      else expect((await content()).status).toBe(404)
    },
  )

  test('a caller sees its own limits', async () => {
    await gateway.configure(settings({ limitClaims }))
    const key = await token({ sub: newSubject(), rpm: 7, budgets: '3/month' })
    const own = await gateway.request('/v1/usage', { key })
    expect(await own.json()).toMatchObject({
      limits: [
        { kind: 'rate', unit: 'requests', limit: 7 },
        { kind: 'budget', limit: 3_000_000 },
      ],
    })
  })
})
