import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { parseAppliedFiles } from '../../src/cli/apply/file.ts'
import { parseConfig } from '../../src/config/file.ts'
import { findLiterals, referenceIn } from '../../src/config/literals.ts'
import { CommandError } from '../../src/cli/command-error.ts'
import { ConfigError } from '../../src/config/config-error.ts'
import '../../../../test/support/property-limits.ts'

function refusal(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof ConfigError || error instanceof CommandError) return error.message
    throw error
  }
  return 'not refused'
}

const messageOf = (text: string): string => refusal(() => parseConfig(text, 'sluice.yaml', {}))

const references = [
  ['os.environ/ACME_KEY', 'ACME_KEY'],
  ['os.environ["ACME_KEY"]', 'ACME_KEY'],
  ["os.getenv('ACME_KEY')", 'ACME_KEY'],
  ['process.env.ACME_KEY', 'ACME_KEY'],
  ['$ACME_KEY', 'ACME_KEY'],
  ['$(ACME_KEY)', 'ACME_KEY'],
  ['$env:ACME_KEY', 'ACME_KEY'],
  ['%ACME_KEY%', 'ACME_KEY'],
  ['{{ ACME_KEY }}', 'ACME_KEY'],
  ['{{ .Env.ACME_KEY }}', 'ACME_KEY'],
  ['https://{{ACME_HOST}}/v1', 'ACME_HOST'],
  ['env:ACME_KEY', 'ACME_KEY'],
  ['env://ACME_KEY', 'ACME_KEY'],
  ['env.ACME_KEY', 'ACME_KEY'],
  ['env(ACME_KEY)', 'ACME_KEY'],
  ['ENV[ACME_KEY]', 'ACME_KEY'],
  ['!ENV ${ACME_KEY}', 'ACME_KEY'],
  ['${env:ACME_KEY}', 'ACME_KEY'],
  ['${ACME_KEY:sk-default}', 'ACME_KEY'],
  ['${{ secrets.ACME_KEY }}', 'ACME_KEY'],
  ['vault:secret/data/acme#key', 'NAME'],
  ['secret:acme-key', 'NAME'],
  ['secret://acme-key', 'NAME'],
  ['op://vault/acme/key', 'NAME'],
  ['aws-secretsmanager:acme', 'NAME'],
] as const

describe.each(references)('rejects a reference of another program: %s', (text, name) => {
  const quoted = JSON.stringify(text)

  it.each([
    ['a key', `keys: [{ name: a, key: ${quoted} }]`, 'sluice.yaml:1:19: keys[0].key'],
    ['a key of a provider', `providers: { acme: { key: ${quoted} } }`, 'providers.acme.key'],
    ['one of several', `providers: { acme: { keys: [a, ${quoted}] } }`, 'providers.acme.keys[1]'],
    ['a URL', `providers: { acme: { baseUrl: ${quoted} } }`, 'providers.acme.baseUrl'],
    ['a header', `providers: { acme: { headers: { x-a: ${quoted} } } }`, 'headers.x-a'],
    ['a database', `storage: { url: ${quoted} }`, 'storage.url'],
    ['an alias', `models: { fast: ${quoted} }`, 'models.fast'],
    ['a target', `models: { fast: { targets: [{ target: ${quoted} }] } }`, 'targets[0].target'],
    ['a model', `providers: { acme: { models: [{ id: ${quoted} }] } }`, 'models[0].id'],
  ])('as %s', (_, written, place) => {
    expect(messageOf(written)).toContain(place)
    expect(messageOf(written)).toContain(`write \${${name}}`)
  })

  it('in a file for sluice apply', () => {
    const files = [{ name: '', text: `teams: [{ name: ${quoted} }]` }]
    expect(refusal(() => parseAppliedFiles(files))).toContain(
      'teams[0].name is a reference, which would be taken literally: write the value itself',
    )
  })
})

