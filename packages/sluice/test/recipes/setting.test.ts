import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blocksOf } from '../../../../test/support/contributing.ts'
import { runSluice } from '../../../../test/support/run-sluice.ts'

const root = join(import.meta.dirname, '../../../..')

test('the command in CONTRIBUTING.md prints the published schema', async () => {
  const [command = ''] = blocksOf('Add a setting')
  const words = /^node bin\/sluice\.cjs (.+) > (\S+) && npm run format\n$/.exec(command)
  expect(words).not.toBeNull()
  const [, args = '', file = ''] = words ?? []
  const { stdout } = await runSluice(args.split(' '), { folder: root })
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const format = [biome, 'format', `--stdin-file-path=${file}`]
  const formatted = execFileSync(process.execPath, format, { cwd: root, input: stdout })
  expect(formatted.toString()).toBe(readFileSync(join(root, file), 'utf8'))
})
