import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { offeredBy } from '../../src/attempt/offered.ts'
import { providers } from '../../src/providers/index.ts'

const folder = join(import.meta.dirname, '../../src/providers')
/** Files that are not entries of the catalogue. */
const others = [
  'aws-identity.ts',
  'aws-signature.ts',
  'catalogue.ts',
  'compatible.ts',
  'google-access.ts',
  'index.ts',
  'provider.ts',
  'retirements.ts',
  'routing-fields.ts',
]
const linesMax = 60

describe('the catalogue', () => {
  it('has at least forty providers, each in a file of its own name', () => {
    const files = readdirSync(folder).filter(
      (name) => name.endsWith('.ts') && !others.includes(name),
    )
    expect(files.length).toBeGreaterThanOrEqual(40)
    expect([...providers.keys()].toSorted()).toEqual(
      files.map((name) => name.replace(/\.ts$/, '')).toSorted(),
    )
  })

  it.each([...providers.values()])('$id is well formed', (provider) => {
    const { id, baseUrl, environment, local } = provider
    expect(provider.name).not.toBe('')
    const text = readFileSync(join(folder, `${id}.ts`), 'utf8')
    expect(text.split('\n').length).toBeLessThanOrEqual(linesMax)
    expect(text).toContain(`id: '${id}'`)

    expect(baseUrl).toMatch(
      local === true
        ? /^http:\/\/127\.0\.0\.1:\d+(\/\w+)?$/
        : /^https:\/\/[^/\s]+(\/[^\s]*[^/\s])?$/,
    )
    expect(URL.canParse(baseUrl.replace(/\{\w+\}/g, 'x'))).toBe(true)
    expect(provider.documentation).toMatch(/^https:\/\/\S+[^/]$/)
    expect(environment.length > 0).toBe(local !== true)
    for (const name of [...environment, ...Object.values(provider.settingsFrom ?? {}).flat()])
      expect(name).toMatch(/^(?:[A-Z][A-Z0-9_]+|https?_proxy|no_proxy)$/)

    for (const operation of provider.operations ?? [])
      expect(offeredBy(provider, operation), operation).toBeDefined()
    for (const model of provider.models ?? []) expect(model.id).toMatch(/\S/)
  })

  it.each([...providers.values()])(
    '$id has a setting for every placeholder of its base URL',
    (provider) => {
      const settings = { ...provider.settingsFrom, ...provider.settings }
      for (const [, name] of provider.baseUrl.matchAll(/\{(\w+)\}/g))
        expect(Object.keys(settings)).toContain(name)
    },
  )

  it('has no two providers with the same URL, key and protocol', () => {
    const seen = [...providers.values()].map(({ baseUrl, environment, local, id, protocol }) =>
      local === true ? id : `${baseUrl} ${environment.join()} ${protocol.id}`,
    )
    expect(new Set(seen).size).toBe(seen.length)
  })
})

describe('computed base URLs', () => {
  const at = (id: string, settings: Readonly<Record<string, string>>) =>
    providers.get(id)?.baseUrlFrom?.(settings)
  it.each([
    ['google-vertex', {}, 'https://aiplatform.googleapis.com'],
    ['google-vertex', { region: 'europe-west1' }, 'https://europe-west1-aiplatform.googleapis.com'],
    [
      'databricks',
      { resource: 'https://dbc-1.cloud.databricks.com/' },
      'https://dbc-1.cloud.databricks.com/serving-endpoints',
    ],
    [
      'databricks',
      { resource: 'dbc-1.cloud.databricks.com' },
      'https://dbc-1.cloud.databricks.com/serving-endpoints',
    ],
    ['azure-openai', { endpoint: 'https://x.openai.azure.com/' }, 'https://x.openai.azure.com'],
    ['azure-openai', {}, undefined],
  ])('of %s with %j', (id, settings, url) => {
    expect(at(id, settings)).toBe(url)
  })
})
