import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { expect, type TestContext } from 'vitest'

/** A database of its own, dropped when disposed. */
export interface TestDatabase extends AsyncDisposable {
  /** An empty schema of the database, by a URL under which nothing else is seen. */
  newSchema(): Promise<string>
}

const running = 'postgres://postgres@127.0.0.1:5432/postgres'

/** On the server of this machine, or on one that is started from installed programs; undefined where there are none. */
export async function openTestDatabase(): Promise<TestDatabase | undefined> {
  if (await answers(running)) return createDatabase(running)
  const programs = globSync('/usr/lib/postgresql/*/bin/initdb').sort().at(-1)
  return programs === undefined ? undefined : startServer(dirname(programs))
}

/** Says that the tests are left out and why. Where every check must have run (CI=true) that is a failure. */
export function leaveOutPostgres(context: TestContext): void {
  const reason =
    'left out: no PostgreSQL answers at 127.0.0.1:5432 and none is installed (apt-get install postgresql)'
  if (process.env['CI']) expect.fail(reason)
  console.warn(`${context.task.name}: ${reason}`)
  context.skip(reason)
}

async function createDatabase(server: string): Promise<TestDatabase> {
  const name = `sluice_test_${process.pid}_${Date.now()}`
  await query(server, `CREATE DATABASE ${name}`)
  const database = new URL(server)
  database.pathname = name
  let schemas = 0
  return {
    async newSchema() {
      schemas += 1
      // Tests that run at the same time each get their own.
      const schema = `test_${schemas}`
      await query(database.href, `CREATE SCHEMA ${schema}`)
      const url = new URL(database)
      // The server itself never fails here, and waiting for its disk takes a quarter of the time of a migration.
      url.searchParams.set('options', `-c search_path=${schema} -c synchronous_commit=off`)
      return url.href
    },
    [Symbol.asyncDispose]: () => query(server, `DROP DATABASE ${name} WITH (FORCE)`),
  }
}

/** PostgreSQL refuses to run as root: the account that its package makes runs it then. */
async function startServer(programs: string): Promise<TestDatabase> {
  const account = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}
  const folder = mkdtempSync(join(tmpdir(), 'sluice-postgres-'))
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid)
  const options = ['--auth=trust', '--username=postgres', '--no-sync', '--encoding=UTF8']
  execFileSync(join(programs, 'initdb'), ['-D', folder, ...options], { ...account, stdio: 'pipe' })
  const port = await freePort()
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off']
  const server = spawn(
    join(programs, 'postgres'),
    ['-D', folder, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    { ...account, stdio: 'ignore', cwd: '/' },
  )
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const stop = async () => {
    await ended(server)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const giveUpAt = performance.now() + 20_000
    while (!(await answers(url)))
      if (performance.now() > giveUpAt || server.exitCode !== null)
        throw new Error('The PostgreSQL that was started does not answer')
    const database = await createDatabase(url)
    return { newSchema: () => database.newSchema(), [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function idOf(which: '-u' | '-g'): number {
  return Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' }))
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return
  const exit = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGINT')
  await exit
}

async function answers(url: string): Promise<boolean> {
  try {
    await query(url, 'SELECT 1')
    return true
  } catch {
    return false
  }
}

export async function query(url: string, text: string): Promise<void> {
  await connected(url, (client) => client.query(text))
}

/** The first row of what a query answers. */
export async function readRow(
  url: string,
  text: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { rows } = await connected(url, (client) => client.query<Record<string, unknown>>(text))
  return rows[0]
}

async function connected<Answer>(
  url: string,
  ask: (client: Client) => Promise<Answer>,
): Promise<Answer> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  await client.connect()
  try {
    return await ask(client)
  } finally {
    await client.end()
  }
}
