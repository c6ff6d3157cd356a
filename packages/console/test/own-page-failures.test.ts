// What the gateway cannot answer is said where it would stand, with a way to ask again: own page, audit and usage.
import { expect, test } from 'vitest'
import { browserWait } from '../../../test/support/browser/chromium.ts'
import { shoot, useConsole } from '../../../test/support/browser/console.ts'
import { adminKey, start, testKey } from '../../../test/support/start.ts'

const tests = useConsole(() => start())

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
    found: 'No usage in this period',
  },
  {
    path: '/usage',
    key: adminKey,
    pattern: /\/admin\/v1\/budgets/,
    parts: 1,
    found: 'No budgets yet',
  },
]
/** Each is looked at on a desk and on a phone. */
const looks = [
  { isPhone: false, colorScheme: 'light' },
  { isPhone: true, colorScheme: 'dark' },
] as const

test.for(pages)(
  '$path without $pattern shows the failure and retries',
  browserWait,
  async (use, context) => {
    const { path, key, pattern, parts, found } = use
    await using opened = await tests.open(context, '/nowhere', { key })
    const { page } = opened
    opened.expectStatus(500)
    await page.route(pattern, (route) => route.fulfill(failing))
    await page.goto(`${tests.gateway.url}/#${path}`)
    const alerts = page.getByRole('main').getByRole('alert')
    await expect.poll(() => alerts.count(), { timeout: 20_000 }).toBe(parts)
    await alerts.first().getByText('Something went wrong here').waitFor()
    for (const look of looks) {
      await opened.turn(look)
      await shoot(opened, `failed${path.replace('/', '-')}-${parts}${look.isPhone ? '-phone' : ''}`)
      expect(await opened.problems()).toEqual([])
    }
    await page.unroute(pattern)
    // One that is asked again goes away with its button, maybe before the next click.
    while ((await alerts.count()) > 0)
      await alerts
        .first()
        .getByRole('button', { name: 'Try again' })
        .click({ timeout: 2_000 })
        .catch(() => {})
    await page.getByRole('main').getByText(found).first().waitFor()
    for (const look of looks.toReversed()) {
      await opened.turn(look)
      expect(await opened.problems()).toEqual([])
    }
  },
)

test.for(['/own', '/audit', '/usage'])(
  '%s shows a failure while the gateway is unreachable',
  browserWait,
  async (path, context) => {
    const key = path === '/own' ? testKey : adminKey
    await using opened = await tests.open(context, '/nowhere', { key, isPhone: true })
    const { page } = opened
    await page.getByRole('main').waitFor()
    await page.route(/\/v1\//, (route) => route.abort())
    // It asks twice more, after a second and after two: nobody waits for these here.
    await page.clock.install()
    await page.goto(`${tests.gateway.url}/#${path}`)
    const told = page.getByText('The gateway cannot be reached.')
    await expect
      .poll(() => page.clock.fastForward(2_000).then(() => told.count()), { timeout: 60_000 })
      .toBeGreaterThan(0)
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

test('reports a gateway that was never reached, and retries', browserWait, async (context) => {
  await using opened = await tests.open(context, '/overview')
  const { page } = opened
  opened.expectStatus(500)
  await page.route(/\/admin\/v1\/session/, (route) => route.fulfill(failing))
  await page.reload()
  await page.getByRole('alert').getByText('Something went wrong here').waitFor()
  expect(await opened.problems()).toEqual([])
  await page.unroute(/\/admin\/v1\/session/)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
})
