// Organizations, teams and users on the command line: through the gateway where one runs, else on its data.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { granted } from '../../../../test/support/administrate.ts'
import { runSluice } from '../../../../test/support/run-sluice.ts'
import { onEachDatabase, type SharedData } from '../../../../test/support/servers/databases.ts'
import { adminKey, start } from '../../../../test/support/start.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'

type Run = (...args: readonly string[]) => Promise<string>

/** Commands in a folder; each has to succeed. Returns its standard output, without the last line break. */
function commandsIn(folder: string, port: number, databaseUrl?: string): Run {
  const variables = {
    SLUICE_DATA: folder,
    SLUICE_PORT: String(port),
    SLUICE_ADMIN_KEY: adminKey,
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  }
  return async (...args) => {
    const { stdout, stderr, exitCode } = await runSluice(args, { folder, variables })
    expect(exitCode, stderr).toBe(0)
    return stdout.trimEnd()
  }
}

async function actorsIn(data: SharedData): Promise<readonly string[]> {
  await using store = await data.openStore()
  const entries = await store.listAudit({ limit: 100 })
  return [...new Set(entries.map(({ actor }) => actor.replace(/_\w+$/, '')))]
}

async function wayOfATeam(run: Run): Promise<{ first: string; second: string; key: string }> {
  const organization = await run('organizations', 'create', '--name', 'acme')
  expect(organization).toMatch(/^org_\w{16}$/)
  const budgets = ['--budget', '10/month', '--budget', '0.5/24h,model=gpt-4o,tag=nightly']
  const team = await run('teams', 'create', '--name', 'search', '--in', organization, ...budgets)
  expect(await run('teams', 'list')).toMatch(
    new RegExp(
      `${team} +search +${organization} +enabled +\\$10/month, \\$0.5/24h \\(gpt-4o\\) \\(nightly\\) +all`,
    ),
  )
  const user = await run('users', 'create', '--name', 'ada', '--in', team)
  const changed = await run('users', 'change', 'ada', '--models', 'a,b/*', '--rate', '5', '--json')
  expect(JSON.parse(changed)).toMatchObject({
    id: user,
    models: ['a', 'b/*'],
    requestsPerMinute: 5,
  })
  const cleared = JSON.parse(
    await run('users', 'change', user, '--clear', 'models', '--json'),
  ) as object
  expect(cleared).toMatchObject({ requestsPerMinute: 5 })
  expect(cleared).not.toHaveProperty('models')
  const first = await run('keys', 'create', '--name', 'app', '--owner', user)
  const moved = await run('keys', 'change', 'app', '--owner', team, '--rate', '7', '--json')
  expect(JSON.parse(moved)).toMatchObject({ ownerId: team, requestsPerMinute: 7 })
  const pairs = ['--owner', user, '--clear', 'rate', '--metadata', 'cost=42,site=Bern']
  expect(await run('keys', 'change', 'app', ...pairs)).toMatch(
    /^Changed key_\w+ \(app\): requestsPerMinute, ownerId, metadata\.$/,
  )
  const second = await run('keys', 'rotate', 'app', '--overlap', '60')
  expect(second).toMatch(/^sk-\w{43}$/)
  const [, listed = ''] = (await run('keys', 'list')).match(/(key_\w+) +app +caller/) ?? []
  expect(await run('keys', 'disable', 'app')).toBe(`Disabled ${listed} (app).`)
  expect(await run('keys', 'list')).toMatch(/app +caller +sk-\w{5}… +disabled/)
  await run('keys', 'enable', 'app')
  expect(await run('users', 'disable', 'ada')).toBe(`Disabled ${user} (ada).`)
  await run('users', 'enable', 'ada')
  expect(await run('audit', 'verify')).toMatch(/^The audit log is intact: 13 entries, latest hash/)
  return { first, second, key: listed }
}

onEachDatabase((newData) => {
  test('account commands use a running gateway', async () => {
    await using data = await newData()
    await using gateway = await start({}, data.options)
    const run = commandsIn(gateway.dataFolder, Number(new URL(gateway.url).port))
    const { first, second, key } = await wayOfATeam(run)
    for (const secret of [first, second])
      expect((await gateway.request('/v1/models', { key: secret })).status).toBe(200)
    await run('keys', 'revoke', 'app')
    for (const secret of [first, second])
      expect((await gateway.request('/v1/models', { key: secret })).status).toBe(401)
    expect(await run('keys', 'revoke', key)).toContain('was revoked already')
    expect(await actorsIn(data)).toEqual(['environment'])
  })

  test('account commands use the data folder when no gateway runs', async () => {
    await using data = await newData()
    using folder = temporaryFolder()
    const { dataFolder = folder.path, databaseUrl } = data.options
    await wayOfATeam(commandsIn(dataFolder, 0, databaseUrl))
    expect(await actorsIn(data)).toEqual(['command line'])
  })
})

