// The frame of the console: signing in and out, what a role sees, and what the page may load.
import { expect, test } from 'vitest'
import { browserWait } from '../../../test/support/browser/chromium.ts'
import { shoot, useConsole } from '../../../test/support/browser/console.ts'
import { adminKey, start, testKey } from '../../../test/support/start.ts'

const tests = useConsole(() => start())

test('rejects a wrong key, accepts a valid one and signs out', browserWait, async (context) => {
  await using opened = await tests.open(context, '/', { key: undefined })
  const { page } = opened
  await page.getByLabel('Key', { exact: true }).fill('sk-wrong')
  expect(await opened.problems()).toEqual([])
  opened.expectStatus(401)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('The key is not valid').waitFor()
  expect(await page.evaluate('document.activeElement.type')).toBe('password')
  expect(await opened.problems()).toEqual([])
  await page.getByLabel('Key', { exact: true }).fill(adminKey)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.getByText('Owner').waitFor()
  // A reload finds the session again.
  await page.reload()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Key', { exact: true }).waitFor()
  expect(await opened.problems()).toEqual([])
})

test.for([
  ['light', false],
  ['dark', false],
  ['light', true],
  ['dark', true],
] as const)(
  'the page to sign in, %s, on a phone: %s',
  browserWait,
  async ([colorScheme, isPhone], context) => {
    await using opened = await tests.open(context, '/', { key: undefined, colorScheme, isPhone })
    await opened.page.getByLabel('Key', { exact: true }).waitFor()
    await shoot(opened, `sign-in-${colorScheme}${isPhone ? '-phone' : ''}`)
    expect(await opened.problems()).toEqual([])
  },
)

test('a plain user sees only their own pages', browserWait, async (context) => {
  await using opened = await tests.open(context, '/', { key: testKey })
  await opened.page.getByRole('heading', { name: 'My usage' }).waitFor()
  const places = opened.page.getByRole('navigation').getByRole('link')
  expect(await places.allTextContents()).toEqual(['My usage', 'Playground', 'API reference'])
})

test('opens the menu on a phone and navigates', browserWait, async (context) => {
  await using opened = await tests.open(context, '/', { isPhone: true })
  const { page } = opened
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  expect(await page.getByRole('navigation').isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Menu' }).click()
  await shoot(opened, 'menu-phone')
  expect(await opened.problems()).toEqual([])
  await page.getByRole('link', { name: 'API reference' }).click()
  await page.waitForURL(`${tests.gateway.url}/docs`)
  await page.getByRole('link', { name: 'Back to the console' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
})

test('the first page loads less than 200 KB of scripts', browserWait, async (context) => {
  await using opened = await tests.open(context, '/')
  const { page } = opened
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  const scripts = (await page.evaluate(
    'performance.getEntriesByType("resource").map(({ name, encodedBodySize }) => [name, encodedBodySize]).filter(([name]) => name.endsWith(".js"))',
  )) as readonly (readonly [string, number])[]
  expect(scripts.length).toBeGreaterThan(1)
  // As gzip, which is larger than what this browser took.
  const sizes = await Promise.all(
    scripts.map(async ([name]) => {
      const answer = await page
        .context()
        .request.head(name, { headers: { 'accept-encoding': 'gzip' } })
      return Number(answer.headers()['content-length'])
    }),
  )
  expect(sizes.every((size) => size > 0)).toBe(true)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000)
})
