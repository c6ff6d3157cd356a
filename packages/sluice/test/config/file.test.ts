import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseConfig } from '../../src/config/file.ts'
import { parseBudget } from '../../../gateway/src/accounts/budget-text.ts'
import { publishedSchema } from '../../src/config/schema.ts'

const read = (text: string, variables = {}) => parseConfig(text, 'sluice.yaml', variables)

const everything = `# yaml-language-server: $schema=./sluice.schema.json
server: { host: 0.0.0.0, port: 9000, publicUrl: https://m.example.com, bodyLimitBytes: 1000, requestTimeoutMs: 5000, stopTimeoutMs: 60000, allowPrivateMedia: true }
limits: { requestsPerMinute: 60, concurrentRequests: 100 }
builtin:
  enabled: always
  aliases: { my-model: builtin-chat }
providers:
  openai: { keys: [one, two], timeouts: { connectMs: 1000 } }
  acme:
    type: openai
    baseUrl: https://acme.example.com/v1
    key: \${ACME_KEY}
    headers: { x-team: "a" }
    models: [small, { id: big, upstream: big-2, inputTokenLimit: 1000, outputTokenLimit: 100, operations: [chat] }]
  cloud: { kind: bedrock, region: eu-west-1, enabled: false }
  tail: { type: ai-sdk, package: "@ai-sdk/mistral" }
models:
  quick: acme/small
  fast:
    targets: [{ target: acme/small, weight: 2 }, { target: openai/gpt-4o-mini, priority: 1, timeouts: { totalMs: 9000 } }]
    fallback: [quick, openai/gpt-4o]
    retries: { attempts: 3, baseMs: 100, maxMs: 1000 }
    unsupported: report
    hedge: { enabled: true, percentile: 95 }
    sticky: true
    strategy: latency
    timeouts: { headersMs: 1, firstTokenMs: 2, idleMs: 3 }
    breaker: { failures: 5, windowMs: 10000, cooldownMs: 20000 }
defaults: { unsupported: report }
keys: [{ name: team, key: "\${TEAM_KEY:-sk-abc}", models: ["acme/*"], requestsPerMinute: 10 }]
log: { level: debug, file: sluice.log }
`

test('reads a file with every setting', () => {
  const config = read(everything, { ACME_KEY: 'secret' })
  expect(config.providers?.['acme']?.key).toBe('secret')
  expect(config.keys?.[0]?.key).toBe('sk-abc')
  expect(config.models?.['quick']).toBe('acme/small')
  expect(config.models?.['fast']).toMatchObject({ strategy: 'latency', sticky: true })
})

test('the published schema is up to date', () => {
  const published = readFileSync(new URL('../../../../sluice.schema.json', import.meta.url), 'utf8')
  expect(
    JSON.parse(published),
    'run: node bin/sluice.cjs config schema > sluice.schema.json && npm run format',
  ).toEqual(JSON.parse(publishedSchema()))
  const check = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(JSON.parse(published))
  check(parse(everything))
  expect(check.errors).toBeNull()
  expect(check({ server: { prot: 1 } })).toBe(false)
})

test.each(['', '# only a comment\n', '---\n', '{}'])('reads %j as empty settings', (text) => {
  expect(read(text)).toEqual({})
})

test('supports anchors and merge keys', () => {
  const config = read(`
models:
  a: &slow { targets: [{ target: p/m }], timeouts: { totalMs: 5 } }
  b: { <<: *slow, sticky: true }
`)
  expect(config.models?.['b']).toEqual({
    targets: [{ target: 'p/m' }],
    timeouts: { totalMs: 5 },
    sticky: true,
  })
})

