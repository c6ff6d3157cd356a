// First steps on the command line: a settings file with examples, what a gateway needs, where it listens, and its version.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { runSluice, startSluice } from '../../../../test/support/run-sluice.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'

test('init writes a file that check accepts, and no other one', async () => {
  using folder = temporaryFolder()
  const at = { folder: folder.path, variables: {} }
  const { stdout, exitCode } = await runSluice(['init'], at)
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('sluice.yaml is written.')])
  expect((await runSluice(['check'], at)).exitCode).toBe(0)
  const file = join(folder.path, 'sluice.yaml')
  // The examples are settings.
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace(/^# (?=providers|models|prices| )/gm, ''))
  expect(await runSluice(['check'], { ...at, variables: { ACME_API_KEY: 'k' } })).toMatchObject({
    stderr: '',
  })
  expect((await runSluice(['init'], at)).exitCode).toBe(1)
})

test('doctor finds what is missing', async () => {
  using folder = temporaryFolder()
  const run = (variables: Readonly<Record<string, string>>) =>
    runSluice(['doctor'], { folder: folder.path, variables: { SLUICE_PORT: '1', ...variables } })
  const fine = await run({})
  expect(fine.exitCode).toBe(0)
  expect(fine.stdout).toMatch(/ok +database +SQLite/)
  expect(fine.stdout).toMatch(/note +gateway +None runs/)
  const lost = await run({
    DATABASE_URL: 'postgres://nobody:secret-word@127.0.0.1:1/none',
    REDIS_URL: 'redis://:secret-word@127.0.0.1:1',
    SLUICE_ENCRYPTION_KEY: 'encryption-key-of-the-tests-0123456789',
  })
  expect(lost.exitCode).toBe(1)
  expect(lost.stdout).toMatch(/wrong +database +PostgreSQL at 127\.0\.0\.1:1\/none does not answer/)
  expect(lost.stdout).toMatch(/wrong +Redis +It does not answer/)
  expect(lost.stdout).toMatch(/ok +encryption key +1 set/)
  expect(lost.stdout + lost.stderr).not.toContain('secret-word')
  const wrong = await run({ SLUICE_ENCRYPTION_KEY: 'short' })
  expect([wrong.exitCode, wrong.stdout]).toEqual([1, expect.stringContaining('can be guessed')])
})

test('serve takes its address, its file and its folder as options', async () => {
  using folder = temporaryFolder()
  mkdirSync(join(folder.path, 'elsewhere'))
  writeFileSync(join(folder.path, 'other.yaml'), 'log:\n  level: debug\n')
  const args = ['serve', '--host', '127.0.0.2', '--port', '0', '--config', 'other.yaml']
  const options = [...args, '--data', 'elsewhere/data', '--workers', '2']
  const sluice = startSluice(options, { folder: folder.path, variables: { SLUICE_PORT: '1' } })
  try {
    await vi.waitFor(() => expect(sluice.output()).toMatch(/listens on http/), { timeout: 20_000 })
    const address = /listens on (http:[^\s"]+)/.exec(sluice.output())?.[1] ?? ''
    expect(address).toMatch(/^http:\/\/127\.0\.0\.2:\d+$/)
    expect((await fetch(`${address}/healthz`)).status).toBe(200)
    expect(readFileSync(join(folder.path, 'elsewhere/data/sluice.db')).length).toBeGreaterThan(0)
  } finally {
    sluice.child.kill('SIGTERM')
    await sluice.finished
  }
})

test('version prints the version alone', async () => {
  using folder = temporaryFolder()
  const at = { folder: folder.path }
  const [command, option] = [await runSluice(['version'], at), await runSluice(['--version'], at)]
  expect(command.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(command.stdout).toBe(option.stdout)
})
