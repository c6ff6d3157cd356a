import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import sql from 'sql-template-tag'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { runSluice, startSluice } from '../../../../test/support/run-sluice.ts'
import { sampleKey, sampleUsage } from '../../../../test/support/store-samples.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import type { Store } from '../../../gateway/src/ports/store.ts'
import { migrationsAfter } from '../../src/migrations.ts'
import { openPostgres, openPostgresDatabase } from '../../src/postgres/open-postgres.ts'
import { describeDatabase } from '../contract/database.ts'
import { describeStore } from '../contract/store.ts'
import { leaveOutPostgres, openTestDatabase, query } from './postgres-server.ts'

const database = await openTestDatabase()
afterAll(() => database?.[Symbol.asyncDispose]())

const newSchema = (): Promise<string> => {
  if (!database) throw new Error('These tests are left out')
  return database.newSchema()
}

test('PostgreSQL is available', (context) => {
  if (!database) leaveOutPostgres(context)
})

describe.runIf(database)('with PostgreSQL', () => {
  describeStore('postgres', async () => {
    const url = await newSchema()
    const opened: Store[] = []
    const openOne = async () => {
      const store = await openPostgres({ url })
      opened.push(store)
      return store
    }
    const store = await openOne()
    return {
      store,
      async reopen() {
        await store[Symbol.asyncDispose]()
        return openOne()
      },
      openAnother: openOne,
      async remove() {
        for (const each of opened) await each[Symbol.asyncDispose]()
      },
    }
  })

  describeDatabase('postgres', async () => {
    const database = await openPostgresDatabase(await newSchema())
    return {
      database,
      async remove() {
        await database[Symbol.asyncDispose]()
      },
    }
  })

  describe('postgres', () => {
    test.each([1, 2, 3])('one of several concurrent starts creates the tables: %i', async () => {
      const url = await newSchema()
      const stores = await Promise.all(Array.from({ length: 8 }, () => openPostgres({ url })))
      await stores[0]?.addKey(sampleKey())
      for (const store of stores) {
        expect(await store.listKeys()).toEqual([sampleKey()])
        await store[Symbol.asyncDispose]()
      }
    })

    test('uses a newer database, unless it requires a newer version', async () => {
      const url = await newSchema()
      await (await openPostgres({ url }))[Symbol.asyncDispose]()
      const newest = migrationsAfter({ version: 0 }).at(-1)?.version ?? 0
      await query(url, `UPDATE schema_version SET version = ${newest + 1}`)
      {
        await using store = await openPostgres({ url })
        await store.addKey(sampleKey())
        expect(await store.listKeys()).toEqual([sampleKey()])
      }
      await query(
        url,
        `INSERT INTO versions (name, version) VALUES ('oldest_program', ${newest + 1})`,
      )
      await expect(openPostgres({ url })).rejects.toThrow(
        `The database needs a program of version ${newest + 1}, and this one knows versions up to ${newest}`,
      )
    })

    test('rolls back a failed migration', async () => {
      const url = await newSchema()
      await query(url, 'CREATE TABLE usage_records (mine TEXT)')
      await expect(openPostgres({ url })).rejects.toThrow('"usage_records" already exists')
      await query(url, 'DROP TABLE usage_records')
      await using store = await openPostgres({ url })
      expect(await store.listUsage({ limit: 1 })).toEqual([])
    })

    test('a user without the right to create tables can use existing ones', async () => {
      const url = await newSchema()
      await (await openPostgres({ url }))[Symbol.asyncDispose]()
      const role = `sluice_test_${process.pid}`
      await query(url, `CREATE ROLE ${role} LOGIN`)
      const schema = /search_path=(\w+)/.exec(new URL(url).searchParams.get('options') ?? '')?.[1]
      await query(url, `GRANT USAGE ON SCHEMA ${schema} TO ${role}`)
      await query(url, `GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO ${role}`)
      const restricted = new URL(url)
      restricted.username = role
      {
        await using store = await openPostgres({ url: restricted.href })
        await store.addKey(sampleKey())
        expect(await store.listKeys()).toEqual([sampleKey()])
      }
      await query(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`)
    })

    test('keeps usage records when the server closes every connection', async () => {
      const url = await newSchema()
      await using store = await openPostgres({ url })
      await store.addKey(sampleKey())
      store.recordUsage(sampleUsage())
      await query(
        url,
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
      )
      await vi.waitFor(
        async () => expect(await store.listUsage({ limit: 9 })).toEqual([sampleUsage()]),
        { timeout: 5_000, interval: 10 },
      )
      expect(await store.listKeys()).toEqual([sampleKey()])
    })

    test('a gateway stores everything in PostgreSQL with DATABASE_URL', async () => {
      using folder = temporaryFolder()
      const url = await newSchema()
      const variables = { DATABASE_URL: url, SLUICE_PORT: '0', SLUICE_API_KEYS: 'sk-test' }
      const { child, output, finished } = startSluice(['serve'], { folder: folder.path, variables })
      const address = await vi.waitFor(
        () => {
          const [, found] = /listens on (http:\S+)/.exec(output()) ?? []
          return found ?? expect.unreachable(output())
        },
        { timeout: 20_000, interval: 20 },
      )
      const answer = await fetch(`${address}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
        body: '{"model":"builtin-chat","messages":[{"role":"user","content":"Hi"}]}',
      })
      expect(answer.status).toBe(200)
      await answer.text()
      const listed = await runSluice(['keys', 'list', '--json'], { folder: folder.path, variables })
      expect(JSON.parse(listed.stdout)).toMatchObject([{ role: 'administrator' }])
      child.kill('SIGTERM')
      expect((await finished).exitCode).toBe(0)
      await using store = await openPostgres({ url })
      expect(await store.listUsage({ limit: 9 })).toMatchObject([{ outcome: 'completed' }])
      expect(readdirSync(join(folder.path, 'data'))).not.toContain('sluice.db')
    })

    test('retries changes that deadlock', async () => {
      await using database = await openPostgresDatabase(await newSchema())
      const add = (name: string) =>
        sql`UPDATE versions SET version = version + 1 WHERE name = ${name}`
      const insert = (name: string) => sql`INSERT INTO versions (name, version) VALUES (${name}, 0)`
      await database.change(insert('a'), insert('b'))
      // Each holds one of both before it asks for the other.
      const hold = sql`SELECT pg_sleep(0.3)`
      await Promise.all([
        database.change(add('a'), hold, add('b')),
        database.change(add('b'), hold, add('a')),
      ])
      const versions = sql`SELECT name, version FROM versions WHERE name IN ('a', 'b') ORDER BY name`
      expect(await database.rows(versions)).toEqual([
        { name: 'a', version: 2 },
        { name: 'b', version: 2 },
      ])
    })

    test('reports an unreachable server', async () => {
      await expect(openPostgres({ url: 'postgres://x@127.0.0.1:1/x' })).rejects.toThrow(
        'ECONNREFUSED',
      )
    })
  })
})
