// What the compiler and the linter cannot say about this code, said as tests.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { breaches, importsOf, layers, readSources } from './support/tidy-rules.ts'

const root = join(import.meta.dirname, '..')
const sources = readSources(join(root, 'src'))

test('these checks see the code', () => {
  expect(sources.size).toBeGreaterThan(200)
  expect([...sources].flatMap(([path, text]) => importsOf(path, text)).length).toBeGreaterThan(500)
  const folders = new Set([...sources.keys()].map((path) => path.split('/')[0]))
  expect(folders).toEqual(new Set(Object.keys(layers)))
})

test('layers, sizes, names and purity hold', () => {
  expect(breaches(sources)).toEqual([])
})

test.each([
  ['wire/a.ts', "import { b } from '../gateway/b.ts'", 'not below it'],
  ['elsewhere/a.ts', '', 'no known layer'],
  ['providers/acme.ts', "import { b } from './openai.ts'", 'do not know each other'],
  ['providers/acme.ts', '\n'.repeat(80), 'a provider is data'],
  ['protocols/acme/chat.ts', 'const now = Date.now()', 'reads a clock'],
  ['wire/acme.ts', "import { readFileSync } from 'node:fs'", 'input or output'],
  ['gateway/a.ts', 'process.env.HOME', 'reads the environment'],
  ['core/string-utils.ts', '', 'named for nothing'],
  ['core/Big.ts', '', 'not kebab-case'],
  ['core/a.ts', 'x\n'.repeat(401), '401 lines'],
  ['core/a.ts', 'const a = b as any', 'loosens a type'],
])('a breach is found: %s', (path, text, sentence) => {
  expect(breaches(new Map([[path, text]])).join('\n')).toContain(sentence)
})

test('the map names only places that exist', () => {
  const map = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const named = [...map.matchAll(/`((?:src|test|docs|bench|bin)\/[\w./-]*)`/g)].map(
    ([, path = '']) => path,
  )
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
})
