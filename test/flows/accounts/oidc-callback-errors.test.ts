// Errors and attacks during an OpenID Connect sign-in: each is rejected, and a page of the console reports it.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  atIssuer,
  endsAt,
  problemIn,
  sessionOf,
  signInAs,
} from '../../support/clients/oidc-flow.ts'
import { PlainBrowser } from '../../support/clients/plain-browser.ts'
import { type OidcIssuer, oidcIssuer } from '../../support/servers/oidc-issuer.ts'
import { adminKey, type Started, start } from '../../support/start.ts'

let issuer: OidcIssuer
let gateway: Started
const settings = (further: Partial<OidcIssuer['settings']> = {}) => ({
  console: { oidc: { ...issuer.settings, roles: { admins: 'owner' } as const, ...further } },
})
beforeEach(async () => {
  issuer = await oidcIssuer()
  issuer.people.set('ada', { name: 'Ada', groups: ['admins'] })
  gateway = await start(settings())
  issuer.register(gateway.url)
})
afterEach(async () => {
  await gateway[Symbol.asyncDispose]()
  await issuer[Symbol.asyncDispose]()
})

/** Nobody is signed in, the reason is told, and the log names the request that the page names. */
async function expectProblem(browser: PlainBrowser, page: string, problem: string) {
  expect(problemIn(page)).toBe(problem)
  const request = new URLSearchParams(page.split('?')[1]).get('request')
  expect(gateway.logged.map(({ fields }) => fields['id'])).toContain(request)
  expect((await sessionOf(browser, gateway)).session).toBe(null)
}

describe('rejects a callback', () => {
  test('of another browser’s sign-in', async () => {
    const attacker = new PlainBrowser()
    const back = await atIssuer(attacker, gateway, 'ada')
    const victim = new PlainBrowser()
    await expectProblem(victim, await endsAt(victim, back), 'state')
    // Not even where the victim has just asked.
    await atIssuer(victim, gateway, 'ada')
    await expectProblem(victim, await endsAt(victim, back), 'state')
  })

  test.each([
    ['no state', (url: URL) => url.searchParams.delete('state')],
    ['a wrong state', (url: URL) => url.searchParams.set('state', 'x')],
    ['two states', (url: URL) => url.searchParams.append('state', 'x')],
  ])('with %s', async (_what, change) => {
    const browser = new PlainBrowser()
    const back = new URL(await atIssuer(browser, gateway, 'ada'))
    change(back)
    const page = await endsAt(browser, back.href)
    expect(['state', 'token']).toContain(problemIn(page))
    expect((await sessionOf(browser, gateway)).session).toBe(null)
  })

  test.each([
    ['the nonce of another sign-in', 'nonce', 'token'],
    ['the verifier of another sign-in', 'verifier', 'expired'],
  ])('with %s', async (_what, field, problem) => {
    const browser = new PlainBrowser()
    const back = await atIssuer(browser, gateway, 'ada')
    const kept = browser.cookie(gateway.url, 'sluice-sign-in') ?? ''
    const asked = JSON.parse(Buffer.from(kept, 'base64url').toString()) as object
    const changed = { ...asked, [field]: 'x'.repeat(43) }
    const value = Buffer.from(JSON.stringify(changed)).toString('base64url')
    browser.keep(gateway.url, 'sluice-sign-in', value)
    await expectProblem(browser, await endsAt(browser, back), problem)
  })

  test.each([['!'], ['e30'], ['bnVsbA'], [Buffer.from('{"state":1}').toString('base64url')]])(
    'with an invalid sign-in cookie: %s',
    async (value) => {
      const browser = new PlainBrowser()
      const back = await atIssuer(browser, gateway, 'ada')
      browser.keep(gateway.url, 'sluice-sign-in', value)
      await expectProblem(browser, await endsAt(browser, back), 'state')
    },
  )

  test('that uses a code twice', async () => {
    const browser = new PlainBrowser()
    const back = await atIssuer(browser, gateway, 'ada')
    const kept = browser.cookie(gateway.url, 'sluice-sign-in') ?? ''
    expect(await endsAt(browser, back)).toBe('/')
    const again = new PlainBrowser()
    await expectProblem(again, await endsAt(again, back), 'state')
    again.keep(gateway.url, 'sluice-sign-in', kept)
    await expectProblem(again, await endsAt(again, back), 'expired')
  })
})

describe('rejects an ID token', () => {
  const past = Math.floor(Date.now() / 1000) - 3_600
  const cases = [
    ['for another client', { claims: { aud: 'another' } }, 'token'],
    [
      'for several clients with another authorized party',
      { claims: { aud: ['sluice', 'x'], azp: 'x' } },
      'token',
    ],
    ['of another issuer', { claims: { iss: 'https://evil.example' } }, 'token'],
    ['that has expired', { claims: { exp: past, iat: past - 60 } }, 'clock'],
    ['that is not yet valid', { claims: { nbf: past + 7_200 } }, 'clock'],
    ['without a subject', { claims: { sub: '' } }, 'token'],
    ['with a forged signature', { isForged: true }, 'token'],
  ] as const
  test.each(cases)('%s', async (_what, trouble, problem) => {
    Object.assign(issuer.trouble, trouble)
    const { browser, page } = await signInAs('ada', gateway)
    await expectProblem(browser, page, problem)
  })

  test('tolerates a few seconds of clock skew', async () => {
    issuer.trouble.claims = { exp: Math.floor(Date.now() / 1000) - 5 }
    expect((await signInAs('ada', gateway)).page).toBe('/')
  })
})

