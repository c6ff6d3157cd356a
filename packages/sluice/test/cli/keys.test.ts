import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createKeyCommand, listKeysCommand, revokeKeyCommand } from '../../src/cli/keys.ts'
import { readEnvironment } from '../../src/config/env.ts'
import { openKeyRing } from '../../src/storage/key-ring.ts'
import { openSqlite } from '../../src/storage/sqlite.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'

function dataIn(folder: string) {
  const data = join(folder, 'data')
  return { data, environment: readEnvironment({ SLUICE_DATA: data }) }
}

test('a key that was made is valid at once, until it is revoked', async () => {
  using folder = temporaryFolder()
  const { data, environment } = dataIn(folder.path)
  const made = await createKeyCommand(environment, { name: 'team', models: ['acme/*'], rate: 5 })
  const [secret = '', sentence = ''] = made.split('\n')
  expect(secret).toMatch(/^sk-[0-9A-Za-z]{43}$/)
  const id = sentence.split(' ')[0] ?? ''
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
  expect(await revokeKeyCommand(environment, id)).toContain('is revoked')
  await ring.reload()
  expect(ring.find(secret)).toBeUndefined()
  expect(await revokeKeyCommand(environment, id)).toContain('was revoked already')
})

test('the list shows every key and no secret', async () => {
  using folder = temporaryFolder()
  const { environment } = dataIn(folder.path)
  expect(await listKeysCommand(environment, {})).toContain('no keys yet')
  const made = [
    await createKeyCommand(environment, { name: 'one', admin: true }),
    await createKeyCommand(environment, { name: 'two', expires: 30 }),
  ]
  const table = await listKeysCommand(environment, {})
  expect(table.split('\n')).toHaveLength(3)
  expect(table).toMatch(/one +administrator +sk-\w{5}… +valid +default +all/)
  expect(table).toMatch(/two +caller +sk-\w{5}… +valid until \d{4}-\d\d-\d\d/)
  const json = await listKeysCommand(environment, { json: true })
  expect(JSON.parse(json)).toHaveLength(2)
  for (const text of [table, json])
    for (const secret of made) expect(text).not.toContain(secret.slice(8, 40))
  expect(json).not.toContain('hash')
})

test('a database that cannot be used is told, without its password', async () => {
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

test('an unknown id is told', async () => {
  using folder = temporaryFolder()
  const { environment } = dataIn(folder.path)
  await expect(revokeKeyCommand(environment, 'key_x')).rejects.toThrow('There is no key key_x')
})
