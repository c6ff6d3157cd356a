// The models that documents, examples and shipped settings name are in use, and stay so.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { providers } from '../../packages/gateway/src/providers/index.ts'
import { root } from '../support/npm.ts'

/** All models that have an announced end, whether it is past or not. */
const retirements: ReadonlyMap<string, string> = new Map(
  [...providers.values()].flatMap(({ retirements = new Map<string, string>() }) => [
    ...retirements,
  ]),
)

/** Whether a text names a model: not as the beginning or the end of another name, of a file or of a date. */
const naming = (model: string) =>
  new RegExp(String.raw`(?<![\w.-])${model.replaceAll('.', String.raw`\.`)}(?![\w-]|\.\w)`)

function retiredIn(text: string): readonly string[] {
  return [...retirements]
    .filter(([model]) => text.includes(model) && naming(model).test(text))
    .map(([model, date]) => `${model} (${date})`)
}

describe('the retirement table', () => {
  test.each([
    ['openai', 'gpt-4o-mini', '2027-01-14'],
    ['openai-responses', 'o3-pro', '2026-12-11'],
    ['anthropic', 'claude-sonnet-4-5', '2026-11-30'],
    ['google', 'gemini-2.5-flash', '2026-12-01'],
  ])('has the date of %s for %s', (id, model, date) => {
    expect(providers.get(id)?.retirements?.get(model)).toBe(date)
  })

  test('has valid dates only', () => {
    for (const date of retirements.values())
      expect(new Date(date).toISOString().slice(0, 10)).toBe(date)
  })

  test('has the dates that OpenAI’s SDK documents', () => {
    const text = ['shared.d.ts', 'images.d.ts', 'realtime/realtime.d.ts', 'audio/audio.d.ts']
      .map((file) => readFileSync(join(root, 'node_modules/openai/resources', file), 'utf8'))
      .join('\n')
      .replaceAll(/\s*\n\s*\*\s*/g, ' ')
    const said = /((?:"[\w.-]+",? )*"[\w.-]+"): Announced shutdown date: (\d{4}-\d\d-\d\d)/g
    const ends = [...text.matchAll(said)].flatMap(([, names = '', date]) =>
      [...names.matchAll(/"([^"]+)"/g)].map(([, name]) => [name, date]),
    )
    expect(ends.length).toBeGreaterThan(80)
    const known = providers.get('openai')?.retirements
    expect(ends.filter(([name = '', date]) => known?.get(name) !== date)).toEqual([])
  })

  test('has the dates that Anthropic’s SDK warns of', () => {
    const file = 'node_modules/@anthropic-ai/sdk/src/internal/data/deprecated-models.ts'
    const table = readFileSync(join(root, file), 'utf8')
    const warned = [...table.matchAll(/'([\w.-]+)': '(\w+ \d+)\w*, (\d{4})'/g)]
    expect(warned.length).toBeGreaterThan(0)
    for (const [, model = '', day, year] of warned) {
      const date = new Date(`${day}, ${year} UTC`).toISOString().slice(0, 10)
      expect(retirements.get(model), model).toBe(date)
    }
  })

  test('matches whole model names only', () => {
    const text = 'openai/gpt-4o, "gpt-4" and gpt-5.5 or gpt-4-turbo-x, o3-minimal; model=gpt-5.'
    expect(retiredIn(text).map((one) => one.split(' ')[0])).toEqual(['gpt-4', 'gpt-5', 'gpt-4o'])
  })
})

const isText = /\.(?:md|ya?ml|json|tpl|txt|ts|tsx|cjs|html|service|toml|example|sh)$/

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && (isText.test(entry.name) || !entry.name.includes('.')))
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
    .filter((path) => !/(?:^|\/)(?:node_modules|dist|\.vitepress\/(?:dist|cache))\//.test(path))
}

/** Data about models old and new, which name them on purpose. */
const tables: ReadonlySet<string> = new Set([
  // What OpenAI takes where a request names none.
  'packages/contract/src/operations/default-models.ts',
  // Names that existing programs send.
  'packages/sluice/src/config/default-aliases.ts',
  'packages/gateway/src/prices/own-rows.ts',
  'packages/gateway/src/prices/tool-rows.ts',
  'packages/gateway/src/providers/retirements.ts',
])

const shipped = [
  ...readdirSync(root).filter((name) => /\.(?:md|yaml|schema\.json)$|^Dockerfile$/.test(name)),
  ...['docs', 'deploy', 'bench', 'packages'].flatMap(filesBelow),
].filter(
  (path) =>
    // Of history, and of measurements; of tests and of streams for the benchmark, whose names are wire data.
    path !== 'CHANGELOG.md' &&
    !/^bench\/(?:results|src\/streams|peers\/on-the-bench)\/|^packages\/[\w-]+\/test\/|^packages\/protocols\/src\/families\//.test(
      path,
    ) &&
    !tables.has(path),
)

test('no document, example or shipped file names a retiring model', () => {
  expect(shipped).toEqual(expect.arrayContaining(['README.md', 'compose.yaml', 'docs/clients.md']))
  const found = shipped.flatMap((path) =>
    retiredIn(readFileSync(join(root, path), 'utf8')).map((model) => `${path}: ${model}`),
  )
  expect(found).toEqual([])
})