describe('audit verify without a gateway', () => {
  test('reports the first changed entry', async () => {
    using folder = temporaryFolder()
    const run = commandsIn(folder.path, 0)
    expect(await run('audit', 'verify')).toBe('The audit log is empty.')
    for (const name of ['a', 'b', 'c']) await run('teams', 'create', '--name', name)
    {
      using db = new DatabaseSync(join(folder.path, 'sluice.db'))
      db.exec(`UPDATE audit_log SET after = replace(after, '"b"', '"x"') WHERE sequence = 2`)
    }
    const variables = { SLUICE_DATA: folder.path, SLUICE_PORT: '0' }
    const verified = await runSluice(['audit', 'verify'], { folder: folder.path, variables })
    expect(verified).toMatchObject({
      exitCode: 1,
      stdout: 'Entry 2 was changed after it was written\n',
    })
  })

  describe('of a truncated audit log', () => {
    const hashes: string[] = []
    const full = temporaryFolder()
    beforeAll(async () => {
      await using gateway = await start({}, { dataFolder: full.path })
      for (const name of ['a', 'b', 'c']) {
        await granted(gateway, 'POST /admin/v1/teams', { name })
        const { data } = await granted(gateway, 'GET /admin/v1/audit?limit=1')
        hashes.push(String(data[0]?.['hash']))
      }
    })
    afterAll(() => full[Symbol.dispose]())

    async function cut(statement: string, expected: () => string) {
      using folder = temporaryFolder()
      cpSync(full.path, folder.path, { recursive: true })
      {
        using db = new DatabaseSync(join(folder.path, 'sluice.db'))
        db.exec(statement)
      }
      const hash = expected()
      const args = hash === '' ? [] : ['--expect', hash]
      const variables = { SLUICE_DATA: folder.path, SLUICE_PORT: '0' }
      return await runSluice(['audit', 'verify', ...args], { folder: folder.path, variables })
    }

    test.each([
      ['its last entry', 'DELETE FROM audit_log WHERE sequence = 3', 2],
      ['its last two entries', 'DELETE FROM audit_log WHERE sequence > 1', 1],
      ['its last two entries', 'DELETE FROM audit_log WHERE sequence > 1', 2],
      ['all entries', 'DELETE FROM audit_log', 0],
    ])('fails if the expected hash is missing: %s', async (_name, statement, entry) => {
      const { exitCode, stdout } = await cut(statement, () => hashes[entry] ?? '')
      expect(exitCode).toBe(1)
      expect(stdout).toContain('The expected entry is not in the log')
    })

    test('passes if the expected hash is still there', async () => {
      const statement = 'DELETE FROM audit_log WHERE sequence = 3'
      const { exitCode, stdout } = await cut(statement, () => hashes[1]?.toUpperCase() ?? '')
      expect(exitCode).toBe(0)
      expect(stdout).toContain('2 entries')
    })

    test('fails if the log is empty while accounts exist', async () => {
      const { exitCode, stdout } = await cut('DELETE FROM audit_log', () => '')
      expect(exitCode).toBe(1)
      expect(stdout).toContain('empty')
    })

    test('rejects --expect with an invalid hash', async () => {
      const { exitCode, stderr } = await cut('SELECT 1', () => 'abc')
      expect(exitCode).not.toBe(0)
      expect(stderr).toContain('--expect')
    })
  })

  test('accepts an empty log when all keys come from the environment', async () => {
    using folder = temporaryFolder()
    const variables = {
      SLUICE_DATA: folder.path,
      SLUICE_PORT: '0',
      SLUICE_ADMIN_KEY: adminKey,
      SLUICE_API_KEYS: 'sk-from-the-environment',
    }
    const verified = await runSluice(['audit', 'verify'], { folder: folder.path, variables })
    expect(verified).toMatchObject({ exitCode: 0, stdout: 'The audit log is empty.\n' })
  })

  test('errors name the invalid field', async () => {
    using folder = temporaryFolder()
    const variables = { SLUICE_DATA: folder.path, SLUICE_PORT: '0' }
    const refused = async (...args: readonly string[]) => {
      const { stderr, exitCode } = await runSluice(args, { folder: folder.path, variables })
      expect(exitCode).not.toBe(0)
      return stderr
    }
    const create = ['teams', 'create', '--name', 'a']
    expect(await refused(...create, '--addresses', '10.0.0.0/8,10.0.0.0/40')).toContain(
      'addresses[1]',
    )
    expect(await refused(...create, '--in', 'org_unknown')).toContain('parentId')
    expect(await refused(...create, '--budget', '10/year')).toContain('10/month')
    expect(await refused('teams', 'delete', 'a')).toContain('There is no team a')
  })
})