describe('reports a failing issuer', () => {
  test('when the user denies access', async () => {
    const browser = new PlainBrowser()
    const { at } = await browser.follow(`${gateway.url}/admin/v1/session/oidc`)
    const { at: back } = await browser.follow(
      `${at}/abort`,
      `${gateway.url}/admin/v1/session/oidc/callback`,
    )
    await expectProblem(browser, await endsAt(browser, back), 'denied')
  })

  test('when it is down at start, while keys sign in, and recovers', async () => {
    issuer.trouble.isDown = true
    await using late = await start(settings())
    issuer.register(late.url)
    const browser = new PlainBrowser()
    const page = await endsAt(browser, `${late.url}/admin/v1/session/oidc`)
    expect(problemIn(page)).toBe('unavailable')
    const headers = { 'x-sluice-console': '1' }
    const byKey = await late.post('/admin/v1/session', { key: adminKey }, { key: null, headers })
    expect(byKey.status).toBe(200)
    issuer.trouble.isDown = false
    await expect
      .poll(
        async () =>
          (await browser.open(`${late.url}/admin/v1/session/oidc`)).headers.get('location'),
        {
          timeout: 10_000,
          interval: 500,
        },
      )
      .toContain(issuer.url)
    expect((await signInAs('ada', late)).page).toBe('/')
  })

  test.each(['/token', '/jwks'])('when it fails during sign-in: %s', async (path) => {
    const browser = new PlainBrowser()
    const back = await atIssuer(browser, gateway, 'ada')
    issuer.trouble.broken = path
    await expectProblem(browser, await endsAt(browser, back), 'unavailable')
    delete issuer.trouble.broken
    expect((await signInAs('ada', gateway, { browser })).page).toBe('/')
  })

  test('when it goes down during sign-in', async () => {
    const browser = new PlainBrowser()
    const back = await atIssuer(browser, gateway, 'ada')
    issuer.trouble.isDown = true
    await expectProblem(browser, await endsAt(browser, back), 'unavailable')
  })

  test('when it rejects the client secret', async () => {
    await gateway.configure(settings({ clientSecret: 'another' }))
    const { browser, page } = await signInAs('ada', gateway)
    await expectProblem(browser, page, 'client')
  })

  test('and reads its metadata only once', async () => {
    for (const login of ['ada', 'ada', 'ada']) await signInAs(login, gateway)
    const read = issuer.asked.filter((path) => path.startsWith('/.well-known/'))
    expect(read).toHaveLength(1)
  })
})

describe('pages of other origins', () => {
  test.each(['cross-site', 'same-site'])('%s: cannot start a sign-in', async (site) => {
    const browser = new PlainBrowser()
    const answer = await browser.open(`${gateway.url}/admin/v1/session/oidc`, {
      headers: { 'sec-fetch-site': site },
    })
    expect(problemIn(answer.headers.get('location') ?? '')).toBe('state')
    expect(browser.cookie(gateway.url, 'sluice-sign-in')).toBeUndefined()
  })

  test.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    '/a?b=c',
    '/a#b',
    `/${'a'.repeat(300)}`,
    '',
  ])('cannot set a redirect after sign-in: %s', async (returnTo) => {
    const query = new URLSearchParams({ returnTo })
    const answer = await gateway.request(`/admin/v1/session/oidc?${String(query)}`, { key: null })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { param: 'returnTo' } })
  })

  test('cannot set a redirect by the sign-in cookie', async () => {
    const browser = new PlainBrowser()
    const back = await atIssuer(browser, gateway, 'ada')
    const kept = browser.cookie(gateway.url, 'sluice-sign-in') ?? ''
    const asked = JSON.parse(Buffer.from(kept, 'base64url').toString()) as object
    const changed = { ...asked, returnTo: '//evil.example' }
    const value = Buffer.from(JSON.stringify(changed)).toString('base64url')
    browser.keep(gateway.url, 'sluice-sign-in', value)
    await expectProblem(browser, await endsAt(browser, back), 'state')
  })
})

test('limits the rate of failed sign-ins', async () => {
  const browser = new PlainBrowser()
  const page = () => endsAt(browser, `${gateway.url}/admin/v1/session/oidc/callback?state=x`)
  for (let count = 0; count < 20; count++) expect(problemIn(await page())).toBe('state')
  expect(problemIn(await page())).toBe('too_many')
})

test('does not limit successful sign-ins from one address', async () => {
  for (let count = 0; count < 21; count++) {
    const { browser } = await signInAs('ada', gateway)
    expect((await sessionOf(browser, gateway)).session?.role).toBe('administrator')
  }
})
