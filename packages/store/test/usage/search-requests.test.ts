// A search reads what it looks for: no filter is answered by looking through all records.
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import type { Sql } from 'sql-template-tag'
import { expect, test } from 'vitest'
import { sampleUsage } from '../../../../test/support/store-samples.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import type { RequestScope } from '../../../gateway/src/ports/usage-store.ts'
import { boundValues } from '../../src/bound-values.ts'
import { searchRequests } from '../../src/usage/search-requests.ts'
import { openSqlite, openSqliteDatabase } from '../../src/sqlite/open-sqlite.ts'
import { listRecords } from '../../src/usage/records.ts'

/** How the records of each statement of a search are found, as SQLite plans it. */
async function plansOf(scope: Partial<RequestScope>): Promise<readonly string[]> {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  await using database = openSqliteDatabase(file)
  using plain = new DatabaseSync(file)
  const plans: string[] = []
  const rows = (statement: Sql) => {
    const found = plain.prepare(`EXPLAIN QUERY PLAN ${statement.sql}`)
    const steps = found.all(...boundValues(statement)).map(({ detail }) => String(detail))
    plans.push(...steps.filter((step) => / r USING/.test(step)))
    return database.rows(statement)
  }
  await searchRequests({ rows }, { from: 0, to: Date.now(), only: {}, limit: 50, ...scope })
  return plans.filter((plan) => plan.includes('usage_records_'))
}

test.each([
  [{ requestedModel: 'fast' }, 'usage_records_by_requested_model'],
  [{ status: [503, 503] as const }, 'usage_records_by_failure'],
])('the search for %j uses an index', async (scope, index) => {
  const plans = await plansOf(scope)
  expect(plans).not.toEqual([])
  for (const plan of plans) expect(plan).toContain(index)
})

const hourMs = 3_600_000

test.each([
  ['newest first', searchRequests],
  ['oldest first', listRecords],
])('reads only the hours of a rarely used key, %s', async (_name, find) => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  const end = Math.floor(Date.now() / hourMs) * hourMs
  await using store = openSqlite({ file })
  for (let day = 1; day <= 200; day += 1)
    store.recordUsage(
      sampleUsage({ callId: `call_${day}`, keyId: 'key_7', startedAt: end - day * 24 * hourMs }),
    )
  await store.flush()
  while ((await store.usage.fold()) > 0);
  await using database = openSqliteDatabase(file)
  using plain = new DatabaseSync(file)
  const steps: string[] = []
  const rows = (statement: Sql) => {
    const found = plain.prepare(`EXPLAIN QUERY PLAN ${statement.sql}`)
    const bound = boundValues(statement)
    if (statement.sql.includes('started_at >= '))
      steps.push(...found.all(...bound).map(({ detail }) => String(detail)))
    return database.rows(statement)
  }
  const found = await find(
    { rows },
    {
      from: end - 201 * 24 * hourMs,
      to: end,
      only: { key: 'key_7' },
      limit: 150,
    },
  )
  expect(found).toHaveLength(150)
  expect(steps.filter((step) => step.includes('usage_records_by_start')).length).toBeGreaterThan(
    150,
  )
  expect(steps.filter((step) => /^SCAN (?:r|usage_records)\b/.test(step))).toEqual([])
})
