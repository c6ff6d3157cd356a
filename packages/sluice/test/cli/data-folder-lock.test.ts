// One gateway for a folder with SQLite: a second one would apply every limit once more.
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startProgram } from '../../../../test/support/gateways/program.ts'
import { runSluice } from '../../../../test/support/run-sluice.ts'
import { adminKey, testKey } from '../../../../test/support/start.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { holdFolder } from '../../../store/src/folder-lock.ts'

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder[Symbol.dispose]())

const start = (args: readonly string[]) => startProgram({ folder: folder.path, content: {}, args })

const serve = () =>
  runSluice(['serve'], {
    folder: folder.path,
    variables: {
      SLUICE_PORT: '0',
      SLUICE_API_KEYS: testKey,
      SLUICE_ADMIN_KEY: adminKey,
      SLUICE_DATA: join(folder.path, 'data'),
    },
  })

describe.each([
  { what: 'one process', args: [] },
  { what: 'workers', args: ['--workers', '2'] },
])('a gateway of $what', ({ args }) => {
  test('locks its data folder against a second gateway, and a kill releases the lock', async () => {
    {
      await using first = await start(args)
      for (let turn = 0; turn < 2; turn += 1) {
        const { exitCode, stderr } = await serve()
        expect(exitCode).toBe(1)
        expect(stderr).toContain('Another gateway is running with the data folder')
        expect(stderr).toContain('DATABASE_URL')
        expect(stderr).not.toContain('    at ')
      }
      expect((await first.ask('/v1/models')).status).toBe(200)
      await first.end('SIGKILL')
      await using next = await start(args)
      expect((await next.ask('/v1/models')).status).toBe(200)
      expect((await next.end('SIGTERM')).exitCode).toBe(0)
    }
    await using last = await start([])
    expect((await last.ask('/v1/models')).status).toBe(200)
  }, 60_000)
})

test('commands work in the data folder of a running gateway', async () => {
  await using first = await start([])
  const variables = { SLUICE_DATA: join(folder.path, 'data') }
  const { exitCode } = await runSluice(['keys', 'list'], { folder: folder.path, variables })
  expect(exitCode).toBe(0)
  expect((await first.ask('/v1/models')).status).toBe(200)
})

test('a data folder is locked once, also within a process, and can be locked again after release', () => {
  for (let turn = 0; turn < 2; turn += 1) {
    using held = holdFolder(folder.path)
    expect(held).toBeDefined()
    expect(holdFolder(folder.path)).toBeUndefined()
  }
})
