// Sessions ended by the OpenID Connect issuer, or by an administrator who unlinks the identity, on each database.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { granted } from '../../support/administrate.ts'
import {
  person,
  problemIn,
  sessionOf,
  settingsOf,
  signInAs,
  statusFor,
} from '../../support/clients/oidc-flow.ts'
import { PlainBrowser } from '../../support/clients/plain-browser.ts'
import { startProgram } from '../../support/gateways/program.ts'
import { type NewData, onEachDatabase, type SharedData } from '../../support/servers/databases.ts'
import { type OidcIssuer, oidcIssuer } from '../../support/servers/oidc-issuer.ts'
import { adminKey, type Started, start, until } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const path = '/admin/v1/session/oidc/backchannel-logout'
const event = { 'http://schemas.openid.net/event/backchannel-logout': {} }
const seconds = () => Math.floor(Date.now() / 1000)

onEachDatabase((newData) => {
  describe('OpenID Connect logout', () => {
    ends(newData)
  })
  test('several workers share a sign-in, its session and its end', async () => {
    await using issuer = await oidcIssuer()
    await using data = await newData()
    using folder = temporaryFolder()
    const { databaseUrl: url } = data.options
    const content = { ...settingsOf(issuer), ...(url !== undefined && { storage: { url } }) }
    await using program = await startProgram({
      folder: folder.path,
      content,
      args: ['--workers', '2'],
    })
    const team = { method: 'POST', body: { name: 'search' }, key: adminKey }
    expect((await program.ask('/admin/v1/teams', team)).status).toBe(200)
    issuer.register(program.url)
    issuer.people.set('ada', person(['engineers']))
    // Each request over a connection of its own, so that any worker gets it.
    const browser = new PlainBrowser({ connection: 'close' })
    const workers = () => new Set(program.lines().flatMap(({ worker }) => worker ?? []))
    await until(async () => {
      expect((await signInAs('ada', program, { browser })).page).toBe('/')
      expect((await sessionOf(browser, program)).session).toMatchObject({ role: 'caller' })
      return workers().size === 2
    }, 15_000)
    const logout = {
      iss: issuer.url,
      aud: 'sluice',
      iat: seconds(),
      jti: 'a',
      events: event,
      sub: 'ada',
    }
    const body = new URLSearchParams({ logout_token: await issuer.sign(logout) })
    expect((await fetch(program.url + path, { method: 'POST', body })).status).toBe(200)
    for (let asked = 0; asked < 6; asked++)
      expect((await sessionOf(browser, program)).session).toBe(null)
    expect(await program.end('SIGTERM')).toMatchObject({ exitCode: 0, stderr: '' })
  })
})

