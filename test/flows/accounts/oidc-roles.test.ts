// Signing in with OpenID Connect at a real provider: the role of each user, and which users are rejected.
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
import type { PlainBrowser } from '../../support/clients/plain-browser.ts'
import { type OidcIssuer, oidcIssuer } from '../../support/servers/oidc-issuer.ts'
import { type Started, start } from '../../support/start.ts'

let issuer: OidcIssuer
let gateway: Started
let team: { readonly id: string }
beforeEach(async () => {
  issuer = await oidcIssuer()
  gateway = await start(settings())
  team = await granted(gateway, 'POST /admin/v1/teams', { name: 'search' })
  issuer.register(gateway.url)
})
afterEach(async () => {
  await gateway[Symbol.asyncDispose]()
  await issuer[Symbol.asyncDispose]()
})

type Oidc = Partial<OidcIssuer['settings']>
const settings = (further: Oidc = {}) => settingsOf(issuer, further)

async function problemOf(login: string): Promise<string | null> {
  return problemIn((await signInAs(login, gateway)).page)
}

const statusOf = (browser: PlainBrowser, path: string, options: RequestInit = {}) =>
  statusFor(browser, gateway.url + path, options)

describe('the role of a signed-in user', () => {
  test.each([
    [['admins', 'engineers', 'auditors'], { role: 'administrator', adminRole: 'owner' }, 200, 200],
    [['platform'], { role: 'administrator', adminRole: 'operator' }, 200, 200],
    [['auditors'], { role: 'administrator', adminRole: 'viewer' }, 200, 200],
    [['leads'], { role: 'administrator', adminRole: 'team' }, 403, 200],
    [['engineers'], { role: 'caller', adminRole: null }, 403, 403],
  ])('follows from the groups %j: %j', async (groups, role, audit, keys) => {
    issuer.people.set('ada', person(groups))
    const { browser, page } = await signInAs('ada', gateway, { query: '?returnTo=/usage' })
    expect(page).toBe('/usage')
    const { session } = await sessionOf(browser, gateway)
    expect(session).toMatchObject({ ...role, key: { name: 'Ada L.' } })
    expect(await statusOf(browser, '/admin/v1/audit')).toBe(audit)
    expect(await statusOf(browser, '/admin/v1/keys')).toBe(keys)
    expect(await statusOf(browser, '/v1/usage')).toBe(200)
    const levels = session?.levels.map(({ kind, id }) => (kind === 'team' ? id : kind))
    if (groups[0] === 'leads') expect(levels).toEqual(['key', team.id])
    else if (groups[0] === 'engineers') expect(levels).toEqual(['key', 'user', team.id])
    else expect(levels).toEqual(['key'])
  })

  test('limits a viewer to reading, and an operator from creating administrators', async () => {
    issuer.people.set('eyes', person(['auditors']))
    issuer.people.set('ops', person(['platform']))
    const eyes = await signInAs('eyes', gateway)
    const ops = await signInAs('ops', gateway)
    const making = (body: object) => ({
      method: 'POST',
      body: new Blob([JSON.stringify(body)], { type: 'application/json' }),
    })
    expect(await statusOf(eyes.browser, '/admin/v1/teams', making({ name: 'a' }))).toBe(403)
    expect(await statusOf(ops.browser, '/admin/v1/teams', making({ name: 'a' }))).toBe(200)
    const administrator = { name: 'a', role: 'administrator' }
    expect(await statusOf(ops.browser, '/admin/v1/keys', making(administrator))).toBe(403)
  })

  test('is updated at each sign-in while the user stays the same', async () => {
    const other = await granted(gateway, 'POST /admin/v1/teams', { name: 'ads' })
    await gateway.configure(settings({ teams: { engineers: 'search', sellers: other.id } }))
    issuer.people.set('ada', person(['engineers']))
    await signInAs('ada', gateway)
    issuer.people.set('ada', person(['sellers'], { email: 'ada@elsewhere.example' }))
    const { browser } = await signInAs('ada', gateway)
    const { session } = await sessionOf(browser, gateway)
    expect(session?.levels.map(({ id }) => id)).toContain(other.id)
    const { data } = await granted(gateway, 'GET /admin/v1/users')
    expect(data).toHaveLength(1)
    expect(data[0]).toMatchObject({ name: 'ada@example.com', parentId: other.id })
    issuer.people.set('ada', person(['admins']))
    const owner = await signInAs('ada', gateway)
    expect((await sessionOf(owner.browser, gateway)).session).toMatchObject({ adminRole: 'owner' })
    issuer.people.set('ada', person([]))
    expect(await problemOf('ada')).toBe('no_group')
  })

  test.each([
    [
      'a nested claim',
      { groupsClaim: 'realm_access.roles' },
      { realm_access: { roles: ['admins'] } },
    ],
    ['a claim with one string', {}, { groups: 'admins' }],
    ['the email address', { userRoles: { 'ADA@example.com': 'owner' } }, { groups: undefined }],
    ['the subject', { userRoles: { ada: 'owner' } }, { groups: [], email: undefined }],
  ] as const)('can come from %s', async (_what, further, claims) => {
    await gateway.configure(settings(further as Oidc))
    issuer.people.set('ada', person([], claims))
    const { browser } = await signInAs('ada', gateway)
    expect((await sessionOf(browser, gateway)).session).toMatchObject({ adminRole: 'owner' })
  })

  test('is not given by an unverified email address', async () => {
    const given = { userRoles: { 'ada@example.com': 'owner' } } as const
    await gateway.configure(settings(given))
    issuer.people.set('eve', person([], { email_verified: false }))
    issuer.people.set('mallory', person([], { email_verified: undefined }))
    expect(await problemOf('eve')).toBe('no_group')
    expect(await problemOf('mallory')).toBe('no_group')
    await gateway.configure(settings({ ...given, trustEmail: true }))
    const { browser } = await signInAs('mallory', gateway)
    expect((await sessionOf(browser, gateway)).session).toMatchObject({ adminRole: 'owner' })
  })

  test('uses claims from the userinfo endpoint that the token lacks', async () => {
    await using thin = await oidcIssuer({ isThin: true })
    await gateway.configure(settings(thin.settings))
    thin.register(gateway.url)
    thin.people.set('ada', person(['admins']))
    const { browser } = await signInAs('ada', gateway)
    expect((await sessionOf(browser, gateway)).session).toMatchObject({ adminRole: 'owner' })
    expect(thin.asked).toContain('/me')
  })
})

