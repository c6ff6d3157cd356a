// Keys, users, teams and organizations as administrators work with them in a browser.
import { expect, test } from 'vitest'
import { granted } from '../../../test/support/administrate.ts'
import { browserWait } from '../../../test/support/browser/chromium.ts'
import { shoot, useConsole } from '../../../test/support/browser/console.ts'
import { fakeUpstream } from '../../../test/support/fakes/fake-upstream.ts'
import { ask, at, good } from '../../../test/support/routes.ts'
import { start } from '../../../test/support/start.ts'

/** As large as the answer of the fake upstream, so that a budget has room for it. */
const small = { ...ask, max_completion_tokens: 3 }

const tests = useConsole(async (opened) => {
  const upstream = opened.use(await fakeUpstream(good))
  return start({
    ...at({ acme: upstream }),
    prices: { 'acme/priced': { input: 2000, output: 10_000 } },
  })
})

test.for(['keys', 'users', 'teams', 'organizations'])(
  '%s: shows an empty state',
  browserWait,
  async (path, context) => {
    await using opened = await tests.open(context, `/${path}`)
    await opened.page.getByText(`No ${path} yet`).waitFor()
    await shoot(opened, `${path}-empty`)
    expect(await opened.problems()).toEqual([])
  },
)

test('creates an organization, a team with a budget, and a user', browserWait, async (context) => {
  await using opened = await tests.open(context, '/organizations')
  const { page } = opened
  await page.getByRole('button', { name: 'Create an organization' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Riverside')
  expect(await opened.problems()).toEqual([])
  await dialog.getByRole('button', { name: 'Create an organization' }).click()
  await page.getByRole('link', { name: 'Riverside' }).waitFor()

  await page.getByRole('link', { name: 'Teams' }).click()
  await page.getByRole('button', { name: 'Create a team' }).click()
  await dialog.getByLabel('Name').fill('Search')
  await dialog.getByLabel('Member of').selectOption('Riverside')
  await dialog.getByRole('button', { name: 'Add a budget' }).click()
  await dialog.getByLabel('US dollars').fill('25.5')
  await dialog.getByLabel('Requests per minute').fill('600')
  await dialog.getByLabel('Models', { exact: true }).fill('acme/*\nbuiltin-chat')
  await shoot(opened, 'team-create')
  expect(await opened.problems()).toEqual([])
  await dialog.getByRole('button', { name: 'Create a team' }).click()
  const row = page.getByRole('row', { name: /^Search/ })
  await row.getByText('$0.00', { exact: true }).waitFor()
  await row.getByText('$25.50 left of $25.50 per month').waitFor()
  await page.getByRole('link', { name: 'Search' }).click()
  await page.getByText('$25.50 left of $25.50').waitFor()
  await page.getByText('acme/*, builtin-chat').waitFor()
  await shoot(opened, 'team')
  expect(await opened.problems()).toEqual([])

  const { data } = await granted(tests.gateway, 'GET /admin/v1/teams')
  expect(data).toMatchObject([
    {
      name: 'Search',
      requestsPerMinute: 600,
      models: ['acme/*', 'builtin-chat'],
      budgets: [{ limitMicroUsd: 25_500_000, window: 'month' }],
    },
  ])
})

test('a long name does not push other columns away', browserWait, async (context) => {
  const name = `customer ${'with-a-very-long-name-'.repeat(8)}`
  await granted(tests.gateway, 'POST /admin/v1/keys', { name })
  await using opened = await tests.open(context, '/keys')
  const { page } = opened
  const table = page.getByRole('region', { name: 'Keys' })
  await table.getByRole('link', { name }).waitFor()
  expect(await table.evaluate((frame) => frame.scrollWidth - frame.clientWidth)).toBe(0)
  await shoot(opened, 'keys-long')
  expect(await opened.problems()).toEqual([])
})

test('shows an error at its field', browserWait, async (context) => {
  await using opened = await tests.open(context, '/users')
  const { page } = opened
  await page.getByRole('button', { name: 'Create a user' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Ada')
  await dialog.getByLabel('Addresses').fill('nowhere')
  opened.expectStatus(400)
  await dialog.getByRole('button', { name: 'Create a user' }).click()
  const said = 'It is neither an IP address nor a CIDR block'
  await dialog.getByText(said).first().waitFor()
  expect(await dialog.getByLabel('Addresses').getAttribute('aria-invalid')).toBe('true')
  expect(await opened.problems()).toEqual([])
  await dialog.getByLabel('Addresses').fill('')
  await dialog.getByRole('button', { name: 'Create a user' }).click()
  await page.getByRole('link', { name: 'Ada' }).waitFor()
})

test(
  'creates, shows once, uses, edits, rotates, disables and revokes a key',
  browserWait,
  async (context) => {
    await using opened = await tests.open(context, '/keys')
    const { page } = opened
    await page.getByRole('button', { name: 'Create a key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('nightly')
    await dialog.getByRole('button', { name: 'Create a key' }).click()
    await dialog.getByText('Copy it now').waitFor()
    // The button that was pressed is gone: the focus is at what is to be read.
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Copy it now')
    const secret = (await dialog.getByTestId('secret').textContent()) ?? ''
    expect(secret).toMatch(/^sk-\w{43}$/)
    await dialog.getByRole('button', { name: 'Copy: Secret' }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret)
    for (const name of ['openai', 'anthropic', 'genai', 'codex', 'Claude Code', 'curl']) {
      await dialog.getByRole('tab', { name }).click()
      expect(await dialog.getByRole('tabpanel').textContent()).toContain(secret)
      expect(await dialog.getByRole('tabpanel').textContent()).toContain(tests.gateway.url)
    }
    await shoot(opened, 'key-secret')
    expect(await opened.problems()).toEqual([])
    await dialog.getByRole('button', { name: 'I have copied it' }).click()
    const chat = (key: string) =>
      tests.gateway.post('/v1/chat/completions', { model: 'acme/priced', ...small }, { key })
    expect((await chat(secret)).status).toBe(200)

    await page.getByRole('link', { name: 'nightly' }).click()
    await page.getByText('$0.04').waitFor()
    expect(await page.content()).not.toContain(secret)
    await page.getByRole('button', { name: 'Change' }).click()
    await dialog.getByLabel('Tokens per minute').fill('5000')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('5,000').waitFor()
    await shoot(opened, 'key')
    expect(await opened.problems()).toEqual([])

    await page.getByRole('button', { name: 'Rotate' }).click()
    await dialog.getByRole('button', { name: 'Rotate' }).click()
    const next = (await dialog.getByTestId('secret').textContent()) ?? ''
    expect(next).not.toBe(secret)
    await dialog.getByRole('button', { name: 'I have copied it' }).click()
    expect([(await chat(secret)).status, (await chat(next)).status]).toEqual([401, 200])

    await page.getByRole('button', { name: 'Disable' }).click()
    await page.getByRole('button', { name: 'Enable' }).waitFor()
    expect((await chat(next)).status).toBe(401)
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByRole('button', { name: 'Disable' }).waitFor()

    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Revoke the key permanently?').waitFor()
    expect(await opened.problems()).toEqual([])
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Revoked').waitFor()
    expect(await page.getByRole('button', { name: 'Rotate' }).count()).toBe(0)
    expect((await chat(next)).status).toBe(401)
  },
)

test(
  'an edit keeps another administrator’s concurrent changes and the time of the expiry',
  browserWait,
  async (context) => {
    const expiresAt = Date.now() + 86_400_000
    const made = await granted(tests.gateway, 'POST /admin/v1/keys', { name: 'shared', expiresAt })
    const { id } = made as { readonly id: string }
    await using opened = await tests.open(context, `/keys/${id}`)
    const { page } = opened
    await page.getByRole('button', { name: 'Change' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Tokens per minute').fill('5000')
    await granted(tests.gateway, `PATCH /admin/v1/keys/${id}`, { requestsPerMinute: 7 })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const key = await granted(tests.gateway, `GET /admin/v1/keys/${id}`)
    expect(key).toMatchObject({ expiresAt, requestsPerMinute: 7, tokensPerMinute: 5000 })
    expect(await opened.problems()).toEqual([])
  },
)

test(
  'an edit keeps a budget’s over-budget route and content logging',
  browserWait,
  async (context) => {
    const budget = {
      limitMicroUsd: 5_000_000,
      window: 'month',
      timeZone: 'Europe/Berlin',
      overBudget: { route: 'cheap' },
    }
    const body = { name: 'kept', budgets: [budget] }
    const made = await granted(tests.gateway, 'POST /admin/v1/keys', body)
    const { id } = made as { readonly id: string }
    await using opened = await tests.open(context, `/keys/${id}`)
    const { page } = opened
    await page.getByRole('button', { name: 'Change' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('US dollars').fill('7')
    await dialog.getByLabel('Store prompts and responses').selectOption('yes')
    await dialog.getByRole('button', { name: 'Save' }).click()
    // While it is open its list says the same.
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Yes, masked, unless another level says no').waitFor()
    const changed = [{ ...budget, limitMicroUsd: 7_000_000 }]
    const key = await granted(tests.gateway, `GET /admin/v1/keys/${id}`)
    expect(key).toMatchObject({ budgets: changed, contentLogging: true })
    await page.getByRole('button', { name: 'Change' }).click()
    await shoot(opened, 'key-terms')
    expect(await opened.problems()).toEqual([])
    await dialog.getByLabel('Route after it is spent').fill('')
    await dialog.getByLabel('Store prompts and responses').selectOption('')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const plain = (await granted(tests.gateway, `GET /admin/v1/keys/${id}`)) as object
    expect(plain).toMatchObject({ budgets: [{ limitMicroUsd: 7_000_000, window: 'month' }] })
    expect(JSON.stringify(plain)).not.toMatch(/overBudget|contentLogging/)
  },
)

test('shows a viewer no controls that change anything', browserWait, async (context) => {
  const viewer = await granted(tests.gateway, 'POST /admin/v1/keys', {
    name: 'eyes',
    role: 'administrator',
    adminRole: 'viewer',
  })
  await using opened = await tests.open(context, '/keys', { key: viewer.secret })
  const { page } = opened
  await page.getByRole('link', { name: 'eyes' }).waitFor()
  expect(await page.getByRole('button', { name: 'Create a key' }).count()).toBe(0)
  await page.getByRole('link', { name: 'eyes' }).click()
  await page.getByRole('heading', { name: 'eyes' }).waitFor()
  expect(await page.getByRole('main').getByRole('button').count()).toBe(0)
  expect(await opened.problems()).toEqual([])
})

test('reports a missing page and a failed load', browserWait, async (context) => {
  await using opened = await tests.open(context, '/keys/key_none')
  const { page } = opened
  opened.expectStatus(404)
  await page.getByRole('alert').waitFor()
  expect(await page.getByRole('alert').textContent()).toContain('There is no such key')
  expect((await opened.problems()).filter((one) => !one.includes('404'))).toEqual([])
  await page.goto(`${tests.gateway.url}/#/nowhere`)
  await page.getByText('Page not found').waitFor()
})

test('retries a failed load', browserWait, async (context) => {
  // A page that asks for no team.
  await using opened = await tests.open(context, '/audit')
  const { page } = opened
  await page.getByRole('cell', { name: 'team.create' }).waitFor()
  await page.route('**/admin/v1/teams?*', (route) => route.fulfill({ status: 500, json: {} }))
  opened.expectStatus(500)
  await page.getByRole('link', { name: 'Teams' }).click()
  await page.getByText('This could not be loaded').first().waitFor()
  await page.unroute('**/admin/v1/teams?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'Search' }).waitFor()
})

test.for([
  ['light', false],
  ['dark', false],
  ['light', true],
  ['dark', true],
] as const)('keys, %s, on a phone: %s', browserWait, async ([colorScheme, isPhone], context) => {
  await using opened = await tests.open(context, '/keys', { colorScheme, isPhone })
  await opened.page.getByRole('link', { name: 'nightly' }).waitFor()
  await shoot(opened, `keys-${colorScheme}${isPhone ? '-phone' : ''}`)
  expect(await opened.problems()).toEqual([])
})

test('names, sorts and searches more accounts than fit on a page', browserWait, async (context) => {
  const { gateway } = tests
  const first = await granted(gateway, 'POST /admin/v1/teams', { name: 'Aardvark' })
  await granted(gateway, 'POST /admin/v1/keys', { name: 'z of the first', ownerId: first.id })
  for (let at = 0; at < 105; at++)
    await granted(gateway, 'POST /admin/v1/teams', { name: `Team ${at}` })
  await using opened = await tests.open(context, '/keys')
  const { page } = opened
  // Its team is not among the hundred newest.
  const row = page.getByRole('row').filter({ hasText: 'z of the first' })
  await row.getByRole('cell', { name: 'Aardvark' }).waitFor()
  const names = () => page.getByRole('main').getByRole('row').getByRole('link').allTextContents()
  const heading = page.getByRole('columnheader', { name: 'Name' })
  await heading.getByRole('button').click()
  expect(await heading.getAttribute('aria-sort')).toBe('ascending')
  const ascending = await names()
  expect(ascending.at(-1)).toBe('z of the first')
  await heading.getByRole('button').click()
  expect(await names()).toEqual(ascending.toReversed())

  await page.getByRole('button', { name: 'Create a key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('of aardvark')
  const owner = dialog.getByRole('combobox', { name: 'Owner' })
  await owner.fill('aardv')
  await expect
    .poll(() =>
      dialog
        .locator('datalist option')
        .evaluateAll((all) => all.map(({ textContent }) => textContent)),
    )
    .toEqual(['Aardvark (team)'])
  await owner.fill(first.id)
  await dialog.getByText('Aardvark', { exact: true }).waitFor()
  expect(await opened.problems()).toEqual([])
  await dialog.getByRole('button', { name: 'Create a key' }).click()
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  const made = page.getByRole('row').filter({ hasText: 'of aardvark' })
  await made.getByRole('cell', { name: 'Aardvark', exact: true }).waitFor()

  await page.goto(`${gateway.url}/#/teams`)
  const sorted = page.getByText('sorting applies only to those shown')
  await sorted.waitFor()
  await page.getByRole('button', { name: 'Show more' }).click()
  await sorted.waitFor({ state: 'detached' })
  await page.locator('table[aria-rowcount]').waitFor()
  expect(Number(await page.getByRole('table').getAttribute('aria-rowcount'))).toBeGreaterThan(106)
  // Of so many only those that are seen are in the page.
  expect(await page.getByRole('table').getByRole('row').count()).toBeLessThan(80)
  expect(await opened.problems()).toEqual([])
})

const sideways =
  "[...document.querySelectorAll('main section[tabindex]')].map((one) => one.scrollWidth - one.clientWidth)"

test('shows a plain user their keys, limits and spending', browserWait, async (context) => {
  const { data } = await granted(tests.gateway, 'GET /admin/v1/users')
  const ownerId = data.find(({ name }) => name === 'Ada')?.id
  const made = await granted(tests.gateway, 'POST /admin/v1/keys', {
    name: 'laptop',
    ownerId,
    budgets: [{ limitMicroUsd: 1_000_000, window: 'day' }],
  })
  await granted(tests.gateway, 'POST /admin/v1/keys', { name: 'server', ownerId })
  const chat = await tests.gateway.post(
    '/v1/chat/completions',
    { model: 'acme/priced', ...small },
    { key: made.secret },
  )
  expect(chat.status).toBe(200)
  for (const isPhone of [false, true]) {
    await using opened = await tests.open(context, '/', { key: made.secret, isPhone })
    const { page } = opened
    await page.getByText('server').waitFor()
    await page.getByText('$0.96 left of $1.00').first().waitFor()
    await page.getByRole('cell', { name: 'priced' }).waitFor()
    await shoot(opened, `own${isPhone ? '-phone' : ''}`)
    // No table of this page has to be pushed sideways.
    expect(await page.evaluate(sideways)).toEqual([0, 0])
    expect(await opened.problems()).toEqual([])
  }
})
