// What a gateway says while it upgrades a database that an older version has left.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { startSluice } from '../../../../test/support/run-sluice.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { migrationsAfter } from '../../../store/src/migrations.ts'
import { connect } from '../../../store/src/postgres/connect.ts'
import { forPostgres } from '../../../store/src/postgres/migrate.ts'
import {
  leaveOutPostgres,
  openTestDatabase,
  query,
} from '../../../store/test/postgres/postgres-server.ts'

const olderVersion = 26
const older = migrationsAfter({ version: 0 }).slice(0, olderVersion)
const sentence =
  /^sluice: the database is upgraded from version 26 to \d+, which can take minutes; the gateway listens afterwards\n$/
const soon = { timeout: 20_000, interval: 50 }

const database = await openTestDatabase()
afterAll(() => database?.[Symbol.asyncDispose]())

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

async function olderDatabase(): Promise<string> {
  const url = (await database?.newSchema()) ?? ''
  await query(url, 'CREATE TABLE schema_version (version INTEGER NOT NULL)')
  await query(url, `INSERT INTO schema_version VALUES (${olderVersion})`)
  for (const { sql } of older) await query(url, forPostgres(sql))
  return url
}

describe('on PostgreSQL', () => {
  test.for(['1', '2'])(
    'with %s workers it is alive and not ready, until it listens',
    { timeout: 60_000 },
    async (workers, context) => {
      if (!database) return leaveOutPostgres(context)
      using folder = temporaryFolder()
      const url = await olderDatabase()
      const port = await freePort()
      // The upgrade waits for the table.
      await using holder = await connect({ connectionString: url })
      await holder.client.query('BEGIN')
      await holder.client.query('LOCK TABLE usage_records IN ACCESS SHARE MODE')
      const variables = {
        SLUICE_PORT: String(port),
        SLUICE_DATA: folder.path,
        SLUICE_WORKERS: workers,
        SLUICE_API_KEYS: 'sk-test0123456789abcdef',
        DATABASE_URL: url,
      }
      const gateway = startSluice(['serve'], { folder: folder.path, variables })
      const at = `http://127.0.0.1:${port}`
      try {
        await vi.waitFor(async () => {
          const ready = await fetch(`${at}/readyz`)
          expect([ready.status, await ready.json()]).toEqual([503, { status: 'upgrading' }])
        }, soon)
        expect((await fetch(`${at}/healthz`)).status).toBe(200)
        const refused = await fetch(`${at}/v1/chat/completions`, { method: 'POST', body: '{}' })
        expect(refused.status).toBe(503)
        expect(refused.headers.get('retry-after')).toBe('5')
        expect(await refused.json()).toMatchObject({ error: { code: 'overloaded' } })
        await holder.client.query('COMMIT')
        await vi.waitFor(async () => {
          const ready = await fetch(`${at}/readyz`)
          expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }])
        }, soon)
      } finally {
        gateway.child.kill()
      }
      const { stderr, exitCode } = await gateway.finished
      expect(stderr).toMatch(sentence)
      expect(exitCode).toBe(0)
    },
  )
})

test('on SQLite it says so, and listens afterwards; a start without an upgrade says nothing', async () => {
  using folder = temporaryFolder()
  {
    using db = new DatabaseSync(join(folder.path, 'sluice.db'))
    for (const { sql } of older) db.exec(sql)
    db.exec(`PRAGMA user_version = ${olderVersion}`)
  }
  for (const said of [sentence, /^$/]) {
    const variables = { SLUICE_PORT: '0', SLUICE_DATA: folder.path }
    const gateway = startSluice(['serve'], { folder: folder.path, variables })
    await vi.waitFor(() => expect(gateway.output()).toContain('listens on'), soon)
    gateway.child.kill()
    expect((await gateway.finished).stderr).toMatch(said)
  }
})