function ends(newData: NewData): void {
  let issuer: OidcIssuer
  let data: SharedData
  let gateway: Started
  beforeEach(async () => {
    issuer = await oidcIssuer({ tellsLogouts: true })
    data = await newData()
    gateway = await start(settingsOf(issuer), data.options)
    await granted(gateway, 'POST /admin/v1/teams', { name: 'search' })
    issuer.register(gateway.url)
    issuer.people.set('ada', person(['engineers']))
    issuer.people.set('bob', person(['admins'], { email: 'bob@example.com' }))
  })
  afterEach(async () => {
    await gateway[Symbol.asyncDispose]()
    await data[Symbol.asyncDispose]()
    await issuer[Symbol.asyncDispose]()
  })

  const isIn = async (browser: PlainBrowser) => (await sessionOf(browser, gateway)).session !== null
  const tell = (token: string) =>
    fetch(gateway.url + path, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: token }),
    })
  const logout = (further: object = {}) =>
    issuer.sign({
      iss: issuer.url,
      aud: 'sluice',
      iat: seconds(),
      jti: 'a',
      events: event,
      sub: 'ada',
      ...further,
    })
  const actions = async () =>
    (await granted(gateway, 'GET /admin/v1/audit?order=asc')).data.map(({ action }) => action)

  test('signing out at the issuer ends only the session that began there', async () => {
    const { browser } = await signInAs('ada', gateway)
    const elsewhere = await signInAs('ada', gateway)
    const bob = await signInAs('bob', gateway)
    const page = await (await browser.open(`${issuer.url}/session/end`)).text()
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(page) ?? []
    await browser.submit(`${issuer.url}/session/end/confirm`, { xsrf, logout: 'yes' })
    await until(async () => !(await isIn(browser)))
    expect(await isIn(elsewhere.browser)).toBe(true)
    expect(await isIn(bob.browser)).toBe(true)
    expect((await actions()).at(-1)).toBe('session.close')
    expect(issuer.asked).toContain('/session/end/confirm')
  })

  test('a logout token for a subject ends all its sessions and no others', async () => {
    const [one, other, bob] = [
      await signInAs('ada', gateway),
      await signInAs('ada', gateway),
      await signInAs('bob', gateway),
    ]
    expect((await tell(await logout({ sub: 'eve' }))).status).toBe(200)
    expect(await isIn(one.browser)).toBe(true)
    const answer = await tell(await logout())
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.status).toBe(200)
    expect(await isIn(one.browser)).toBe(false)
    expect(await isIn(other.browser)).toBe(false)
    expect(await isIn(bob.browser)).toBe(true)
  })

  test('invalid logout tokens end no session', async () => {
    const { browser } = await signInAs('ada', gateway)
    const tokens = {
      none: '',
      unsigned: (await logout()).replace(/[^.]+$/, 'AAAA'),
      'an ID token': await logout({ events: undefined, nonce: 'n' }),
      'with a nonce': await logout({ nonce: 'n' }),
      'of another event': await logout({ events: { 'https://other.example/event': {} } }),
      'for another client': await logout({ aud: 'another' }),
      'of another issuer': await logout({ iss: 'https://evil.example' }),
      'of an hour ago': await logout({ iat: seconds() - 3_600 }),
      'without an id': await logout({ jti: undefined }),
      'of nobody': await logout({ sub: undefined }),
    }
    for (const [what, token] of Object.entries(tokens)) {
      const answer = await tell(token)
      expect(answer.status, what).toBe(400)
      expect(await answer.json(), what).toMatchObject({ error: { param: 'logout_token' } })
    }
    expect(await isIn(browser)).toBe(true)
  })

  test('back-channel logout rejects wrong forms and large bodies, and answers 404 without an issuer', async () => {
    const json = await fetch(gateway.url + path, { method: 'POST', body: '{}' })
    expect(json.status).toBe(400)
    expect(await json.json()).toMatchObject({ error: { param: 'logout_token' } })
    expect((await tell('x'.repeat(100_000))).status).toBe(413)
    await gateway.configure({})
    expect((await tell(await logout())).status).toBe(404)
  })

  test('back-channel logout answers 503 with Retry-After while the issuer’s keys are unavailable', async () => {
    await signInAs('ada', gateway)
    issuer.trouble.broken = '/jwks'
    const answer = await tell(await logout())
    expect(answer.status).toBe(503)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('unlinking a user ends its sessions and lets the next sign-in take the user over', async () => {
    const { browser } = await signInAs('ada', gateway)
    const { data: users } = await granted(gateway, 'GET /admin/v1/users')
    const id = users[0]?.id ?? ''
    const unlinked = await granted(gateway, `POST /admin/v1/users/${id}/unlink`)
    expect(unlinked).not.toHaveProperty('identity')
    expect(await statusFor(browser, `${gateway.url}/v1/usage`)).toBe(401)
    expect(await isIn(browser)).toBe(false)
    const again = await gateway.post(`/admin/v1/users/${id}/unlink`, {}, { key: adminKey })
    expect(again.status).toBe(409)
    issuer.people.set('heir', person(['engineers']))
    const heir = await signInAs('heir', gateway)
    expect((await sessionOf(heir.browser, gateway)).session?.levels[1]).toMatchObject({ id })
    expect(problemIn((await signInAs('ada', gateway)).page)).toBe(null)
    expect((await granted(gateway, 'GET /admin/v1/users')).data).toHaveLength(2)
    expect(await actions()).toEqual(expect.arrayContaining(['user.unlink', 'user.link']))
  })
}
