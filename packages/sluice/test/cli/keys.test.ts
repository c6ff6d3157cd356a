import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runSluice } from '../../../../test/support/run-sluice.ts'
import { sampleUsage } from '../../../../test/support/store-samples.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { switchCommand } from '../../src/cli/accounts.ts'
import { createKeyCommand, listKeysCommand } from '../../src/cli/keys.ts'
import { type Environment, readEnvironment } from '../../src/config/env.ts'
import { openKeyRing } from '../../../store/src/keys/key-ring.ts'
import { openSqlite } from '../../../store/src/sqlite/open-sqlite.ts'

function dataIn(folder: string) {
  const data = join(folder, 'data')
  return { data, environment: readEnvironment({ SLUICE_DATA: data }) }
}

function revokeKey(environment: Environment, asked: string) {
  return switchCommand(environment, 'key', { asked, what: 'revoke' })
}

test('a created key is valid at once, until it is revoked', async () => {
  using folder = temporaryFolder()
  const { data, environment } = dataIn(folder.path)
  const made = await createKeyCommand(environment, { name: 'team', models: ['acme/*'], rate: 5 })
  const secret = made.text
  expect(secret).toMatch(/^sk-[0-9A-Za-z]{43}$/)
  const id = /key_\w+/.exec(made.notes?.join() ?? '')?.[0] ?? ''
  expect(statSync(data).mode & 0o777).toBe(0o700)

  await using store = openSqlite({ file: join(data, 'sluice.db') })
  await using ring = await openKeyRing(store, { fixed: [] })
  expect(ring.find(secret)).toMatchObject({
    id,
    name: 'team',
    role: 'caller',
    models: ['acme/*'],
    requestsPerMinute: 5,
  })
  expect(await revokeKey(environment, id)).toContain(`Revoked ${id} (team)`)
  await ring.reload()
  expect(ring.find(secret)).toBeUndefined()
  expect(await revokeKey(environment, id)).toContain('was revoked already')
})

test('keys list shows every key and no secret', async () => {
  using folder = temporaryFolder()
  const { environment } = dataIn(folder.path)
  expect(await listKeysCommand(environment, {})).toContain('no keys yet')
  const made = [
    await createKeyCommand(environment, { name: 'one', admin: true }),
    await createKeyCommand(environment, { name: 'two', expires: 30 }),
  ]
  const table = await listKeysCommand(environment, {})
  expect(table.split('\n')).toHaveLength(3)
  const today = new Date().toISOString().slice(0, 10)
  expect(table).toMatch(
    new RegExp(`one +administrator +sk-\\w{5}… +valid +${today} +never +default +all`),
  )
  expect(table).toMatch(/two +caller +sk-\w{5}… +valid until \d{4}-\d\d-\d\d/)
  const json = await listKeysCommand(environment, { json: true })
  expect(JSON.parse(json)).toHaveLength(2)
  for (const text of [table, json])
    for (const { text: secret } of made) expect(text).not.toContain(secret.slice(8, 40))
  expect(json).not.toContain('hash')
})

test('reports an unusable database without its password', async () => {
  using folder = temporaryFolder()
  const environment = readEnvironment({
    SLUICE_DATA: join(folder.path, 'data'),
    DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/sluice',
  })
  const listed = listKeysCommand(environment, {})
  await expect(listed).rejects.toThrow(
    'The database (PostgreSQL at 127.0.0.1:1/sluice) cannot be used: connect ECONNREFUSED',
  )
  await expect(listed).rejects.not.toThrow('secret')
})

test('keys list shows the time of last use', async () => {
  using folder = temporaryFolder()
  const { data, environment } = dataIn(folder.path)
  const made = await createKeyCommand(environment, { name: 'busy', json: true })
  const { id, createdAt } = JSON.parse(made.text) as { id: string; createdAt: number }
  expect(createdAt).toBeGreaterThan(0)
  {
    await using store = openSqlite({ file: join(data, 'sluice.db') })
    for (const startedAt of [Date.UTC(2026, 0, 2, 3, 4, 5), Date.UTC(2025, 0, 1)])
      store.recordUsage(sampleUsage({ keyId: id, startedAt }))
  }
  expect(await listKeysCommand(environment, {})).toMatch(/busy .* 2026-01-02 03:04 +default/)
  expect(JSON.parse(await listKeysCommand(environment, { json: true }))).toMatchObject([
    { id, lastUsedAt: Date.UTC(2026, 0, 2, 3, 4, 5) },
  ])
})

test('keys create --json prints only the secret and the stored key', async () => {
  using folder = temporaryFolder()
  const { environment } = dataIn(folder.path)
  const made = await createKeyCommand(environment, { name: 'app', rate: 5, json: true })
  expect(made.notes).toEqual([])
  expect(JSON.parse(made.text)).toEqual({
    id: expect.stringMatching(/^key_/),
    name: 'app',
    role: 'caller',
    prefix: expect.stringMatching(/^sk-/),
    requestsPerMinute: 5,
    createdAt: expect.any(Number),
    secret: expect.stringMatching(/^sk-[0-9A-Za-z]{43}$/),
  })
})

test('revokes by name if only one valid key has it, and warns of duplicate names', async () => {
  using folder = temporaryFolder()
  const { environment } = dataIn(folder.path)
  const create = async () => (await createKeyCommand(environment, { name: 'app' })).notes ?? []
  const [first = '', ...none] = await create()
  expect(none).toEqual([])
  const id = /key_\w+/.exec(first)?.[0] ?? ''
  expect(await create()).toEqual([
    expect.stringMatching(/^Created key_\w+ \(app\)\. The secret is shown only once/),
    `Warning: the key ${id} has the same name.`,
  ])
  await expect(revokeKey(environment, 'app')).rejects.toThrow(
    /^Several keys are named app: say which by its id \(key_\w+, key_\w+\)$/,
  )
  await revokeKey(environment, id)
  expect(await revokeKey(environment, 'app')).toMatch(/^Revoked key_\w+ \(app\)/)
  await expect(revokeKey(environment, 'ap')).rejects.toThrow('There is no key ap')
})

test('prints only the secret on standard output', async () => {
  using folder = temporaryFolder()
  const { stdout, stderr, exitCode } = await runSluice(['keys', 'create', '--name', 'app'], {
    folder: folder.path,
  })
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^sk-[0-9A-Za-z]{43}\n$/)
  expect(stderr).toMatch(/^Created key_\w+ \(app\)\. The secret is shown only once[^\n]*\n$/)
})

test('reports an unknown key id', async () => {
  using folder = temporaryFolder()
  const { environment } = dataIn(folder.path)
  await expect(revokeKey(environment, 'key_x')).rejects.toThrow('There is no key key_x')
})
