// While the database does not respond, calls continue, and all of them are in the ledger afterwards.
import { afterAll, describe, expect, test } from 'vitest'
import { openPostgres } from '../../../packages/store/src/postgres/open-postgres.ts'
import {
  leaveOutPostgres,
  openTestDatabase,
} from '../../../packages/store/test/postgres/postgres-server.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { reservedTokens } from '../../support/formats/reserved-tokens.ts'
import { type Program, startProgram } from '../../support/gateways/program.ts'
import { openWay } from '../../support/servers/cuttable-proxy.ts'
import { adminKey, until } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const postgres = await openTestDatabase()
afterAll(() => postgres?.[Symbol.asyncDispose]())

test('PostgreSQL is available', (context) => {
  if (!postgres) leaveOutPostgres(context)
})

const used = 10
const chat = { model: 'up/m', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }

async function stage() {
  await using opened = new AsyncDisposableStack()
  const upstream = opened.use(
    await fakeUpstream((_seen, response) => json(response, chatReply('Hello'))),
  )
  const databaseUrl = (await postgres?.newSchema()) ?? ''
  const way = opened.use(await openWay(new URL(databaseUrl)))
  const folder = opened.use(temporaryFolder())
  const content = {
    prices: { '*': { input: 1, output: 1 } },
    providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } as const },
  }
  const variables = { DATABASE_URL: way.url }
  const moved = opened.move()
  const begin = async (): Promise<Program> =>
    moved.use(await startProgram({ folder: folder.path, content, variables }))
  return { way, databaseUrl, begin, [Symbol.asyncDispose]: () => moved.disposeAsync() }
}

/** A key that has money for so many calls but one: for the last one, which may cost more than it would, there is none. */
async function keyFor(program: Program, calls: number): Promise<string> {
  const budgets = [{ limitMicroUsd: (calls - 2) * used + reservedTokens(chat), window: 'lifetime' }]
  const body = { name: 'app', budgets }
  const { json: made } = await program.ask('/admin/v1/keys', { key: adminKey, body })
  return (made as { secret: string }).secret
}

async function statuses(program: Program, key: string, count: number): Promise<readonly number[]> {
  const found: number[] = []
  for (let call = 0; call < count; call += 1)
    found.push((await program.ask('/v1/chat/completions', { key, body: chat })).status)
  return found
}

async function recordsIn(databaseUrl: string, count: number) {
  await using store = await openPostgres({ url: databaseUrl })
  const found = await until(async () => {
    const records = await store.listUsage({ limit: 1_000 })
    return records.length >= count && records
  }, 30_000)
  expect(new Set(found.map(({ callId }) => callId)).size).toBe(found.length)
  return found
}

// They mostly wait, each for its own gateway and its own way to the database.
describe.runIf(postgres)('while the database is unreachable', () => {
  test.concurrent.each(['cut', 'fallSilent', 'freeze'] as const)(
    'calls go on with known keys and budgets, and reach the ledger afterwards: %s',
    async (how) => {
      await using staged = await stage()
      const program = await staged.begin()
      const key = await keyFor(program, 12)
      expect(await statuses(program, key, 1)).toEqual([200])
      staged.way[how]()
      // Longer than keys are looked for anew, and a write is tried again.
      await new Promise((resolve) => setTimeout(resolve, 2_500))
      expect(await statuses(program, key, 10)).toEqual(Array(10).fill(200))
      expect(await statuses(program, key, 2)).toEqual([429, 429])
      const ready = await fetch(`${program.url}/readyz`, { signal: AbortSignal.timeout(2_000) })
      expect(ready.status).toBe(200)
      staged.way.mend()
      const records = await recordsIn(staged.databaseUrl, 11)
      expect(records).toHaveLength(11)
      expect(records.every(({ costMicroUsd }) => costMicroUsd === used)).toBe(true)
      expect(await program.end('SIGTERM')).toMatchObject({ exitCode: 0 })
    },
    90_000,
  )
})

describe.runIf(postgres)('while the database does not answer', () => {
  test.concurrent.each(['fallSilent', 'freeze'] as const)(
    'requests for stored data fail within five seconds, also many at once: %s',
    async (how) => {
      await using staged = await stage()
      const program = await staged.begin()
      await keyFor(program, 12)
      staged.way[how]()
      const asked = async (path: string) => {
        const begun = performance.now()
        const { status, json: told } = await program.ask(path, { key: adminKey })
        const { message } = (told as { error?: { message: string } }).error ?? {}
        return { path, status, message, tookMs: performance.now() - begun }
      }
      const paths = [
        '/admin/v1/usage?by=model',
        '/admin/v1/usage/records',
        '/admin/v1/requests',
        '/admin/v1/keys',
        '/admin/v1/users',
        '/admin/v1/teams',
        '/admin/v1/audit',
        '/admin/v1/budgets',
        '/admin/v1/overview',
        '/admin/v1/refusals',
        '/v1/usage',
      ]
      for (let round = 0; round < 3; round += 1) {
        const answers = await Promise.all([...paths, ...paths].map(asked))
        for (const { path, status, message, tookMs } of answers) {
          expect([path, status, message]).toEqual([path, 503, 'The database does not answer'])
          expect(tookMs).toBeLessThan(5_000)
        }
      }
      staged.way.mend()
      await until(async () => (await asked('/admin/v1/keys')).status === 200, 10_000)
      staged.way[how]()
      const begun = performance.now()
      expect(await program.end('SIGTERM')).toMatchObject({ exitCode: 0 })
      expect(performance.now() - begun).toBeLessThan(15_000)
    },
    90_000,
  )

  test('a killed gateway writes its calls to the ledger at its next start', async () => {
    await using staged = await stage()
    {
      const program = await staged.begin()
      const key = await keyFor(program, 100)
      expect(await statuses(program, key, 1)).toEqual([200])
      staged.way.cut()
      expect(await statuses(program, key, 20)).toEqual(Array(20).fill(200))
      await program.end('SIGKILL')
    }
    staged.way.mend()
    const program = await staged.begin()
    expect(await recordsIn(staged.databaseUrl, 21)).toHaveLength(21)
    expect(await program.end('SIGTERM')).toMatchObject({ exitCode: 0 })
  }, 90_000)
})