test('rejects a YAML tag of another program', () => {
  expect(messageOf('keys: [{ name: a, key: !ENV ACME }]')).toContain('write ${NAME}')
})

describe('rejects patterns where a name is required', () => {
  it.each([
    ['models: { "wild/*/*": "p/*" }', 'models["wild/*/*"]'],
    ['models: { "gpt-.*": "p/*" }', 'models["gpt-.*"]'],
    ['models: { "gpt-?": p/m }', 'models["gpt-?"]'],
    ['models: { "^gpt-.*$": p/m }', 'models["^gpt-.*$"]'],
    ['models: { "(a|b)": p/m }', 'models["(a|b)"]'],
    ['models: { "f*": "p/*-?" }', 'models["f*"]'],
    ['models: { "f*": { targets: [{ target: "p/*/*" }] } }', 'models["f*"].targets[0].target'],
    ['models: { "f*": { targets: ["p/*"], fallback: ["p/**"] } }', 'fallback[0]'],
    ['models: { "f*": { targets: ["p/*"], longer: ["p/(a|b)"] } }', 'longer[0]'],
    ['defaultModel: "f*"', 'defaultModel'],
    ['providers: { acme: { models: ["*"] } }', 'providers.acme.models[0]'],
    ['providers: { acme: { models: [{ id: a, upstream: "a-*" }] } }', 'models[0].upstream'],
    ['builtin: { aliases: { "gpt-*": builtin-chat } }', 'builtin.aliases["gpt-*"]'],
    ['keys: [{ name: a, key: sk-1, models: ["*-mini"] }]', 'keys[0].models[0]'],
    ['keys: [{ name: a, key: sk-1, models: ["gpt-.*"] }]', 'keys[0].models[0]'],
    ['prices: { "openai/*-mini": { input: 1 } }', 'prices["openai/*-mini"]'],
  ])('%s', (text, place) => {
    const message = messageOf(text)
    expect(message).toContain(place)
    expect(message).toMatch(/is a pattern.*(?:write|name)/)
  })

  it.each([
    'routes: { "wild/*/*": "p/*" }',
    'routes: { fast: "p/?" }',
    'teams: [{ name: a, models: ["*-mini"] }]',
  ])('in a file for sluice apply: %s', (text) => {
    expect(refusal(() => parseAppliedFiles([{ name: '', text }]))).toContain('is a pattern')
  })
})

describe('rejects what contradicts itself in routes', () => {
  it.each([
    ['models: { "*": p/m }', 'models["*"] has no *'],
    ['models: { fast: "p/*" }', 'models.fast has a *'],
    ['models: { "f*": "*/m" }', 'models["f*"] must name the provider'],
    ['models: { "f*": { targets: ["p/*", "p/m"] } }', 'models["f*"].targets[1] has no *'],
    ['models: { fast: { targets: ["p/m"], longer: ["p/*"] } }', 'models.fast.longer[0] has a *'],
    ['models: { fast: { targets: ["p/m"], longer: ["p/m"] } }', 'models.fast.longer[0] is'],
    ['models: { fast: { targets: ["p/m"], longer: ["fast"] } }', 'models.fast.longer[0] is'],
    [
      'models: { fast: { targets: ["p/m"], defaults: { max_tokens: 1, max_completion_tokens: 1 } } }',
      'models.fast.defaults.max_tokens must not stand beside max_completion_tokens',
    ],
    [
      'models: { fast: { targets: ["p/m"], choose: weight, strategy: latency } }',
      'models.fast.choose must not stand beside strategy',
    ],
    [
      'defaults: { choose: least-busy, sticky: true }',
      'defaults.choose must not stand beside sticky',
    ],
    ['models: { fast: { targets: ["p/m"], defaults: { model: p/m } } }', 'defaults.model is not'],
    [
      'models: { fast: { targets: ["p/m"], defaults: { stream: true } } }',
      'defaults.stream is not',
    ],
    [
      'models: { fast: { targets: ["p/m"], defaults: { temprature: 1 } } }',
      'Did you mean "temperature"?',
    ],
    ['models: { fast: { targets: ["p/m"], defaults: { temperature: } } }', 'defaults.temperature'],
  ])('%s', (text, problem) => {
    expect(messageOf(text)).toContain(problem)
  })
})

