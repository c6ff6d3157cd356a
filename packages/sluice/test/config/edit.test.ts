import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isNode, parseDocument } from 'yaml'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { parsePath, removeSetting, replaceFile, setSetting } from '../../src/config/edit.ts'
import type { Path } from '../../src/config/references.ts'
import '../../../../test/support/property-limits.ts'

const text = `# our gateway
server:
  port: 9000 # behind the proxy

# upstreams
providers:
  acme: # the cheap one
    key: \${ACME_KEY}
    models: [a, b]
`

test('a changed setting keeps all comments and other lines', () => {
  expect(setSetting(text, ['server', 'port'], 9001)).toBe(text.replace('9000', '9001'))
})

test('adds a setting below missing parents', () => {
  expect(setSetting(text, ['models', 'gpt-4.1'], 'acme/a')).toBe(
    `${text}models:\n  gpt-4.1: acme/a\n`,
  )
  expect(setSetting(text, ['server', 'host'], '::1')).toBe(
    text.replace('proxy\n', 'proxy\n  host: ::1\n'),
  )
  expect(setSetting(text, ['providers', 'b', 'key'], 'x')).toBe(`${text}  b:\n    key: x\n`)
  expect(setSetting(text.trimEnd(), ['log', 'level'], 'debug')).toBe(
    `${text}log:\n  level: debug\n`,
  )
  expect(setSetting('# nothing yet', ['log', 'level'], 'debug')).toBe(
    `# nothing yet\nlog:\n  level: debug\n`,
  )
  expect(setSetting('', ['server', 'port'], 1)).toBe('server:\n  port: 1\n')
})

test('changes a setting inside a list', () => {
  expect(setSetting(text, ['providers', 'acme', 'models', 1], 'c')).toBe(
    text.replace('[a, b]', '[a, c]'),
  )
})

test('removing a setting removes its own lines only', () => {
  expect(removeSetting(text, ['providers', 'acme', 'key'])).toBe(
    text.replace('    key: $' + '{ACME_KEY}\n', ''),
  )
  expect(removeSetting(text, ['providers'])).toBe(text.slice(0, text.indexOf('providers:')))
  expect(removeSetting(text, ['log'])).toBe(text)
  expect(removeSetting(text, ['server', 'port'])).toContain('# our gateway\nserver:')
})

test('any edit parses to the new settings and keeps every comment', () => {
  const paths: Path[] = [
    ['server'],
    ['server', 'port'],
    ['server', 'host'],
    ['providers', 'acme', 'models'],
    ['providers', 'acme', 'models', 0],
    ['providers', 'acme', 'models', 2],
    ['providers', 'acme', 'headers', 'x-a'],
    ['providers', 'new one', 'key'],
    ['models', 'gpt-4.1'],
  ]
  const values = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.dictionary(fc.string(), fc.string()),
  )
  fc.assert(
    fc.property(fc.constantFrom(...paths), values, (path, value) => {
      const document = parseDocument(setSetting(text, path, value))
      expect(document.errors).toEqual([])
      const read: unknown = document.getIn(path)
      expect(isNode(read) ? read.toJS(document) : read).toEqual(value)
      const expected =
        path.length === 1
          ? ['our gateway', 'upstreams']
          : ['our gateway', 'behind the proxy', 'upstreams', 'the cheap one']
      for (const comment of expected) expect(document.toString()).toContain(`# ${comment}`)
    }),
  )
})

test('rejects a setting at an impossible place and a broken file', () => {
  expect(() => setSetting(text, ['server', 'port', 'x'], 1)).toThrow('cannot stand there')
  expect(() => setSetting('a: [', ['b'], 1)).toThrow('broken already')
})

test.each([
  ['server.port', ['server', 'port']],
  ['models["gpt-4.1"].targets[0].weight', ['models', 'gpt-4.1', 'targets', 0, 'weight']],
  ['models.gpt-4o', ['models', 'gpt-4o']],
])('parses the path %s', (path, expected) => {
  expect(parsePath(path)).toEqual(expected)
})

test.each(['', 'a..b', 'a[', 'a["x]', 'a]'])('rejects the path %j', (path) => {
  expect(() => parsePath(path)).toThrow(/path/)
})

test('replaces a file atomically, keeping its mode and link', () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.yaml')
  const link = join(folder.path, 'link.yaml')
  writeFileSync(file, 'old', { mode: 0o640 })
  symlinkSync(file, link)
  replaceFile(link, 'new')
  expect(readFileSync(file, 'utf8')).toBe('new')
  expect(statSync(file).mode & 0o777).toBe(0o640)
  expect(readdirSync(folder.path).sort()).toEqual(['link.yaml', 'sluice.yaml'])
})

test('creates a file readable by its owner only', () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.yaml')
  replaceFile(file, 'new')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})
