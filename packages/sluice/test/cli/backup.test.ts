import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { granted } from '../../../../test/support/administrate.ts'
import { type Started, start } from '../../../../test/support/start.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { backupCommand } from '../../src/cli/backup.ts'
import { readEnvironment } from '../../src/config/env.ts'

const environmentOf = ({ dataFolder }: Pick<Started, 'dataFolder'>) =>
  readEnvironment({ SLUICE_DATA: dataFolder, SLUICE_CONFIG: join(dataFolder, 'sluice.yaml') })

function settings(folder: string, text = '{}'): void {
  writeFileSync(join(folder, 'sluice.yaml'), text)
}

test('backs up a running gateway, and a gateway starts from the copy', async () => {
  using target = temporaryFolder()
  const copy = join(target.path, 'sluice.db')
  await using gateway = await start()
  settings(gateway.dataFolder)
  await granted(gateway, 'POST /admin/v1/teams', { name: 'before' })
  const said = JSON.parse(await backupCommand(environmentOf(gateway), copy, { json: true }))
  expect(said).toMatchObject({ copy, bytes: statSync(copy).size })
  expect(statSync(copy).mode & 0o777).toBe(0o600)
  await granted(gateway, 'POST /admin/v1/teams', { name: 'after' })

  await using restored = await start({}, { dataFolder: target.path })
  const { data } = await granted(restored, 'GET /admin/v1/teams')
  expect(data).toMatchObject([{ name: 'before' }])
})

test('overwrites nothing and leaves no partial copy', async () => {
  using target = temporaryFolder()
  await using gateway = await start()
  settings(gateway.dataFolder)
  const taken = join(target.path, 'taken.db')
  writeFileSync(taken, 'mine')
  const environment = environmentOf(gateway)
  await expect(backupCommand(environment, taken, {})).rejects.toThrow('is there already')
  const nowhere = join(target.path, 'missing/copy.db')
  await expect(backupCommand(environment, nowhere, {})).rejects.toThrow('cannot be copied')
  expect(readdirSync(target.path)).toEqual(['taken.db'])
})

test('fails without a SQLite database', async () => {
  using folder = temporaryFolder()
  settings(folder.path)
  const environment = environmentOf({ dataFolder: folder.path })
  await expect(backupCommand(environment, 'copy.db', {})).rejects.toThrow('There is no database at')
  settings(folder.path, 'storage: { url: "postgres://me:secret@db.example/sluice" }')
  const refused = backupCommand(environment, 'copy.db', {})
  await expect(refused).rejects.toThrow('PostgreSQL at db.example/sluice: use pg_dump')
  await expect(refused).rejects.not.toThrow('secret')
  expect(existsSync('copy.db')).toBe(false)
})

test('writes a complete database', async () => {
  using target = temporaryFolder()
  await using gateway = await start()
  settings(gateway.dataFolder)
  const copy = join(target.path, 'copy.db')
  const written: string[] = []
  const screen = { isTTY: true, write: (text: string) => written.push(text) }
  expect(await backupCommand(environmentOf(gateway), copy, { screen })).toMatch(
    /^Copied .* MB\)\.$/,
  )
  expect(written[0]).toMatch(/ 0 % {2}0 of \d+ MB copied$/)
  expect(written.at(-1)).toBe('\r\u001b[K')
  using db = new DatabaseSync(copy, { readOnly: true })
  expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
})