test.each([
  'models: { "wild/*": "p/*", "*": { targets: ["p/x-*"], fallback: [fast], longer: ["q/*"] }, fast: p/m }',
  'models: { fast: { targets: ["p/m"], choose: least-busy, defaults: { stop: ["$1", "a|b*"] } } }',
  'keys: [{ name: "a team (b|c)?", key: "sk-$1x$Y-%20", models: ["openai/*", "gpt-*", "*", "fast"] }]',
  'jwt: [{ issuer: "https://id.example.com/?a=b", audience: "*", jwksUrl: "https://id.example.com/keys", models: ["openai/*"] }]',
  'providers: { acme: { type: openai, baseUrl: "https://a.example/v1?x=1", key: "p4$$w0rd%$", models: ["org/model:7b@2026", "claude[1m]", "accounts/x/models/y"] } }',
  'models: { "gpt-4o:free": "openrouter/openai/gpt-4o:free", "a/b@c": "vertex/claude@20260101", environment: p/env-model, "secretary": p/secret-model }',
  'prices: { "openai/*": { input: 1 }, "openai/gpt-*": { input: 2 } }',
  'keys: [{ name: a, key: "$${ESCAPED}" }, { name: b, key: "${UNSET:-sk-1}" }]',
  'providers: { acme: { type: openai, baseUrl: "http://a.example", headers: { x-query: "a=*&b=?" } } }',
])('accepts ordinary settings: %s', (text) => {
  expect(parseConfig(text, 'sluice.yaml', {})).toBeDefined()
})

test('never takes an ordinary key for a reference', () => {
  const unit = fc.constantFrom(...'abcXYZ019-_.:/+=$@!#&'.split(''))
  const prefixed = fc.tuple(fc.constantFrom('sk-', 'AIza', 'gsk_', 'xai-'), fc.string({ unit }))
  fc.assert(
    fc.property(prefixed, ([prefix, rest]) => {
      expect(referenceIn(prefix + rest)).toBeUndefined()
    }),
  )
})

test('never takes a model id for a pattern or a reference', () => {
  const id = fc.stringMatching(/^[a-z0-9][A-Za-z0-9._:@/-]{0,40}[a-z0-9]$/)
  fc.assert(
    fc.property(id, (name) => {
      fc.pre(!/^(?:env|vault|secrets?|op|kv|sm|ssm|sops|bws|gsm|aws|gcp)[.:/]/i.test(name))
      const models = { [name]: `p/${name}` }
      expect(findLiterals({ models, providers: { p: { models: [name] } } })).toEqual([])
    }),
  )
})

describe('rejects settings of another program', () => {
  it.each([
    [
      'LiteLLM',
      'model_list:\n  - model_name: gpt-4o\n    litellm_params: { model: openai/gpt-4o, api_key: os.environ/OPENAI_API_KEY }',
    ],
    ['LiteLLM', 'litellm_settings: { drop_params: true }'],
    ['LiteLLM', 'general_settings: { master_key: sk-1234 }'],
    ['Portkey', '{ "strategy": { "mode": "fallback" }, "targets": [{ "provider": "openai" }] }'],
    ['Bifrost', '{ "providers": { "openai": { "keys": [{ "value": "env.OPENAI_API_KEY" }] } } }'],
  ])('%s: %s', (program, text) => {
    const message = messageOf(text)
    expect(message).toMatch(/^sluice\.yaml:1:\d+: /)
    expect(message).toContain(`belongs to a ${program} configuration`)
    const way =
      program === 'LiteLLM' ? 'sluice import litellm' : 'models: { fast: openai/gpt-6-luna }'
    expect(message).toContain(way)
  })
})
