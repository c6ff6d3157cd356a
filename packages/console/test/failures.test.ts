// What a page shows while its answer is waited for, when it does not come, and when it comes after all.
import { expect, type TestContext, test } from 'vitest'
import { browserWait } from '../../../test/support/browser/chromium.ts'
import { shoot, useConsole } from '../../../test/support/browser/console.ts'
import { start } from '../../../test/support/start.ts'

/** What it asks and is answered is kept. */
const keptKey = 'sk-kept0123456789abcdef'

let request: string

const tests = useConsole(async () => {
  const gateway = await start({ keys: [{ name: 'kept', key: keptKey, contentLogging: true }] })
  const answer = await gateway.post('/v1/chat/completions', {
    model: 'builtin-chat',
    messages: [{ role: 'user', content: 'Hi' }],
  })
  request = answer.headers.get('x-sluice-call-id') ?? answer.headers.get('x-request-id') ?? ''
  return gateway
})

/** Where a page is, what it asks, and what it shows when that was answered. */
const pages = [
  { name: 'overview', path: '/overview', asks: 'overview?*', shows: 'Attempts at providers' },
  { name: 'health', path: '/overview', asks: 'providers', shows: 'builtin/builtin-chat' },
  { name: 'requests', path: '/requests', asks: 'requests?*', shows: 'Columns' },
  { name: 'request', path: '/requests/REQUEST', asks: 'requests/req_*', shows: 'Caller' },
  { name: 'models', path: '/models', asks: 'models?*', shows: 'builtin-embed' },
  { name: 'providers', path: '/models?tab=providers', asks: 'providers', shows: 'Built-in engine' },
  { name: 'routes', path: '/models?tab=routes', asks: 'routes', shows: 'Add a route' },
  { name: 'settings', path: '/settings', asks: 'settings', shows: 'adminKey' },
  { name: 'about', path: '/about', asks: 'about', shows: 'Apache-2.0' },
] as const
/** What stands directly on the page and upon what stands after it. */
const overlapping = `[...document.querySelector('main').children].filter((one) => {
  const next = one.nextElementSibling
  return next !== null && next.getBoundingClientRect().top < one.getBoundingClientRect().bottom - 1
}).map(({ outerHTML }) => outerHTML.slice(0, 200))`

/** Each is looked at on a desk and on a phone. */
const sizes = [{ isPhone: false }, { isPhone: true }] as const

// A page that asks for nothing but its own answers is left for the one that is looked at.
const open = (context: TestContext) => tests.open(context, '/own')

test.for(pages)('$name shows loading, failure and retry', browserWait, async (use, context) => {
  const { name, path, asks, shows } = use
  await using opened = await open(context)
  const { page } = opened
  const address = `**/admin/v1/${asks}`
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(address, async (route) => {
    await released
    await route.fulfill({
      status: 500,
      json: { error: { message: 'The store does not answer', type: 'internal', param: null } },
    })
  })
  opened.expectStatus(500)
  await page.goto(`${tests.gateway.url}/#${path.replace('REQUEST', request)}`)
  const main = page.getByRole('main')
  await main.getByLabel('Loading').first().waitFor()
  release()
  const alert = main.getByRole('alert').first()
  await alert.getByText('The store does not answer').waitFor()
  expect(await page.evaluate(overlapping)).toEqual([])
  expect(await main.getByText(shows, { exact: true }).count()).toBe(0)
  for (const size of sizes) {
    await opened.turn(size)
    await shoot(opened, `failed-${name}${size.isPhone ? '-phone' : ''}`)
    expect(await opened.problems()).toEqual([])
  }
  await page.unroute(address)
  await alert.getByRole('button', { name: 'Try again' }).click()
  await main.getByText(shows).first().waitFor()
  expect(await main.getByRole('alert').count()).toBe(0)
  for (const size of sizes.toReversed()) {
    await opened.turn(size)
    expect(await opened.problems()).toEqual([])
  }
})

test(
  'the playground calls a model by name when the list of models is unavailable',
  browserWait,
  async (context) => {
    await using opened = await open(context)
    const { page } = opened
    await page.route('**/v1/models', (route) => route.fulfill({ status: 500, json: {} }))
    opened.expectStatus(500)
    await page.goto(`${tests.gateway.url}/#/playground`)
    await page.getByRole('combobox', { name: 'Model 1' }).fill('builtin-chat')
    await page.getByLabel('Message').fill('Hi')
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/v1/chat/completions', async (route) => {
      await released
      await route.abort()
    })
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Waiting for the response').waitFor()
    release()
    await page.getByRole('alert').waitFor()
    await page.unroute('**/v1/chat/completions')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    await page.locator('[aria-busy="false"] dl').waitFor()
    await shoot(opened, 'playground-unlisted')
  },
)

test('shows the stored prompt and answer of a request', browserWait, async (context) => {
  const answer = await tests.gateway.post(
    '/v1/chat/completions',
    { model: 'builtin-chat', messages: [{ role: 'user', content: 'A word about herons' }] },
    { key: keptKey },
  )
  expect(answer.status).toBe(200)
  const kept = answer.headers.get('x-sluice-call-id') ?? answer.headers.get('x-request-id')
  await using opened = await open(context)
  const { page } = opened
  await page.goto(`${tests.gateway.url}/#/requests/${kept}`)
  const part = page.locator('section', { hasText: 'Prompt and response' }).last()
  await part.getByRole('button', { name: 'Show' }).click()
  await part.getByText('A word about herons').waitFor()
  expect(await opened.problems()).toEqual([])
  opened.expectStatus(404)
  await page.goto(`${tests.gateway.url}/#/requests/${request}`)
  await part.getByRole('button', { name: 'Show' }).click()
  await part.getByText('No content of this request is stored.').waitFor()
  expect(await opened.problems()).toEqual([])
})
