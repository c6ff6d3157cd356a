import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { changeConfig } from '../../src/cli/change-config.ts'
import { readEnvironment } from '../../src/config/env.ts'

function fileIn(folder: string) {
  const file = join(folder, 'sluice.yaml')
  return { file, environment: readEnvironment({ SLUICE_CONFIG: file }) }
}

test('config sets a value in a new file, changes it beside its comment, and removes it', () => {
  using folder = temporaryFolder()
  const { file, environment } = fileIn(folder.path)
  changeConfig(environment, 'server.port', { value: '9000' })
  expect(readFileSync(file, 'utf8')).toBe('server:\n  port: 9000\n')
  writeFileSync(file, '# ours\nserver:\n  port: 9000 # outside\n  host: "::"\n')
  changeConfig(environment, 'server.port', { value: '9001' })
  changeConfig(environment, 'models["gpt-4.1"]', { value: 'acme/big' })
  changeConfig(environment, 'server.host', {})
  expect(readFileSync(file, 'utf8')).toBe(
    '# ours\nserver:\n  port: 9001 # outside\nmodels:\n  gpt-4.1: acme/big\n',
  )
})

test('config rejects a change that would break the file', () => {
  using folder = temporaryFolder()
  const { file, environment } = fileIn(folder.path)
  for (const [path, value, message] of [
    ['server.port', 'abc', 'server.port must be a whole number'],
    ['server.prot', '1', 'server.prot is not a setting'],
    ['log.file', '$' + '{NOWHERE_SET}', 'NOWHERE_SET, which is not set'],
    ['server.port', '{', 'The value is not YAML'],
  ] as const)
    expect(() => changeConfig(environment, path, { value })).toThrow(message)
  expect(existsSync(file)).toBe(false)
})
