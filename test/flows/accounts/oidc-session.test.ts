// The session of an OpenID Connect user: its cookies, its lifetime, its end, and what is stored of it.
import { decodeJwt } from 'jose'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { granted } from '../../support/administrate.ts'
import {
  atIssuer,
  endsAt,
  ofConsole,
  person,
  sessionOf,
  settingsOf,
  signInAs,
  statusFor,
} from '../../support/clients/oidc-flow.ts'
import { PlainBrowser } from '../../support/clients/plain-browser.ts'
import { clientSecret, type OidcIssuer, oidcIssuer } from '../../support/servers/oidc-issuer.ts'
import { adminKey, type Started, start } from '../../support/start.ts'

let issuer: OidcIssuer
let gateway: Started
const settings = (further: Partial<OidcIssuer['settings']> = {}) => settingsOf(issuer, further)
beforeEach(async () => {
  issuer = await oidcIssuer()
  gateway = await start(settings())
  await granted(gateway, 'POST /admin/v1/teams', { name: 'search' })
  issuer.register(gateway.url)
})
afterEach(async () => {
  await gateway[Symbol.asyncDispose]()
  await issuer[Symbol.asyncDispose]()
})

const statusOf = (browser: PlainBrowser, path: string, options: RequestInit = {}) =>
  statusFor(browser, gateway.url + path, options)

