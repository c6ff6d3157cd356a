// Usage, budgets, bills and the audit log as administrators see them in a browser.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
    prices: {
      'acme/large': { input: 20_000, output: 100_000 },
      'acme/small': { input: 2000, output: 10_000 },
    },
  })
})

test('shows an empty state', browserWait, async (context) => {
  await using opened = await tests.open(context, '/usage')
  await opened.page.getByText('No usage in this period').waitFor()
  expect(await opened.problems()).toEqual([])
})

test('the audit log starts with the sign-in', browserWait, async (context) => {
  await using opened = await tests.open(context, '/audit')
  await opened.page.getByRole('cell', { name: 'session.open' }).first().waitFor()
  expect(await opened.problems()).toEqual([])
})

/** Calls of two models by a key with a budget. */
async function somethingUsed(): Promise<void> {
  const team = await granted(tests.gateway, 'POST /admin/v1/teams', {
    name: 'Search',
    budgets: [{ limitMicroUsd: 2_000_000, window: 'week' }],
    // A byte costs two cents.
    inputBound: 'estimate',
  })
  const made = await granted(tests.gateway, 'POST /admin/v1/keys', {
    name: 'crawler',
    ownerId: team.id,
  })
  for (const model of ['acme/large', 'acme/small', 'acme/small']) {
    const key = made.secret
    const answer = await tests.gateway.post('/v1/chat/completions', { model, ...small }, { key })
    expect(answer.status).toBe(200)
  }
}

test(
  'shows usage by two dimensions, exports it, and compares it with budgets and a bill',
  browserWait,
  async (context) => {
    await somethingUsed()
    await using opened = await tests.open(context, '/usage')
    const { page } = opened
    // 7 tokens in and 3 out each: 440,000 + 2 × 44,000 millionths.
    await page.getByText('$0.53').first().waitFor()
    await page.getByRole('figure', { name: /Cost by Day/ }).waitFor()
    const bar = page.getByRole('figure').getByRole('listitem').first()
    await bar.hover()
    await page
      .getByRole('tooltip')
      .filter({ hasText: /large.*\$0\.44/ })
      .waitFor()
    await page.getByRole('cell', { name: '$0.44' }).waitFor()
    await page.getByText('$1.47 left of $2.00').waitFor()
    await shoot(opened, 'usage-light')
    expect(await opened.problems()).toEqual([])

    await page.getByLabel('By', { exact: true }).selectOption('key')
    await page.getByLabel('And by').selectOption('team')
    await page.getByRole('cell', { name: 'crawler' }).waitFor()
    await page.getByRole('cell', { name: 'Search', exact: true }).waitFor()
    await page.getByLabel('Measure').selectOption('calls')
    const figure = page.getByRole('figure', { name: /Requests by Key/ })
    await figure.getByText('crawler').first().waitFor()
    // Calls are whole, so their scale is.
    const ticks = await figure.getByText(/^\d(\.\d+)?$/).allTextContents()
    expect(ticks.length).toBeGreaterThan(1)
    expect(ticks.filter((tick) => tick.includes('.'))).toEqual([])
    expect(await opened.problems()).toEqual([])

    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export CSV' }).click()
    const csv = await (await (await downloading).createReadStream()).toArray()
    expect(Buffer.concat(csv).toString()).toMatch(/^key,team,[^\n]*\nkey_/)

    const day = new Date().toISOString().slice(0, 10)
    const bill = join(tests.gateway.dataFolder, 'bill.csv')
    const head = 'start_time_iso,amount_value,line_item\n'
    writeFileSync(bill, `${head}${day}T00:00:00Z,1.5,"large, input"\n`)
    await page.getByLabel('Provider export').setInputFiles(bill)
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByRole('cell', { name: '1.5000' }).first().waitFor()
    const other = join(tests.gateway.dataFolder, 'other.csv')
    writeFileSync(other, 'what,is,this\n1,2,3\n')
    await page.getByLabel('Provider export').setInputFiles(other)
    opened.expectStatus(400)
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('This export is not known').waitFor()
    expect(await opened.problems()).toEqual([])
  },
)

test('lists the actions of administrators with their changes', browserWait, async (context) => {
  for (const isPhone of [false, true]) {
    await using opened = await tests.open(context, '/audit', { isPhone })
    const { page } = opened
    await page.getByRole('cell', { name: 'team.create' }).waitFor()
    await shoot(opened, `audit${isPhone ? '-phone' : ''}`)
    expect(await opened.problems()).toEqual([])
    const row = page.getByRole('row').filter({ hasText: 'team.create' })
    await row.getByRole('button', { name: /^Show/ }).click()
    await page.getByRole('dialog').getByText('"name": "Search"').waitFor()
    expect(await opened.problems()).toEqual([])
  }
})

test.for([
  ['dark', false],
  ['light', true],
  ['dark', true],
] as const)('usage, %s, on a phone: %s', browserWait, async ([colorScheme, isPhone], context) => {
  await using opened = await tests.open(context, '/usage', { colorScheme, isPhone })
  await opened.page.getByRole('figure').getByRole('listitem').first().waitFor()
  await opened.page.getByText('$1.47 left of $2.00').waitFor()
  await shoot(opened, `usage-${colorScheme}${isPhone ? '-phone' : ''}`)
  expect(await opened.problems()).toEqual([])
})

test('a team administrator sees only the team', browserWait, async (context) => {
  const { data } = await granted(tests.gateway, 'GET /admin/v1/teams')
  const made = await granted(tests.gateway, 'POST /admin/v1/keys', {
    name: 'lead',
    ownerId: data[0]?.id,
    role: 'administrator',
    adminRole: 'team',
  })
  await using opened = await tests.open(context, '/usage', { key: made.secret })
  const { page } = opened
  await page.getByText('$0.53').first().waitFor()
  expect(await page.getByRole('button', { name: 'Compare' }).count()).toBe(0)
  const places = page.getByRole('navigation').getByRole('link')
  expect(await places.allTextContents()).not.toContain('Audit')
  expect(await opened.problems()).toEqual([])
})
