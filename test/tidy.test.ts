// What the compiler and the linter cannot say about this code, said as tests.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  breaches,
  chainMax,
  cycles,
  importsOf,
  longestChain,
  orders,
  readDependencies,
  readSources,
} from './support/tidy-rules.ts'

const root = join(import.meta.dirname, '..')
const sources = readSources(join(root, 'packages'))
const dependencies = readDependencies(join(root, 'packages'))

test('the checks cover the sources', () => {
  expect(sources.size).toBeGreaterThan(200)
  expect([...sources].flatMap(([path, text]) => importsOf(path, text)).length).toBeGreaterThan(500)
  for (const [name, folders] of Object.entries(orders))
    for (const folder of folders) {
      const place = folder === '.' ? `${name}/` : `${name}/${folder}/`
      expect([...sources.keys()].some((path) => path.startsWith(place))).toBe(true)
    }
})

test('sources keep to the layers, sizes, names and purity rules', () => {
  expect(breaches(sources, dependencies)).toEqual([])
})

test('packages do not depend on each other in a circle', () => {
  const below = (name: string, seen: readonly string[] = []): readonly string[] =>
    seen.includes(name)
      ? [...seen, name]
      : [...(dependencies.get(name) ?? [])]
          .filter((other) => other.startsWith('@sluice/'))
          .flatMap((other) => below(other.slice('@sluice/'.length), [...seen, name]))
  expect([...dependencies.keys()].flatMap((name) => below(name))).toEqual([])
})

test('the built-in engine stays small', () => {
  const engine = [...sources].filter(([path]) => path.startsWith('engine/'))
  const lines = engine.reduce((sum, [, text]) => sum + text.split('\n').length - 1, 0)
  // What it cannot do it says; a new skill has to be worth another's place.
  expect(lines).toBeLessThanOrEqual(11_000)
  expect(lines).toBeGreaterThan(5_000)
})

test('no import cycles, not even of types', () => {
  expect(cycles(sources)).toEqual([])
  const circle = new Map([
    ['server/a.ts', "import type { B } from './b.ts'"],
    ['server/b.ts', "import { a } from './a.ts'"],
  ])
  expect(cycles(circle)).toEqual(['server/a.ts imports server/b.ts imports server/a.ts'])
})

test('chains of imports stay short', () => {
  const chain = longestChain(sources)
  expect(chain.length, chain.join(' imports ')).toBeLessThanOrEqual(chainMax)
  expect(chain.length).toBeGreaterThan(10)
  const chained = new Map([
    ['server/a.ts', "import { type B, b } from '@sluice/gateway/b.ts'\nimport { d } from './d.ts'"],
    ['gateway/b.ts', "export * from '@sluice/contract'"],
    ['contract/index.ts', "import { type C } from './c.ts'"],
    ['contract/c.ts', ''],
    ['server/d.ts', "import type { E } from './a.ts'\nawait import('./a.ts')"],
  ])
  expect(longestChain(chained)).toEqual(['server/a.ts', 'gateway/b.ts', 'contract/index.ts'])
})

test.each([
  ['contract/wire/a.ts', "import { b } from '../operations/b.ts'", 'not below it'],
  ['contract/wire/a.ts', "import { b } from '@sluice/protocols'", 'does not depend on'],
  ['server/a.ts', "import { b } from '../contract/b.ts'", 'past the door'],
  ['store/a.ts', "import type { B } from '@sluice/server/b.ts'", 'does not depend on'],
  ['gateway/elsewhere/a.ts', '', 'without a place'],
  ['gateway/providers/acme.ts', "import { b } from './openai.ts'", 'do not know each other'],
  ['gateway/providers/acme.ts', '\n'.repeat(80), 'a provider is data'],
  ['protocols/acme/chat.ts', 'const now = Date.now()', 'reads a clock'],
  ['contract/wire/acme.ts', "import { readFileSync } from 'node:fs'", 'input or output'],
  ['gateway/call/a.ts', 'process.env.HOME', 'reads the environment'],
  ['gateway/route/a.ts', "import { b } from '../attempt/b.ts'", 'not below it'],
  ['server/a.ts', "job.provider === 'builtin'", 'by name'],
  [
    'server/a.ts',
    "import { AdmittedCall } from '@sluice/gateway/admit/admit.ts'",
    'lets a call in',
  ],
  ['gateway/admit/a.ts', "request['max_output_tokens']", 'for protocols or providers'],
  ['sluice/telemetry/a.ts', "provider === 'azure-openai'", 'for protocols or providers'],
  ['contract/core/string-utils.ts', '', 'named for nothing'],
  ['contract/core/Big.ts', '', 'not kebab-case'],
  ['contract/core/a.ts', 'x\n'.repeat(401), '401 lines'],
  ['contract/core/a.ts', 'const a = b as any', 'loosens a type'],
])('detects a violation: %s', (path, text, sentence) => {
  expect(breaches(new Map([[path, text]]), dependencies).join('\n')).toContain(sentence)
})

test('property tests use the shared seed', () => {
  const folders = [
    'test',
    'bench',
    ...readdirSync(join(root, 'packages')).map((one) => `packages/${one}/test`),
  ]
  const files = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
        .map((name) => join(folder, name)),
    )
  const drawing = files.filter((file) => /\bfc\.(?:assert|check|sample)\(/.test(readText(file)))
  expect(drawing.length).toBeGreaterThan(20)
  const unseeded = drawing.filter((file) => !readText(file).includes('support/property-limits.ts'))
  // This file only names them.
  expect(unseeded.filter((file) => !file.endsWith('tidy.test.ts'))).toEqual([])
})

test('migrations are numbered without gaps', () => {
  const names = readdirSync(join(root, 'packages/store/src/migrations')).sort()
  expect(names.map((name) => Number(name.slice(0, 3)))).toEqual(names.map((_, at) => at + 1))
})

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s names only existing paths', (file) => {
  const named = [
    ...readText(file).matchAll(/`((?:packages|test|docs|bench|bin|build)\/[\w./-]*)`/g),
  ]
    .map(([, path = '']) => path)
    // What CONTRIBUTING.md adds for an example.
    .filter((path) => !/\/acme\b/.test(path))
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('CONTRIBUTING.md names only existing scripts', () => {
  const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> }
  const named = [...readText('CONTRIBUTING.md').matchAll(/\bnpm (?:run ([\w:]+)|(test|start)\b)/g)]
  expect(named.length).toBeGreaterThan(5)
  for (const [, script, short] of named) expect(Object.keys(scripts)).toContain(script ?? short)
})

function readText(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
