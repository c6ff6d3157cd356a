// Signing in by OpenID Connect in a browser, at a provider on another site; and what each role then sees.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { granted } from '../../../test/support/administrate.ts'
import { browserWait, chromium, leaveOutBrowser } from '../../../test/support/browser/chromium.ts'
import {
  buildConsole,
  type ConsoleBrowser,
  type ConsolePage,
  openConsole,
  shoot,
} from '../../../test/support/browser/console.ts'
import { type OidcIssuer, oidcIssuer } from '../../../test/support/servers/oidc-issuer.ts'
import { type Started, start } from '../../../test/support/start.ts'

let issuer: OidcIssuer
let gateway: Started
let browser: ConsoleBrowser | undefined

const groups = { owner: 'admins', operator: 'platform', viewer: 'auditors' } as const

beforeAll(async () => {
  buildConsole()
  // To a browser `localhost` is another site than 127.0.0.1, as an issuer usually is.
  issuer = await oidcIssuer({ host: 'localhost' })
  gateway = await start({
    console: {
      oidc: {
        ...issuer.settings,
        name: 'Acme',
        roles: { admins: 'owner', platform: 'operator', auditors: 'viewer' },
        teamAdministrators: { leads: 'search' },
        teams: { engineers: 'search' },
      },
    },
  })
  issuer.register(gateway.url)
  await granted(gateway, 'POST /admin/v1/teams', { name: 'search' })
  if (chromium !== undefined) browser = await openConsole(gateway)
}, 150_000)
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
  await gateway[Symbol.asyncDispose]()
  await issuer[Symbol.asyncDispose]()
})

async function signIn({ page }: ConsolePage, login: string): Promise<void> {
  // What the page of the provider would load from elsewhere.
  await page.route(/^https:/, (route) => route.abort())
  await page.getByRole('link', { name: 'Sign in with Acme' }).click()
  await page.getByPlaceholder('Enter any login').fill(login)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.waitForURL(`${gateway.url}/**`)
}

/** Of our own pages; the provider's may ask and say what they want. */
async function problems(opened: ConsolePage): Promise<readonly string[]> {
  const found = await opened.problems()
  return found.filter((one) => !/^asked (?:https|http:\/\/localhost:)|ERR_FAILED/.test(one))
}

test(
  'signs in at the provider, returns to the requested page, and signs out of both',
  browserWait,
  async (context) => {
    if (!browser) return leaveOutBrowser(context)
    issuer.people.set('ada', { name: 'Ada L.', groups: [groups.owner] })
    await using opened = await browser.open('/usage')
    const { page } = opened
    await page.getByRole('link', { name: 'Sign in with Acme' }).waitFor()
    expect(await problems(opened)).toEqual([])
    await signIn(opened, 'ada')
    await page.getByRole('heading', { name: 'Usage and cost' }).waitFor()
    await page.getByText('Ada L.').waitFor()
    await page.getByText('Owner').waitFor()
    expect(await problems(opened)).toEqual([])
    const cookies = await page.context().cookies(gateway.url)
    const ours = cookies.filter(({ name }) => name.startsWith('sluice-'))
    expect(ours).toMatchObject([{ name: 'sluice-session', sameSite: 'Strict', httpOnly: true }])
    await page.reload()
    await page.getByText('Ada L.').waitFor()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: /Yes, sign me out/ }).click()
    await page.waitForURL(`${gateway.url}/`)
    await page.getByRole('link', { name: 'Sign in with Acme' }).click()
    await page.getByPlaceholder('Enter any login').waitFor()
  },
)

test.for([
  ['light', false],
  ['dark', true],
] as const)(
  'shows why sign-in was refused, %s, on a phone: %s',
  browserWait,
  async ([colorScheme, isPhone], context) => {
    if (!browser) return leaveOutBrowser(context)
    issuer.people.set('eve', { name: 'Eve', groups: ['others'] })
    await using opened = await browser.open('/', { colorScheme, isPhone })
    const { page } = opened
    await signIn(opened, 'eve')
    await page.getByRole('alert').getByText('None of your groups may use this gateway').waitFor()
    await page.getByText(/the gateway’s log for req_/).waitFor()
    await shoot(opened, `sign-in-refused-${colorScheme}${isPhone ? '-phone' : ''}`)
    expect(await problems(opened)).toEqual([])
  },
)

test('ignores an unknown problem in the query', browserWait, async (context) => {
  if (!browser) return leaveOutBrowser(context)
  await using opened = await browser.open('/?problem=%3Cb%3Ecall%20us&request=call%20us')
  await opened.page.getByText('Something went wrong in the gateway.').waitFor()
  expect(await opened.page.content()).not.toContain('call us')
})

const own = ['My usage', 'Playground', 'API reference']
test.for([
  [groups.owner, 'Owner', ['Settings', 'Audit', 'Keys', 'Organizations']],
  [groups.operator, 'Operator', ['Settings', 'Audit', 'Keys', 'Organizations']],
  [groups.viewer, 'Viewer', ['Settings', 'Audit', 'Keys', 'Organizations']],
  ['leads', 'Team administrator', ['Keys', 'Users']],
  ['engineers', 'User', own],
] as const)(
  '%s: %s sees only the permitted pages',
  browserWait,
  async ([group, role, places], context) => {
    if (!browser) return leaveOutBrowser(context)
    issuer.people.set(group, { name: `One of ${group}`, groups: [group] })
    await using opened = await browser.open('/')
    const { page } = opened
    await signIn(opened, group)
    await page.getByText(role, { exact: true }).waitFor()
    await page.getByRole('heading', { level: 1 }).waitFor()
    const links = await page.getByRole('navigation').getByRole('link').allTextContents()
    expect(links).toEqual(expect.arrayContaining([...places]))
    if (role === 'User') expect(links).toEqual(own)
    if (role === 'Team administrator') expect(links).not.toContain('Audit')
    expect(await problems(opened)).toEqual([])
  },
)

test('an administrator unlinks the identity of a user', browserWait, async (context) => {
  if (!browser) return leaveOutBrowser(context)
  issuer.people.set('kim', { name: 'Kim', groups: ['engineers'] })
  issuer.people.set('ada', { name: 'Ada L.', groups: [groups.owner] })
  await using user = await browser.open('/')
  await signIn(user, 'kim')
  await user.page.getByText('Kim').first().waitFor()
  await using administrator = await browser.open('/users')
  const { page } = administrator
  await signIn(administrator, 'ada')
  await page.getByRole('link', { name: /^kim$/i }).click()
  await page.getByText('OpenID Connect').waitFor()
  await page.getByRole('button', { name: 'Unlink' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Their sessions end.').waitFor()
  await shoot(administrator, 'unlink')
  await dialog.getByRole('button', { name: 'Unlink' }).click()
  await page.getByText('OpenID Connect').waitFor({ state: 'detached' })
  expect(await page.getByRole('button', { name: 'Unlink' }).count()).toBe(0)
  expect(await problems(administrator)).toEqual([])
  await user.page.reload()
  await user.page.getByRole('link', { name: 'Sign in with Acme' }).waitFor()
})
