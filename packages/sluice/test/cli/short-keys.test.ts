import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { runSluice, startSluice } from '../../../../test/support/run-sluice.ts'

const soon = { timeout: 20_000, interval: 20 }
const [short, long] = ['fifteen-letters', 'sixteen-letters!']

let folder: string
const running: ReturnType<typeof startSluice>[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
})
afterEach(async () => {
  for (const { child, finished } of running.splice(0)) {
    child.kill('SIGKILL')
    await finished
  }
  rmSync(folder, { recursive: true, force: true })
})

async function serve(variables: Readonly<Record<string, string>>) {
  const sluice = startSluice(['serve'], { folder, variables: { SLUICE_PORT: '0', ...variables } })
  running.push(sluice)
  await vi.waitFor(() => {
    expect(sluice.child.exitCode).toBeNull()
    expect(sluice.output()).toMatch(/listens on http/)
  }, soon)
  return sluice
}

const warnings = (output: string) =>
  output
    .split('\n')
    .filter((line) => line.includes('"warn"') && line.includes('16'))
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)

test('warns of a caller’s short key by its place, at start and when settings change', async () => {
  const file = join(folder, 'sluice.yaml')
  const settings = (key: string) => `keys:\n  - { name: app, key: '${key}' }\n`
  writeFileSync(file, settings(long))
  const { output } = await serve({ SLUICE_API_KEYS: `${long},${short}` })
  await vi.waitFor(() => expect(warnings(output())).toHaveLength(1), soon)
  expect(JSON.stringify(warnings(output()))).toContain('SLUICE_API_KEYS, number 2')
  writeFileSync(file, settings(short))
  await vi.waitFor(() => expect(warnings(output())).toHaveLength(3), soon)
  expect(JSON.stringify(warnings(output()))).toContain('keys: app')
  expect(output()).not.toContain(short)
})

test('rejects an administrator key shorter than 16 characters', async () => {
  const refused = await runSluice(['serve'], {
    folder,
    variables: { SLUICE_PORT: '0', SLUICE_ADMIN_KEY: short },
  })
  expect(refused.exitCode).not.toBe(0)
  const said = refused.stdout + refused.stderr
  expect(said).toContain('SLUICE_ADMIN_KEY has 15 characters and must have at least 16')
  expect(said).not.toContain(short)
  await serve({ SLUICE_ADMIN_KEY: long })
})
