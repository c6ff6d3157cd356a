// The page of a plain user: all of their keys, what they have spent, what is left, and keys that they make themselves.
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest'
import { granted } from '../../../test/support/administrate.ts'
import { browserWait, chromium, leaveOutBrowser } from '../../../test/support/browser/chromium.ts'
import {
  buildConsole,
  type ConsoleBrowser,
  openConsole,
  shoot,
} from '../../../test/support/browser/console.ts'
import { type FakeUpstream, fakeUpstream } from '../../../test/support/fakes/fake-upstream.ts'
import { ask, at, good } from '../../../test/support/routes.ts'
import { adminKey, type Started, start, testKey } from '../../../test/support/start.ts'

const small = { ...ask, max_completion_tokens: 3 }

let upstream: FakeUpstream
let gateway: Started
let browser: ConsoleBrowser | undefined
let ada: { readonly secret: string; readonly userId: string }

beforeAll(async () => {
  buildConsole()
  upstream = await fakeUpstream(good)
  gateway = await start({
    ...at({ acme: upstream }),
    prices: { 'acme/*': { input: 2000, output: 10_000 } },
  })
  const team = await granted(gateway, 'POST /admin/v1/teams', {
    name: 'search',
    ownKeys: true,
    budgets: [{ limitMicroUsd: 10_000_000, window: 'month' }],
  })
  const user = await granted(gateway, 'POST /admin/v1/users', { name: 'Ada', parentId: team.id })
  const owned = { ownerId: user.id }
  const first = await granted(gateway, 'POST /admin/v1/keys', { name: 'laptop', ...owned })
  const second = await granted(gateway, 'POST /admin/v1/keys', {
    name: 'server',
    ...owned,
    budgets: [{ limitMicroUsd: 1_000_000, window: 'day' }],
  })
  ada = { secret: first.secret, userId: user.id }
  for (const key of [first.secret, second.secret]) await chat(key)
  if (chromium !== undefined) browser = await openConsole(gateway)
}, 150_000)
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

async function chat(key: string): Promise<number> {
  const body = { model: 'acme/large', ...small }
  return (await gateway.post('/v1/chat/completions', body, { key })).status
}

const open = (context: TestContext, options: object = {}) => {
  if (!browser) {
    leaveOutBrowser(context)
    throw new Error('left out')
  }
  return browser.open('/own', { key: ada.secret, ...options })
}

test.for([
  ['light', false],
  ['dark', true],
] as const)(
  'shows a user’s keys, spending and remaining budget, %s, on a phone: %s',
  browserWait,
  async (look, context) => {
    const [colorScheme, isPhone] = look
    await using opened = await open(context, { colorScheme, isPhone })
    const { page } = opened
    await page.getByRole('cell', { name: 'laptop', exact: true }).waitFor()
    await page.getByRole('cell', { name: 'server', exact: true }).waitFor()
    // 7 tokens in and 3 out with each key.
    await page.getByText('$0.09', { exact: true }).first().waitFor()
    expect(await page.getByRole('cell', { name: '$0.04' }).count()).toBe(2)
    await page.getByText('$0.96 left of $1.00').waitFor()
    await page.getByText('Budgets (your team)').waitFor()
    await page.getByText('$9.91 left of $10.00').waitFor()
    await page.getByText('YOUR_KEY').first().waitFor()
    await shoot(opened, `own-${colorScheme}${isPhone ? '-phone' : ''}`)
    expect(await opened.problems()).toEqual([])
  },
)

test('creates, rotates and revokes a user’s own key', browserWait, async (context) => {
  await using opened = await open(context)
  const { page } = opened
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Create a key' }).click()
  await dialog.getByLabel('Name').fill('notebook')
  expect(await opened.problems()).toEqual([])
  await dialog.getByRole('button', { name: 'Create a key' }).click()
  const secret = (await dialog.getByTestId('secret').textContent()) ?? ''
  expect(await chat(secret)).toBe(200)
  await shoot(opened, 'own-created')
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  const row = page.getByRole('row').filter({ hasText: 'notebook' })
  await row.getByRole('button', { name: 'Rotate' }).click()
  await dialog.getByRole('button', { name: 'Rotate' }).click()
  const next = (await dialog.getByTestId('secret').textContent()) ?? ''
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  expect([await chat(secret), await chat(next)]).toEqual([401, 200])
  await row.getByRole('button', { name: 'Revoke' }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await row.getByText('Revoked').waitFor()
  expect(await row.getByRole('button').count()).toBe(0)
  expect(await chat(next)).toBe(401)
  expect(await opened.problems()).toEqual([])
})

test('offers no own keys where the team forbids them', browserWait, async (context) => {
  const other = await granted(gateway, 'POST /admin/v1/users', { name: 'Bob' })
  const made = await granted(gateway, 'POST /admin/v1/keys', { name: 'only', ownerId: other.id })
  await using opened = await open(context, { key: made.secret })
  const { page } = opened
  await page.getByRole('cell', { name: 'only' }).waitFor()
  await page.getByText('No usage in this period').waitFor()
  expect(await page.getByRole('button', { name: /Create a key|Rotate|Revoke/ }).count()).toBe(0)
  expect(await opened.problems()).toEqual([])
})

test('shows only itself to a key without a user', browserWait, async (context) => {
  await using opened = await open(context, { key: testKey })
  await opened.page.getByRole('cell', { name: /SLUICE_API_KEYS/ }).waitFor()
  expect(await opened.problems()).toEqual([])
})

test('a team’s form can allow own keys', browserWait, async (context) => {
  if (!browser) return leaveOutBrowser(context)
  await using opened = await browser.open('/teams', { key: adminKey })
  const { page } = opened
  await page.getByRole('link', { name: 'search' }).click()
  await page.getByRole('button', { name: 'Change' }).click()
  const choice = page.getByRole('dialog').getByLabel('Users create their own keys')
  expect(await choice.inputValue()).toBe('yes')
  await choice.selectOption('no')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  const refused = await gateway.post('/v1/usage/keys', { name: 'a' }, { key: ada.secret })
  expect(refused.status).toBe(403)
})
