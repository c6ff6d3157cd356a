// Browser sessions: their permissions, which pages may use them, and when they end.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fakeDate } from '../../support/fake-date.ts'
import { onEachDatabase, type SharedData } from '../../support/servers/databases.ts'
import { adminKey, type Started, start, testKey, until } from '../../support/start.ts'

let gateway: Started
beforeEach(async () => {
  gateway = await start()
})
afterEach(() => gateway[Symbol.asyncDispose]())

const ofConsole = { 'x-sluice-console': '1' }
const path = '/admin/v1/session'

function signIn(key: string, headers: Record<string, string> = ofConsole, at = gateway) {
  return at.post(path, { key }, { key: null, headers })
}

/** What a browser sends back of what it was told to keep. */
async function cookieOf(answer: Response | Promise<Response>): Promise<string> {
  const cookie = (await answer).headers.get('set-cookie') ?? ''
  return cookie.split(';')[0] ?? ''
}

/** A request of a browser that holds the cookie. */
function browse(address: string, cookie: string, options: { method?: string; body?: string } = {}) {
  return gateway.request(address, { key: null, ...options, headers: { cookie, ...ofConsole } })
}

test('a session may read what the console needs, and nothing else below /v1', async () => {
  const cookie = await cookieOf(await signIn(adminKey))
  const answered = async (address: string, body?: object) => {
    const { status } = await gateway.request(address, {
      key: null,
      method: body ? 'POST' : 'GET',
      headers: { cookie, ...ofConsole, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return status
  }
  const chat = { model: 'builtin-chat', messages: [{ role: 'user', content: 'Hi' }] }
  expect(await answered('/v1/chat/completions', chat)).toBe(200)
  for (const address of ['/v1/models', '/v1/usage', '/v1/usage/keys'])
    expect(await answered(address)).toBe(200)
  // Without such a video: a session may ask.
  expect(await answered('/v1/videos/video_none/content')).toBe(404)
  for (const [address, body] of [
    ['/v1/messages', { ...chat, max_tokens: 9 }],
    ['/v1/responses', { model: 'builtin-chat', input: 'Hi' }],
    ['/v1beta/models/builtin-chat:generateContent', { contents: [{ parts: [{ text: 'Hi' }] }] }],
    ['/v1/files', {}],
    ['/v1/videos'],
    ['/v1/responses/resp_none'],
    ['/v1beta/models'],
  ] as const)
    expect([address, await answered(address, body)]).toEqual([address, 401])
})

test('signing in with a key starts a session that lasts until sign-out', async () => {
  const answer = await signIn(adminKey)
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({
    session: { role: 'administrator', adminRole: 'owner', key: { name: 'SLUICE_ADMIN_KEY' } },
  })
  const set = answer.headers.get('set-cookie') ?? ''
  expect(set).toMatch(
    /^sluice-session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  )
  const cookie = await cookieOf(answer)
  expect((await browse('/admin/v1/keys', cookie)).status).toBe(200)
  expect((await browse('/v1/models', cookie)).status).toBe(200)
  const said = await (await browse(path, cookie)).json()
  expect(said).toMatchObject({ session: { role: 'administrator' } })
  const out = await browse(path, cookie, { method: 'DELETE' })
  expect(out.headers.get('set-cookie')).toMatch(/^sluice-session=; Path=\/; Max-Age=0;/)
  expect((await browse('/admin/v1/keys', cookie)).status).toBe(401)
  expect(await (await browse(path, cookie)).json()).toMatchObject({ session: null })
})

test('sign-out ends a live stream of the session, but not one opened by key', async () => {
  const cookie = await cookieOf(signIn(adminKey))
  const watching = await browse('/admin/v1/requests/live', cookie)
  const other = await gateway.request('/admin/v1/requests/live', { key: adminKey })
  expect([watching.status, other.status]).toEqual([200, 200])
  await browse(path, cookie, { method: 'DELETE' })
  expect(await watching.text()).toContain(': watching')
  await gateway.post('/v1/chat/completions', {
    model: 'builtin-chat',
    messages: [{ role: 'user', content: 'Hi' }],
  })
  let told = ''
  for await (const bytes of other.body ?? []) {
    told += Buffer.from(bytes).toString()
    if (told.includes('event: request')) break
  }
  expect(told).toContain('builtin-chat')
})

test('the session token and the key are not stored', async () => {
  const cookie = await cookieOf(signIn(adminKey))
  const token = cookie.split('=')[1] ?? ''
  const { readFileSync, readdirSync } = await import('node:fs')
  for (const name of readdirSync(gateway.dataFolder, { recursive: true, encoding: 'utf8' })) {
    if (!/sluice\.db/.test(name)) continue
    const bytes = readFileSync(`${gateway.dataFolder}/${name}`)
    expect(bytes.includes(token), name).toBe(false)
    expect(bytes.includes(adminKey.slice(3)), name).toBe(false)
  }
})

test('a session has the permissions of its key', async () => {
  const cookie = await cookieOf(signIn(testKey))
  expect((await browse('/v1/usage', cookie)).status).toBe(200)
  expect((await browse('/admin/v1/keys', cookie)).status).toBe(403)
})

test('an API key in the request takes precedence over a session', async () => {
  const cookie = await cookieOf(signIn(adminKey))
  const headers = { cookie, ...ofConsole }
  expect((await gateway.request('/admin/v1/keys', { headers })).status).toBe(403)
  expect((await gateway.request('/v1/models', { key: 'sk-wrong', headers })).status).toBe(401)
})

describe('a session is usable only from pages of the gateway', () => {
  const otherPage = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const cases: [string, string, Record<string, string>, number][] = [
    ['a page of its own', 'POST', { ...ofConsole, 'sec-fetch-site': 'same-origin' }, 200],
    ['another page', 'POST', { ...ofConsole, ...otherPage }, 403],
    ['another port', 'POST', { ...ofConsole, 'sec-fetch-site': 'same-site' }, 403],
    [
      'another origin from a browser without Sec-Fetch-Site',
      'POST',
      { ...ofConsole, origin: 'http://a.example' },
      403,
    ],
    ['an opaque origin', 'POST', { ...ofConsole, origin: 'null' }, 403],
    ['without the console’s header', 'POST', { 'sec-fetch-site': 'same-origin' }, 403],
    ['a form of another page', 'POST', otherPage, 403],
    ['a navigation that posts', 'POST', { ...ofConsole, 'sec-fetch-site': 'none' }, 403],
    ['a navigation that reads', 'GET', { 'sec-fetch-site': 'none' }, 200],
    ['another page that reads', 'GET', otherPage, 403],
    [
      'another origin that reads, from a browser without Sec-Fetch-Site',
      'GET',
      { origin: 'http://a.example' },
      403,
    ],
    ['an opaque origin that reads', 'GET', { origin: 'null' }, 403],
  ]
  test.each(cases)('%s: %s', async (_who, method, headers, status) => {
    const cookie = await cookieOf(signIn(adminKey))
    const body = JSON.stringify({ name: 'A' })
    const answer = await gateway.request('/admin/v1/teams', {
      key: null,
      method,
      headers: { cookie, 'content-type': 'application/json', ...headers },
      ...(method === 'POST' && { body }),
    })
    expect(answer.status).toBe(status)
  })

  test('with the gateway’s own origin', async () => {
    const cookie = await cookieOf(signIn(adminKey))
    const headers = { cookie, ...ofConsole, origin: gateway.url }
    expect(
      (await gateway.post('/admin/v1/teams', { name: 'A' }, { key: null, headers })).status,
    ).toBe(200)
  })

  test('another page cannot start a session', async () => {
    expect((await signIn(adminKey, { ...ofConsole, ...otherPage })).status).toBe(403)
    expect((await signIn(adminKey, {})).status).toBe(403)
  })
})

test('the cookie is Secure with the __Host- prefix behind https', async () => {
  await using behind = await start({ server: { publicUrl: 'https://models.example' } })
  const answer = await signIn(adminKey, ofConsole, behind)
  expect(answer.headers.get('set-cookie')).toMatch(/^__Host-sluice-session=[^;]+;.*; Secure$/)
  const cookie = await cookieOf(answer)
  const headers = { cookie, ...ofConsole, origin: 'https://models.example' }
  expect((await behind.request('/admin/v1/keys', { key: null, headers })).status).toBe(200)
  // The same session in a cookie that a neighboring host could have set.
  const strange = { ...headers, cookie: cookie.replace('__Host-', '') }
  expect((await behind.request('/admin/v1/keys', { key: null, headers: strange })).status).toBe(401)
  expect(await (await behind.request(path, { key: null, headers: strange })).json()).toMatchObject({
    session: null,
  })
})

test('a trusted proxy decides whether the cookie is Secure', async () => {
  await using behind = await start({ server: { trustedProxies: ['127.0.0.1'] } })
  const said = { ...ofConsole, 'x-forwarded-proto': 'https' }
  expect((await signIn(adminKey, said, behind)).headers.get('set-cookie')).toContain('; Secure')
  expect((await signIn(adminKey, said)).headers.get('set-cookie')).not.toContain('; Secure')
})

onEachDatabase((newData) => {
  describe('a session ends when its key is revoked, disabled or rotated', () => {
    let data: SharedData
    beforeEach(async () => {
      await gateway[Symbol.asyncDispose]()
      data = await newData()
      gateway = await start({}, data.options)
    })
    afterEach(() => data[Symbol.asyncDispose]())

    interface Made {
      readonly id: string
      readonly secret: string
    }
    const administer = (address: string, body: object = {}) =>
      gateway.post(address, body, { key: adminKey })

    test.each(['revoke', 'disable', 'rotate'])('by %s', async (what) => {
      const made = (await (await administer('/admin/v1/keys', { name: 'a' })).json()) as Made
      const cookie = await cookieOf(signIn(made.secret))
      expect((await browse('/v1/usage', cookie)).status).toBe(200)
      expect((await administer(`/admin/v1/keys/${made.id}/${what}`)).status).toBe(200)
      expect((await browse('/v1/usage', cookie)).status).toBe(401)
    })

    test('on every replica', async () => {
      await using other = await start({}, data.options)
      const made = (await (await administer('/admin/v1/keys', { name: 'a' })).json()) as Made
      await until(
        async () => (await other.request('/v1/usage', { key: made.secret })).status === 200,
      )
      const cookie = await cookieOf(signIn(made.secret, ofConsole, other))
      const there = () =>
        other.request('/v1/usage', { key: null, headers: { cookie, ...ofConsole } })
      expect((await there()).status).toBe(200)
      await administer(`/admin/v1/keys/${made.id}/revoke`)
      await until(async () => (await there()).status === 401)
      const mine = await cookieOf(signIn(adminKey))
      await browse(path, mine, { method: 'DELETE' })
      const options = { key: null, headers: { cookie: mine, ...ofConsole } }
      expect((await other.request('/admin/v1/keys', options)).status).toBe(401)
    })
  })
})

test('a session expires exactly on time', async () => {
  const begun = Date.UTC(2026, 0, 1)
  using date = fakeDate(begun)
  await using own = await start({ console: { sessionMs: 2 * 3_600_000 } })
  const cookie = await cookieOf(signIn(adminKey, ofConsole, own))
  const asks = (address: string) =>
    own.request(address, { key: null, headers: { cookie, ...ofConsole } })
  const end = begun + 2 * 3_600_000
  for (const [at, status] of [
    [begun, 200],
    [end - 1, 200],
    [end, 401],
    [end + 1, 401],
  ] as const) {
    date.set(at)
    expect((await asks('/admin/v1/keys')).status).toBe(status)
    const { session } = (await (await asks(path)).json()) as { session: object | null }
    expect(session === null).toBe(status === 401)
  }
})

describe('a key restricted to addresses signs in from them only', () => {
  test.each([
    ['192.0.2.1', 200],
    ['192.0.2.10', 403],
    ['198.51.100.1', 403],
  ])('from %s: %i', async (address, status) => {
    await using behind = await start({ server: { trustedProxies: ['127.0.0.1'] } })
    const made = await behind.post(
      '/admin/v1/keys',
      { name: 'bound', role: 'administrator', adminRole: 'viewer', addresses: ['192.0.2.1'] },
      { key: adminKey },
    )
    const { secret } = (await made.json()) as { secret: string }
    const from = { ...ofConsole, 'x-forwarded-for': address }
    const answer = await signIn(secret, from, behind)
    expect(answer.status).toBe(status)
    expect(answer.headers.has('set-cookie')).toBe(status === 200)
  })
})

test('limits the rate of failed sign-ins, whatever key is used next', async () => {
  for (let count = 0; count < 20; count++) expect((await signIn('sk-wrong')).status).toBe(401)
  const refused = await signIn(adminKey)
  expect(refused.status).toBe(429)
  const seconds = Number(refused.headers.get('retry-after'))
  expect([seconds > 0, seconds <= 60]).toEqual([true, true])
})

test('successful sign-ins count a tenth of failed ones', async () => {
  for (let count = 0; count < 100; count++) expect((await signIn(adminKey)).status).toBe(200)
  for (let count = 0; count < 10; count++) expect((await signIn('sk-wrong')).status).toBe(401)
  expect((await signIn('sk-wrong')).status).toBe(429)
})

test.each([{}, { key: 1 }, { key: null }])('rejects the sign-in body %j', async (body) => {
  const answer = await gateway.post(path, body, { key: null, headers: ofConsole })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ error: { param: 'key' } })
})