describe('signing in', () => {
  test.each([
    ['no mapped group: refused', {}, person(['others']), 'no_group'],
    [
      'another domain: refused',
      { allowedDomains: ['example.org'] },
      person(['admins']),
      'not_allowed',
    ],
    [
      'a domain that ends like an allowed one: refused',
      { allowedDomains: ['ample.com'] },
      person(['admins']),
      'not_allowed',
    ],
    [
      'an unverified domain: refused',
      { allowedDomains: ['example.com'] },
      person(['admins'], { email_verified: false }),
      'not_allowed',
    ],
    ['an allowed domain', { allowedDomains: ['Example.com'] }, person(['admins']), null],
    [
      'an allowed domain in the email address only: refused',
      { allowedDomains: ['example.com'], domainClaim: 'hd' },
      person(['admins']),
      'not_allowed',
    ],
    [
      'an allowed domain in its own claim',
      { allowedDomains: ['example.com'], domainClaim: 'hd' },
      person(['admins'], { hd: 'example.com' }),
      null,
    ],
    [
      'an unlisted person: refused',
      { allowedUsers: ['bob@example.com'] },
      person(['admins']),
      'not_allowed',
    ],
    ['a listed person', { allowedUsers: ['ada@example.com'] }, person(['admins']), null],
    [
      'no user of that name: refused',
      { createUsers: false },
      person(['engineers']),
      'unknown_user',
    ],
    ['a missing team: refused', { teams: { engineers: 'gone' } }, person(['engineers']), 'no_team'],
    ['no group, but a default team', { defaultTeam: 'search' }, person([]), null],
  ] as const)('with %s', async (_who, further, claims, problem) => {
    await gateway.configure(settings(further as Oidc))
    issuer.people.set('ada', claims)
    expect(await problemOf('ada')).toBe(problem)
  })

  test('logs when the issuer leaves out groups', async () => {
    issuer.people.set('ada', person([], { groups: undefined, _claim_names: { groups: 'src1' } }))
    expect(await problemOf('ada')).toBe('no_group')
    const reasons = gateway.logged.map(({ fields }) => String(fields['reason']))
    expect(reasons.join('\n')).toContain('too many groups')
  })

  test('links an existing user of the same name to the first who signs in as it', async () => {
    await gateway.configure(settings({ createUsers: false }))
    const made = await granted(gateway, 'POST /admin/v1/users', {
      name: 'Ada@example.com',
      parentId: team.id,
    })
    issuer.people.set('ada', person(['engineers']))
    const { browser } = await signInAs('ada', gateway)
    const { session } = await sessionOf(browser, gateway)
    expect(session?.levels[1]).toMatchObject({ kind: 'user', id: made.id })
    // Somebody else who has the address now is another person.
    issuer.people.set('heir', person(['engineers']))
    expect(await problemOf('heir')).toBe('unknown_user')
    expect(await problemOf('ada')).toBe(null)
  })

  test('is refused to a disabled user, whose sessions end', async () => {
    issuer.people.set('ada', person(['engineers']))
    const { browser } = await signInAs('ada', gateway)
    const { data } = await granted(gateway, 'GET /admin/v1/users')
    await granted(gateway, `POST /admin/v1/users/${data[0]?.id}/disable`)
    expect(await statusOf(browser, '/v1/usage')).toBe(401)
    expect(await problemOf('ada')).toBe('disabled')
  })

  test('is refused from addresses that the team does not allow', async () => {
    await granted(gateway, `PATCH /admin/v1/teams/${team.id}`, { addresses: ['10.0.0.0/8'] })
    issuer.people.set('ada', person(['engineers']))
    expect(await problemOf('ada')).toBe('disabled')
  })
})
