import { afterAll, describe, expect, test } from 'vitest'
import {
  leaveOutPostgres,
  openTestDatabase,
} from '../../packages/store/test/postgres/postgres-server.ts'
import { proveCosts } from './costs.ts'

const postgres = await openTestDatabase()
afterAll(() => postgres?.[Symbol.asyncDispose]())
test('PostgreSQL is available', (context) => {
  if (!postgres) leaveOutPostgres(context)
})

describe.each(postgres ? ['SQLite', 'PostgreSQL'] : ['SQLite'])('on %s', (database) => {
  test('sums of a database that an older version keeps writing to are exact', async () => {
    const url = database === 'SQLite' ? undefined : await postgres?.newSchema()
    const { summed, recorded, records } = await proveCosts(5_000, url)
    expect(summed).toBe(recorded)
    expect(recorded % 1_000_000n).not.toBe(0n)
    expect(records).toBeGreaterThan(5_500)
  }, 60_000)
})