test.each([
  ['server: {prot: 1}', 'sluice.yaml:1:10: server.prot is not a setting'],
  ['server:\n  port: abc', 'sluice.yaml:2:3: server.port must be a whole number, got a string'],
  ['server: {port: 70000}', 'sluice.yaml:1:10: server.port must be <= 65535, got 70000'],
  ['server: 5', 'sluice.yaml:1:1: server must be a map, got a number'],
  ['- a', 'sluice.yaml:1:1: the settings file must be a map, got a list'],
  ['models:\n  x: 3', 'sluice.yaml:2:3: models.x must be a string or a map, got a number'],
  ['models:\n  y: foo', 'sluice.yaml:2:3: models.y must have the form provider/model'],
  ['models:\n  z: {}', 'sluice.yaml:2:3: models.z must have targets'],
  [
    'models:\n  gpt-4.1:\n    targets:\n      - target: a/b\n        wieght: 2',
    'sluice.yaml:5:9: models["gpt-4.1"].targets[0].wieght is not a setting',
  ],
  ['keys:\n  - name: a', 'sluice.yaml:2:5: keys[0] must have key'],
  [
    'keys: [{name: a, key: b}, {name: a, key: c}]',
    'sluice.yaml:1:28: keys[1].name is the second "a"',
  ],
  ['x: 1\nx: 2', 'sluice.yaml:2:1: Map keys must be unique'],
  ['a: [', 'sluice.yaml:1:5: Flow sequence'],
  ['a: !thing b', 'sluice.yaml:1:4: Unresolved tag'],
  [
    'providers:\n  acme: {key: "$' + '{FOO}"}',
    'sluice.yaml:2:10: providers.acme.key needs the environment variable FOO, which is not set',
  ],
  ['providers: {acme: {key: a, keys: [b]}}', 'sluice.yaml:1:28: providers.acme.keys must not'],
  ['providers: {acme: {type: ai-sdk}}', 'sluice.yaml:1:13: providers.acme must have package'],
  ['providers: {acme: {kind: a, type: openai}}', 'providers.acme.type must not stand beside kind'],
  ['providers: {Acme: {}}', 'providers.Acme must be named in small letters'],
  ['log: {level: loud}', 'sluice.yaml:1:7: log.level must be one of fatal, error,'],
  ['server: {publicUrl: ftp://x}', 'server.publicUrl must be a URL that begins with http'],
  ['a: &a [x]\nb: [*a, *c]', 'sluice.yaml:2:9: *c names no anchor'],
])('%j', (text, message) => {
  expect(() => read(text)).toThrow(message)
})

test('reports all errors at once with their lines', () => {
  const wrong = Array.from({ length: 20 }, (_, n) => `  m${n}: { tragets: [] }`).join('\n')
  expect(() => read(`models:\n${wrong}\n`)).toThrow(
    /^(sluice\.yaml:\d+:\d+: models\.m\d+.* (must have targets|is not a setting\. .*)\n?){40}$/,
  )
})

test.each([
  ['10/day', true],
  ['10/8760h,tag=a,over=b', true],
  ['10/8761h', false],
  ['10/0h', false],
  ['10/year', false],
  ['10/day,tag=a,tag=b', false],
])('checks the budget %s of an issuer’s callers: %s', (budget, isOne) => {
  const text = `jwt: [{issuer: i, audience: a, jwksFile: f, budgets: ["${budget}"]}]`
  expect(parseBudget(budget) !== undefined).toBe(isOne)
  if (isOne) expect(read(text).jwt?.[0]?.budgets).toEqual([budget])
  else expect(() => read(text)).toThrow('jwt[0].budgets[0]')
})

test('rejects exponential aliases', () => {
  const levels = 'bcdefghij'.split('').map((name, n) => {
    const before = 'abcdefghi'[n]
    return `${name}: &${name} [${Array(9).fill(`*${before}`).join(', ')}]`
  })
  expect(() => read(`a: &a [x]\n${levels.join('\n')}`)).toThrow(
    'sluice.yaml:1:1: aliases of aliases',
  )
})

test('errors contain no secret', () => {
  const secret = 'sk-very-secret'
  for (const text of [
    'providers: {a: {key: {x: "$' + '{KEY}"}}}',
    'keys: ["$' + '{KEY}"]',
    'log: {level: "$' + '{KEY}"}',
    'server: {publicUrl: "$' + '{KEY}"}',
  ])
    try {
      read(text, { KEY: secret })
      expect.unreachable()
    } catch (error) {
      expect(String(error)).not.toContain(secret)
      expect(String(error)).toMatch(/sluice\.yaml:1/)
    }
})

test.each([
  ['$' + '{A}', 'one'],
  ['x-$' + '{A}-$' + '{B:-two}', 'x-one-two'],
  ['$' + '{EMPTY:-two}', 'two'],
  ['$$' + '{A}', '$' + '{A}'],
  ['$A {A}', '$A {A}'],
])('expands the reference %j to %j', (text, expected) => {
  const config = read(`log: { file: ${JSON.stringify(text)} }`, { A: 'one', EMPTY: '' })
  expect(config.log?.file).toBe(expected)
})

test('does not parse the value of a variable as YAML or expand it again', () => {
  const config = read('log: {file: "$' + '{A}"}', { A: '"}, server: {port: 1}, $' + '{B}' })
  expect(config).toEqual({ log: { file: '"}, server: {port: 1}, $' + '{B}' } })
})