describe('the session of an OpenID Connect sign-in', () => {
  beforeEach(() => void issuer.people.set('ada', person(['admins'])))

  test('has an HttpOnly, SameSite=Strict cookie, and a short-lived Lax cookie for the sign-in', async () => {
    const { browser } = await signInAs('ada', gateway)
    const ours = browser.set.filter((line) => line.startsWith('sluice-'))
    expect(ours[0]).toMatch(/^sluice-sign-in=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/)
    expect(ours[1]).toMatch(/^sluice-sign-in=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/)
    expect(ours[2]).toMatch(
      /^sluice-session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    )
  })

  test('lasts as long as configured', async () => {
    const { console: set } = settings()
    await gateway.configure({ console: { ...set, sessionMs: 60_000 } })
    const { browser } = await signInAs('ada', gateway)
    expect(browser.set.at(-1)).toContain('Max-Age=60;')
    const { session } = await sessionOf(browser, gateway)
    expect((session?.expiresAt ?? 0) - Date.now()).toBeLessThanOrEqual(60_000)
  })

  test('requires the same headers of a page as a session by key', async () => {
    const { browser } = await signInAs('ada', gateway)
    const open = (headers: Record<string, string>) =>
      browser.open(`${gateway.url}/admin/v1/teams`, {
        method: 'POST',
        body: '{"name":"a"}',
        headers: { 'content-type': 'application/json', ...headers },
      })
    expect((await open({})).status).toBe(403)
    expect((await open({ ...ofConsole, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await open({ ...ofConsole, origin: issuer.url })).status).toBe(403)
    expect((await open({ ...ofConsole, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  })

  test('starts at one replica, is completed at another and ends on both', async () => {
    const { url } = gateway
    await using other = await start(
      {
        console: {
          oidc: {
            ...settings().console.oidc,
            redirectUrl: `${url}/admin/v1/session/oidc/callback`,
          },
        },
      },
      { dataFolder: gateway.dataFolder },
    )
    issuer.people.set('bob', person(['engineers'], { email: 'bob@example.com' }))
    const browser = new PlainBrowser()
    const back = await atIssuer(browser, gateway, 'bob')
    const there = back.replace(url, other.url)
    browser.keep(other.url, 'sluice-sign-in', browser.cookie(url, 'sluice-sign-in') ?? '')
    expect(await endsAt(browser, there)).toBe('/')
    const token = browser.cookie(other.url, 'sluice-session') ?? ''
    // At once, though this replica has not seen the new user yet.
    browser.keep(url, 'sluice-session', token)
    expect((await sessionOf(browser, gateway)).session).toMatchObject({ role: 'caller' })
    expect(await statusOf(browser, '/admin/v1/session', { method: 'DELETE' })).toBe(200)
    expect((await sessionOf(browser, other)).session).toBe(null)
  })

  test('ends at sign-out, and at the issuer by its end session URL', async () => {
    const { browser } = await signInAs('ada', gateway)
    const answer = await browser.open(`${gateway.url}/admin/v1/session`, {
      method: 'DELETE',
      headers: ofConsole,
    })
    const { endSessionUrl } = (await answer.json()) as { readonly endSessionUrl: string }
    expect((await sessionOf(browser, gateway)).session).toBe(null)
    const hint = new URL(endSessionUrl).searchParams.get('id_token_hint') ?? ''
    expect(decodeJwt(hint)).toMatchObject({ iss: issuer.url, aud: 'sluice', sub: 'ada' })
    expect(browser.cookie(gateway.url, 'sluice-id-token')).toBeUndefined()
    const page = await browser.open(endSessionUrl)
    expect(page.status).toBe(200)
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(await page.text()) ?? []
    const out = await browser.submit(`${issuer.url}/session/end/confirm`, { xsrf, logout: 'yes' })
    expect(out.headers.get('location')).toBe(`${gateway.url}/`)
    // The issuer asks for the login again.
    issuer.people.set('bob', person(['auditors']))
    const bob = await signInAs('bob', gateway, { browser })
    expect((await sessionOf(bob.browser, gateway)).session).toMatchObject({ adminRole: 'viewer' })
  })

  test('keeps the ID token in a cookie for sign-out only, unless it is too long', async () => {
    const { browser } = await signInAs('ada', gateway)
    const cookies = browser.set.filter((one) => one.startsWith('sluice-id-token=ey'))
    expect(cookies).toEqual([
      expect.stringMatching(
        /; Path=\/admin\/v1\/session; Max-Age=\d{5}; HttpOnly; SameSite=Strict$/,
      ),
    ])
    issuer.trouble.claims = { padding: 'x'.repeat(4_000) }
    await signInAs('ada', gateway, { browser })
    expect(browser.cookie(gateway.url, 'sluice-id-token')).toBeUndefined()
    const answer = await browser.open(`${gateway.url}/admin/v1/session`, {
      method: 'DELETE',
      headers: ofConsole,
    })
    const { endSessionUrl } = (await answer.json()) as { readonly endSessionUrl: string }
    expect(endSessionUrl).toContain('client_id=sluice')
    expect(endSessionUrl).not.toContain('id_token_hint')
  })

  test.each([
    ['endSession is off', { endSession: false }],
    ['the issuer is down', {}],
  ])('ends at sign-out where %s', async (_why, further) => {
    await gateway.configure(settings(further))
    const { browser } = await signInAs('ada', gateway)
    if (!('endSession' in further)) {
      await gateway.configure(settings({ clientAuthentication: 'basic' }))
      issuer.trouble.isDown = true
    }
    const answer = await browser.open(`${gateway.url}/admin/v1/session`, {
      method: 'DELETE',
      headers: ofConsole,
    })
    expect(await answer.json()).toMatchObject({ session: null, endSessionUrl: null })
    expect((await sessionOf(browser, gateway)).session).toBe(null)
  })

  test('ends when the issuer is removed from the settings', async () => {
    const { browser } = await signInAs('ada', gateway)
    await gateway.configure({})
    expect(await sessionOf(browser, gateway)).toMatchObject({ session: null, oidc: null })
    const begun = await browser.open(`${gateway.url}/admin/v1/session/oidc`)
    expect(begun.status).toBe(404)
  })

  test('replaces an earlier session of the browser', async () => {
    const { browser } = await signInAs('ada', gateway)
    const before = browser.cookie(gateway.url, 'sluice-session') ?? ''
    await signInAs('ada', gateway, { browser })
    const old = new PlainBrowser()
    old.keep(gateway.url, 'sluice-session', before)
    expect((await sessionOf(old, gateway)).session).toBe(null)
    expect((await sessionOf(browser, gateway)).session).not.toBe(null)
  })

  test('is recorded in the audit log, like a sign-in by key', async () => {
    issuer.people.set('bob', person(['engineers'], { email: 'bob@example.com' }))
    const { browser } = await signInAs('bob', gateway)
    const { session } = await sessionOf(browser, gateway)
    await gateway.post('/admin/v1/session', { key: adminKey }, { key: null, headers: ofConsole })
    const { data } = await granted(gateway, 'GET /admin/v1/audit?order=asc')
    expect(data.map(({ action }) => action)).toEqual([
      'team.create',
      'user.create',
      'session.open',
      'session.open',
    ])
    expect(data[1]).toMatchObject({ actor: session?.key.id })
    expect(data[2]).toMatchObject({
      actor: session?.key.id,
      target: session?.key.id,
      after: { by: 'oidc', role: 'caller', name: 'Ada L.' },
    })
    expect(data[3]).toMatchObject({ after: { by: 'key', adminRole: 'owner' } })
  })
})

describe('sign-in behind a proxy', () => {
  test('redirects to https if a trusted proxy says so', async () => {
    issuer.people.set('ada', person(['admins']))
    await gateway.configure(settings())
    await using behind = await start({ ...settings(), server: { trustedProxies: ['127.0.0.1'] } })
    const headers = { 'x-forwarded-proto': 'https', host: 'models.example' }
    const answer = await new PlainBrowser().open(`${behind.url}/admin/v1/session/oidc`, { headers })
    const to = new URL(answer.headers.get('location') ?? '')
    expect(to.searchParams.get('redirect_uri')).toMatch(
      /^https:.*\/admin\/v1\/session\/oidc\/callback$/,
    )
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-sluice-sign-in=.*; Secure$/)
    const plain = await new PlainBrowser().open(`${gateway.url}/admin/v1/session/oidc`, { headers })
    expect(plain.headers.get('location')).toContain('redirect_uri=http%3A')
  })

  test('redirects to the configured public URL', async () => {
    const publicUrl = 'https://models.example/gateway'
    await using behind = await start({ ...settings(), server: { publicUrl } })
    const answer = await new PlainBrowser().open(`${behind.url}/admin/v1/session/oidc`)
    const to = new URL(answer.headers.get('location') ?? '')
    expect(to.searchParams.get('redirect_uri')).toBe(`${publicUrl}/admin/v1/session/oidc/callback`)
    expect(to.searchParams.get('code_challenge_method')).toBe('S256')
    expect(to.searchParams.get('state')?.length).toBeGreaterThan(30)
    expect(to.searchParams.get('nonce')?.length).toBeGreaterThan(30)
  })
})

test('no secret, code or token is logged or stored', async () => {
  issuer.people.set('ada', person(['engineers']))
  const browser = new PlainBrowser()
  const back = await atIssuer(browser, gateway, 'ada')
  expect(await endsAt(browser, back)).toBe('/')
  await endsAt(browser, back)
  const { searchParams } = new URL(back)
  const token = browser.cookie(gateway.url, 'sluice-session') ?? ''
  const { readFileSync, readdirSync } = await import('node:fs')
  const kept = readdirSync(gateway.dataFolder)
    .filter((name) => name.startsWith('sluice.db'))
    .map((name) => readFileSync(`${gateway.dataFolder}/${name}`))
  expect(kept.length).toBeGreaterThan(0)
  const logged = JSON.stringify(gateway.logged)
  for (const secret of [
    searchParams.get('code') ?? '',
    searchParams.get('state') ?? '',
    token,
    clientSecret,
    'eyJ',
  ]) {
    expect(secret.length).toBeGreaterThan(2)
    expect(logged).not.toContain(secret)
    for (const bytes of kept) if (secret !== 'eyJ') expect(bytes.includes(secret)).toBe(false)
  }
})
