import { expect, test } from 'vitest'
import { similarName } from '../../../gateway/src/settings/similar-name.ts'

const names = [
  'serve',
  'keys',
  'models',
  'baseUrl',
  'SLUICE_PORT',
  'SLUICE_HOST',
  'gpt-4o',
  'gpt-4o-mini',
  'a',
]

test.each([
  ['sreve', 'serve'],
  ['baseURL', 'baseUrl'],
  ['base_url', 'baseUrl'],
  ['SLUICE_PROT', 'SLUICE_PORT'],
  ['SLUICE_POST', 'SLUICE_PORT'],
  ['gpt4o', 'gpt-4o'],
  ['gpt-4o-mni', 'gpt-4o-mini'],
  ['key', 'keys'],
  ['apiKeys', 'keys'],
  ['api_keys', 'keys'],
  ['UPSTREAM_KEYS', 'keys'],
  ['serve', undefined],
  ['monkeys', undefined],
  ['b', undefined],
  ['nonsense', undefined],
  ['', undefined],
  ['x'.repeat(10_000), undefined],
])('the suggestion for %s is %s', (name, similar) => {
  expect(similarName(name, names)).toBe(similar)
})
