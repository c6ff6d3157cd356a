import { expect, test } from 'vitest'
import { granted } from '../../../../test/support/administrate.ts'
import { runSluice } from '../../../../test/support/run-sluice.ts'
import { adminKey, start } from '../../../../test/support/start.ts'
import { printable, printableLines } from '../../src/cli/printable.ts'
import { createProgress } from '../../src/cli/progress.ts'

test('escapes terminal control characters', () => {
  expect(printable('a\u001b[2Jb\u202Ec\nd\u0085é日本')).toBe(
    'a\\u{1b}[2Jb\\u{202e}c\\u{a}d\\u{85}é日本',
  )
  expect(printableLines('a\tb\nc\rd')).toBe('a\tb\nc\\u{d}d')
})

test('a name with control characters is escaped in a table', async () => {
  await using gateway = await start()
  await granted(gateway, 'POST /admin/v1/keys', { name: 'up\u001b[2J\nkey_forged  admin' })
  const variables = {
    SLUICE_DATA: gateway.dataFolder,
    SLUICE_PORT: new URL(gateway.url).port,
    SLUICE_ADMIN_KEY: adminKey,
  }
  const { stdout } = await runSluice(['keys', 'list'], { folder: gateway.dataFolder, variables })
  expect(stdout).toContain('up\\u{1b}[2J\\u{a}key_forged  admin')
  expect(stdout).not.toMatch(/^key_forged/m)
  expect(stdout).not.toContain('\u001b')
})

test('draws progress on a terminal only, within its width, and clears it', () => {
  const written: string[] = []
  const screen = { columns: 60, write: (text: string) => written.push(text) }
  {
    using silent = createProgress('requests', screen)
    silent.at(1, 4)
  }
  expect(written).toEqual([])
  {
    using shown = createProgress('requests', { ...screen, isTTY: true })
    shown.at(1, 4)
    shown.at(2, 4)
  }
  expect(written).toHaveLength(2)
  expect(written[0]).toBe(`\r\u001b[K${'█'.repeat(6)}${'░'.repeat(18)} 25 %  1 of 4 requests`)
  expect(written[1]).toBe('\r\u001b[K')
})
