import { expect, test } from 'vitest'
import { runSluice } from '../../../../test/support/run-sluice.ts'
import { start, testKey } from '../../../../test/support/start.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import type { LoadReport } from '../../src/cli/load/run-load.ts'

test('bench measures a running gateway', async () => {
  await using gateway = await start()
  using folder = temporaryFolder()
  const args = ['bench', '--url', gateway.url, '--model', 'builtin-chat', '--concurrency', '2']
  const bench = (...further: readonly string[]) =>
    runSluice([...args, ...further], { folder: folder.path })

  const told = await bench('--key', testKey, '--requests', '4', '--stream')
  expect(told).toMatchObject({ exitCode: 0, stderr: '' })
  expect(told.stdout).toContain('4 requests in')
  expect(told.stdout).toContain('None failed.')
  expect(told.stdout).toMatch(/^first token +\d/m)
  expect(told.stdout).toMatch(/^between events +\d/m)

  const whole = await bench('--key', testKey, '--requests', '3', '--json')
  const report: LoadReport = JSON.parse(whole.stdout)
  expect(report).toMatchObject({ requests: 3, events: 0, failures: {} })
  expect(report.requestsPerSecond).toBeCloseTo(3 / report.seconds)

  const refused = await bench('--key', 'sk-wrong', '--requests', '2')
  expect(refused.exitCode).toBe(1)
  expect(refused.stdout).toContain('Failed: 2 × HTTP 401')

  const keyless = await bench()
  expect(keyless.exitCode).toBe(1)
  expect(keyless.stderr).toContain('bench needs a key')
})

test('bench stops after --duration', async () => {
  await using gateway = await start()
  using folder = temporaryFolder()
  const args = ['bench', '--url', gateway.url, '--key', testKey, '--model', 'builtin-chat']
  const { exitCode, stdout } = await runSluice([...args, '--duration', '1', '--json'], {
    folder: folder.path,
  })
  expect(exitCode).toBe(0)
  const { requests, failures }: LoadReport = JSON.parse(stdout)
  expect(requests).toBeGreaterThan(0)
  expect(failures).toEqual({})
})
