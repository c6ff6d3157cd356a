import { expect, test } from 'vitest'
import { createConfig } from '../../sluice/src/config/config.ts'
import { readEnvironment } from '../../sluice/src/config/env.ts'
import { parseConfig } from '../../sluice/src/config/file.ts'
import { retirementOf, retiringModels } from '../src/route/retirement.ts'
import { configuredUpstreams } from '../src/route/upstreams.ts'
import { providers } from '../src/providers/index.ts'

function configured(yaml: string) {
  const config = createConfig(readEnvironment({}), parseConfig(yaml, 'sluice.yaml', {}), 'x')
  return { config, upstreams: configuredUpstreams(config, providers) }
}

const textsOf = (yaml: string, today: string) => {
  const { config, upstreams } = configured(yaml)
  return retiringModels(config, upstreams, today).map(({ text }) => text)
}

test('lists retiring targets, fallbacks and models with their dates, including the day itself', () => {
  const yaml = `
providers:
  openai: { key: k, models: [{ id: quick, upstream: gpt-4o-mini }, gpt-6-luna] }
  anthropic: { key: k }
models:
  one: anthropic/claude-sonnet-4-5
  many: { targets: [{ target: openai/gpt-6-luna }, { target: openai/gpt-4-turbo }], fallback: [openai/o3, one] }
`
  expect(textsOf(yaml, '2026-11-29')).toEqual([
    'models.one leads to anthropic/claude-sonnet-4-5, which Anthropic retires on 2026-11-30',
    'models.many leads to openai/gpt-4-turbo, which OpenAI retired on 2026-10-23',
    'models.many leads to openai/o3, which OpenAI retires on 2026-12-11',
    'providers.openai lists quick, which OpenAI retires on 2027-01-14',
  ])
  expect(textsOf(yaml, '2026-11-30')[0]).toContain('retired on 2026-11-30')
})

test.each([
  ['of another maker', 'house: { type: openai, baseUrl: "http://house.example/v1", key: k }'],
  ['at another address', 'house: { kind: openai, baseUrl: "http://house.example/v1", key: k }'],
  ['on another platform', 'house: { kind: google-vertex-anthropic, key: k, project: p }'],
])('does not list a model of the same name %s', (_, provider) => {
  const yaml = `
providers: { ${provider} }
models: { one: house/gpt-4o, two: house/claude-sonnet-4-5 }
`
  expect(textsOf(yaml, '2027-06-01')).toEqual([])
})

test('a provider under another name has the dates of its kind', () => {
  const { upstreams } = configured('providers: { house: { kind: google, key: k } }')
  expect(retirementOf(upstreams.get('house')!, 'gemini-2.5-flash')).toBe('2026-12-01')
  expect(retirementOf(upstreams.get('house')!, 'gemini-3.8-flash')).toBeUndefined()
})
