// The list of requests: filters in the page's address, columns that are chosen, and only the rows that are seen in the page.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { granted } from '../../../test/support/administrate.ts'
import { browserWait } from '../../../test/support/browser/chromium.ts'
import { shoot, useConsole } from '../../../test/support/browser/console.ts'
import { start } from '../../../test/support/start.ts'

const records = 900

let keyId: string

const tests = useConsole(async () => {
  const started = await start()
  const team = await granted(started, 'POST /admin/v1/teams', { name: 'Search' })
  const key = await granted(started, 'POST /admin/v1/keys', { name: 'crawler', ownerId: team.id })
  keyId = key.id
  fill(started.dataFolder, key.id, team.id)
  return started
})

/** Two minutes between calls, the last one just now; every ninth is of the key, every tenth failed. */
function fill(folder: string, key: string, team: string): void {
  using database = new DatabaseSync(join(folder, 'sluice.db'), { timeout: 10_000 })
  const insert = database.prepare(
    `INSERT INTO usage_records (id, call_id, attempt, key_id, team_id, tags, operation, provider, model, outcome, reported,
       started_at, duration_ms, input_tokens, output_tokens, cost_micro_usd, status, streamed, request_id)
     VALUES (?, ?, 1, ?, ?, ?, 'chat', ?, ?, ?, 1, ?, 120, 10, ?, 1000, ?, 0, ?)`,
  )
  const now = Date.now()
  database.exec('BEGIN')
  for (let at = 0; at < records; at++) {
    const [isOurs, hasFailed] = [at % 9 === 0, at % 10 === 0]
    insert.run(
      `row-${at}`,
      `req_${at}`,
      isOurs ? key : 'key_other',
      isOurs ? team : null,
      isOurs ? '["nightly"]' : null,
      at % 2 === 0 ? 'even' : 'odd',
      `model-${at % 3}`,
      hasFailed ? 'failed' : 'completed',
      now - at * 120_000,
      at,
      hasFailed ? 503 : 200,
      `mine-${at}`,
    )
  }
  database.exec('COMMIT')
}

const toTheEnd = 'document.querySelector("section[data-tall]").scrollTo(0, 1e6)'

const filters = [
  ['model=model-1', 300, 'odd/model-1'],
  ['provider=even', 450, 'even/model-0'],
  ['key=KEY', 100, 'crawler'],
  ['outcome=failed', 90, 'Failed 503'],
  ['status=503', 90, 'Failed 503'],
  ['tag=nightly', 100, 'crawler'],
  ['id=mine-7', 1, 'odd/model-1'],
  ['time=1h', 30, 'even/model-0'],
  ['key=KEY&outcome=failed', 10, 'crawler'],
] as const

test.for(filters)(
  'the filter %s lists %i requests',
  browserWait,
  async ([search, count, text], context) => {
    await using opened = await tests.open(context, `/requests?${search.replace('KEY', keyId)}`)
    const { page } = opened
    await page.getByRole('cell', { name: text }).first().waitFor()
    // What an hour holds ends within one.
    const wanted =
      search === 'time=1h' ? /: (29|30|31) requests/ : new RegExp(`: ${count} requests`)
    await expect
      .poll(
        async () => {
          await page.evaluate(toTheEnd)
          return page.getByRole('region', { name: wanted }).count()
        },
        { timeout: 20_000 },
      )
      .toBe(1)
  },
)

test('keeps filters in the URL, and supports going back', browserWait, async (context) => {
  await using opened = await tests.open(context, '/requests')
  const { page } = opened
  await page.getByRole('combobox', { name: 'Key' }).selectOption('crawler')
  await page.getByRole('region', { name: ': 100 requests' }).waitFor()
  expect(page.url()).toContain(`key=${keyId}`)
  await page.getByRole('textbox', { name: 'Status' }).fill('5xx')
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: ': 10 requests' }).waitFor()
  expect(page.url()).toMatch(/key=.*&status=5xx$/)
  await page.goBack()
  await page.getByRole('region', { name: ': 100 requests' }).waitFor()
  expect(await page.getByRole('textbox', { name: 'Status' }).inputValue()).toBe('')
  await page.getByText('More filters').click()
  await page.getByRole('combobox', { name: 'Operation' }).selectOption('embed')
  await page.getByText('No requests were found').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByRole('region', { name: ': 200 requests' }).waitFor()
  expect(page.url()).toMatch(/#\/requests$/)
  opened.expectStatus(400)
  await page.getByRole('combobox', { name: 'Time' }).selectOption('between')
  await page.getByLabel('From', { exact: true }).fill('2026-02-01T00:00')
  await page.getByLabel('To', { exact: true }).fill('2026-01-01T00:00')
  await page.getByRole('button', { name: 'Search' }).click()
  opened.expectStatus(400)
  await page.getByRole('alert').waitFor()
  expect(await opened.problems()).toEqual([])
})

test('renders only visible rows, and scrolls to all', browserWait, async (context) => {
  await using opened = await tests.open(context, '/requests')
  const { page } = opened
  await page.getByRole('region', { name: ': 200 requests' }).waitFor()
  await expect
    .poll(
      async () => {
        await page.evaluate(toTheEnd)
        return page.getByRole('region', { name: `: ${records} requests` }).count()
      },
      { timeout: 30_000 },
    )
    .toBe(1)
  await expect
    .poll(
      async () => {
        await page.evaluate(toTheEnd)
        return page.locator(`tr[aria-rowindex="${records + 1}"]`).count()
      },
      { timeout: 10_000 },
    )
    .toBe(1)
  expect(await page.getByRole('table').getByRole('row').count()).toBeLessThan(80)
  expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe(String(records + 1))
  expect(await opened.problems()).toEqual([])
})

test('remembers the chosen columns', browserWait, async (context) => {
  for (const isPhone of [false, true]) {
    await using opened = await tests.open(context, '/requests', { isPhone })
    const { page } = opened
    await page.getByRole('columnheader', { name: 'Cost' }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'Caller’s id' }).count()).toBe(0)
    await page.getByText('Columns', { exact: true }).click()
    await shoot(opened, `columns${isPhone ? '-phone' : ''}`)
    expect(await opened.problems()).toEqual([])
    await page.getByRole('checkbox', { name: 'Caller’s id' }).check()
    await page.getByRole('checkbox', { name: 'Cost' }).uncheck()
    await page.getByRole('cell', { name: 'mine-3' }).first().waitFor()
    await page.reload()
    await page.getByRole('columnheader', { name: 'Caller’s id' }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'Cost' }).count()).toBe(0)
  }
})

test('sorts sums by the selected column', browserWait, async (context) => {
  await using opened = await tests.open(context, '/overview')
  const { page } = opened
  const region = page.getByRole('region', { name: 'Models' })
  const tokens = region.getByRole('columnheader', { name: 'Tokens out' })
  const first = () => region.getByRole('row').nth(1).getByRole('cell').first().textContent()
  await tokens.getByRole('button').click()
  expect(await tokens.getAttribute('aria-sort')).toBe('descending')
  const most = await first()
  await tokens.getByRole('button').click()
  expect(await tokens.getAttribute('aria-sort')).toBe('ascending')
  expect(await first()).not.toBe(most)
  expect(await opened.problems()).toEqual([])
})
