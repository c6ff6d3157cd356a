import { afterAll, describe, expect, test } from 'vitest'
import { openWay } from '../../../../test/support/servers/cuttable-proxy.ts'
import { openConnections } from '../../src/postgres/connections.ts'
import { leaveOutPostgres, openTestDatabase } from './postgres-server.ts'

const postgres = await openTestDatabase()
afterAll(() => postgres?.[Symbol.asyncDispose]())

test('PostgreSQL is available', (context) => {
  if (!postgres) leaveOutPostgres(context)
})

async function stage() {
  const way = await openWay(new URL((await postgres?.newSchema()) ?? ''))
  const connections = openConnections({
    connectionString: way.url,
    connectionTimeoutMillis: 5_000,
  })
  return {
    way,
    connections,
    ask: (question: string) => connections.use(async (client) => client.query(question)),
    async [Symbol.asyncDispose]() {
      way.cut()
      await connections[Symbol.asyncDispose]()
      await way[Symbol.asyncDispose]()
    },
  }
}

describe.runIf(postgres)('PostgreSQL connections', () => {
  test.each(['SELECT 1', 'BEGIN'])(
    'a dead connection fails only its own query, after %s',
    async (before) => {
      await using staged = await stage()
      const begun = performance.now()
      const dead = staged.connections.use(async (client) => {
        await client.query(before)
        staged.way.freezeThese()
        await client.query('SELECT 2')
      })
      const told = expect(dead).rejects.toThrow('The database does not answer')
      await new Promise((resolve) => setTimeout(resolve, 100))
      const slow = staged.ask('SELECT pg_sleep(4)')
      await told
      expect(performance.now() - begun).toBeLessThan(10_000)
      await staged.ask('SELECT 1')
      await slow
    },
    30_000,
  )

  test('a server that accepts no new connections is used through the open ones', async () => {
    await using staged = await stage()
    await Promise.all([staged.ask('SELECT pg_sleep(0.1)'), staged.ask('SELECT pg_sleep(0.1)')])
    staged.way.takeNoMore()
    const slow = staged.ask('SELECT pg_sleep(6)')
    let isOver = false
    slow.finally(() => (isOver = true)).catch(() => {})
    while (!isOver) await staged.ask('SELECT pg_sleep(0.1)')
    await slow
  }, 30_000)
})
