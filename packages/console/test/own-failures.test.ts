// What the gateway cannot answer is said where it would stand, with a way to ask again: own page, audit and usage.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { browserWait, chromium, leaveOutBrowser } from '../../../test/support/chromium.ts'
import {
  buildConsole,
  type ConsoleBrowser,
  openConsole,
  shoot,
} from '../../../test/support/console.ts'
import { adminKey, start, type Started, testKey } from '../../../test/support/start.ts'

let gateway: Started
let browser: ConsoleBrowser | undefined

beforeAll(async () => {
  buildConsole()
  gateway = await start()
  if (chromium !== undefined) browser = await openConsole(gateway)
}, 150_000)
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
  await gateway[Symbol.asyncDispose]()
})

/** What a failing gateway answers, in its own words. */
const failing = {
  status: 500,
  json: { error: { message: 'Something went wrong here', type: 'api_error', param: null } },
}

interface Page {
  readonly path: string
  readonly key: string
  /** What fails. */
  readonly pattern: RegExp
  /** So many parts of the page ask for it. */
  readonly parts: number
  /** What stands there when it comes. */
  readonly found: string
}

const pages: readonly Page[] = [
  {
    path: '/own',
    key: testKey,
    pattern: /\/v1\/usage(?:\?|\/keys)/,
    parts: 3,
    found: 'SLUICE_API_KEYS',
  },
  { path: '/own', key: testKey, pattern: /\/v1\/models/, parts: 1, found: 'YOUR_KEY' },
  { path: '/audit', key: adminKey, pattern: /\/admin\/v1\/audit/, parts: 1, found: 'session.open' },
  {
    path: '/usage',
    key: adminKey,
    pattern: /\/admin\/v1\/usage\?/,
    parts: 1,
    found: 'Nothing was used in this time',
  },
  {
    path: '/usage',
    key: adminKey,
    pattern: /\/admin\/v1\/budgets/,
    parts: 1,
    found: 'No budgets yet',
  },
]
const looks = pages.flatMap((page) => [
  { ...page, isPhone: false, colorScheme: 'light' as const },
  { ...page, isPhone: true, colorScheme: 'dark' as const },
])

test.for(looks)(
  '$path without $pattern, on a phone: $isPhone',
  browserWait,
  async ({ path, key, pattern, parts, found, isPhone, colorScheme }, context) => {
    if (!browser) return leaveOutBrowser(context)
    await using opened = await browser.open('/nowhere', { key, isPhone, colorScheme })
    const { page } = opened
    opened.expectStatus(500)
    await page.route(pattern, (route) => route.fulfill(failing))
    await page.goto(`${gateway.url}/#${path}`)
    const alerts = page.getByRole('main').getByRole('alert')
    await expect.poll(() => alerts.count(), { timeout: 20_000 }).toBe(parts)
    await alerts.first().getByText('Something went wrong here').waitFor()
    await shoot(opened, `failed${path.replace('/', '-')}-${parts}${isPhone ? '-phone' : ''}`)
    expect(await opened.problems()).toEqual([])
    await page.unroute(pattern)
    for (let left = parts; left > 0; left = await alerts.count())
      await alerts.first().getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('main').getByText(found).first().waitFor()
    expect(await opened.problems()).toEqual([])
  },
)

test.for(['/own', '/audit', '/usage'])(
  '%s while the gateway cannot be reached',
  browserWait,
  async (path, context) => {
    if (!browser) return leaveOutBrowser(context)
    const key = path === '/own' ? testKey : adminKey
    await using opened = await browser.open('/nowhere', { key, isPhone: true })
    const { page } = opened
    await page.getByRole('main').waitFor()
    await page.route(/\/v1\//, (route) => route.abort())
    await page.goto(`${gateway.url}/#${path}`)
    await page.getByText('The gateway cannot be reached.').first().waitFor({ timeout: 60_000 })
    const problems = await opened.problems()
    expect(problems.filter((one) => !one.includes('ERR_FAILED'))).toEqual([])
    await page.unroute(/\/v1\//)
    const retry = page.getByRole('button', { name: 'Try again' })
    // One retry may mend several parts at once, and take the buttons of the others away.
    while ((await retry.count()) > 0)
      await retry
        .first()
        .click({ timeout: 2_000 })
        .catch(() => {})
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expect.poll(() => page.getByRole('alert').count(), { timeout: 20_000 }).toBe(0)
  },
)
