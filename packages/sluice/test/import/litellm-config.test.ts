// Settings files of LiteLLM as people have them, written anew: what they become, and what the report says of every field.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { LineCounter, parse, parseDocument } from 'yaml'
import { fakeUpstream, json } from '../../../../test/support/fakes/fake-upstream.ts'
import { chatReply } from '../../../../test/support/fakes/openai-wire.ts'
import { start } from '../../../../test/support/start.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { certificate } from '../../../../test/support/servers/certificates.ts'
import { providers } from '../../../gateway/src/providers/index.ts'
import { check } from '../../src/cli/check.ts'
import { importLitellmConfig } from '../../src/cli/import/litellm-config.ts'
import { kindAt, prefixRules } from '../../src/cli/import/litellm-providers.ts'
import { formatReport } from '../../src/cli/import/report.ts'
import { readEnvironment } from '../../src/config/env.ts'
import type { ConfigFile } from '../../src/config/schema.ts'

const folder = join(import.meta.dirname, 'litellm')
const names = readdirSync(folder).flatMap((file) => /^(.+)\.config\.yaml$/.exec(file)?.[1] ?? [])
const textOf = (name: string) => readFileSync(join(folder, `${name}.config.yaml`), 'utf8')

/** What no file loses by not being taken: it is about LiteLLM itself, or says what is so anyway. */
const ofLitellm =
  /^(?:general_settings\.(?:master_key|database_url|store_model_in_db)|litellm_settings\.set_verbose|.*model_info\.id|credential_list\[\d+\]\.credential_info)$/

describe.each(names)('%s', (name) => {
  const imported = importLitellmConfig(textOf(name), `${name}.config.yaml`)

  test('becomes the settings beside it', async () => {
    await expect(imported.yaml).toMatchFileSnapshot(join(folder, `${name}.sluice.yaml`))
  })

  test('has a report of every field with its line', async () => {
    const report = `${formatReport(imported.report)}\n`
    await expect(report).toMatchFileSnapshot(join(folder, `${name}.report.txt`))
    const lines = new LineCounter()
    parseDocument(textOf(name), { lineCounter: lines })
    const last = lines.linePos(textOf(name).length).line
    for (const { place, note } of imported.report) {
      const line = Number(/:(\d+)$/.exec(place)?.[1])
      expect(line).toBeGreaterThan(0)
      expect(line).toBeLessThanOrEqual(last)
      expect(note).not.toBe('sluice import does not know this field')
    }
    const fields = imported.report.map(({ field }) => field)
    expect(fields).toEqual([...new Set(fields)])
    for (const leaf of leavesOf(parseDocument(textOf(name), { merge: true }).toJS()))
      expect(
        fields.filter(
          (field) => leaf === field || leaf.startsWith(`${field}.`) || leaf.startsWith(`${field}[`),
        ),
        leaf,
      ).toHaveLength(1)
  })

  test('is accepted by sluice check', async () => {
    using home = temporaryFolder()
    const authority = join(home.path, 'authority.pem')
    writeFileSync(authority, certificate('acme', { isAuthority: true }).cert)
    const file = join(home.path, 'sluice.yaml')
    writeFileSync(file, imported.yaml)
    const referred = [...imported.yaml.matchAll(/\$\{(\w+)\}/g)].map(([, one = '']) => one)
    const value = (variable: string) =>
      variable.endsWith('_CA') ? authority : variable.endsWith('_URL') ? 'redis://127.0.0.1' : 'v'
    const environment = readEnvironment({
      ...Object.fromEntries(referred.map((one) => [one, value(one)])),
      SLUICE_CONFIG: file,
      SLUICE_DATA: join(home.path, 'data'),
    })
    const { isFine = true, text } = await check(environment, { json: true })
    expect(isFine, text).toBe(true)
  })
})

test('at least nine of twelve files are taken whole', () => {
  expect(names).toHaveLength(12)
  const whole = names.filter((name) =>
    importLitellmConfig(textOf(name), name).report.every(
      ({ verdict, field }) => verdict !== 'not taken' || ofLitellm.test(field),
    ),
  )
  expect(whole.length).toBeGreaterThanOrEqual(9)
})

test('every provider of the catalogue is meant by a prefix of LiteLLM or found by its address', () => {
  const meant = new Set(Object.values(prefixRules).map(({ kind }) => kind))
  // By a model, by a version of the API, or a server of one's own, which type: openai reaches.
  const others = new Set(['google-vertex-anthropic', 'azure-openai-v1', 'openai-responses'])
  const missing = [...providers.values()].filter(
    ({ id, baseUrl, local }) =>
      !meant.has(id) && !others.has(id) && local !== true && kindAt(baseUrl) !== id,
  )
  expect(missing.map(({ id }) => id)).toEqual([])
  for (const { kind } of Object.values(prefixRules))
    if (kind !== undefined) expect([...providers.keys()]).toContain(kind)
})

/** The names of all values, a list of plain values as one. */
function leavesOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value) && value.some((one) => typeof one === 'object'))
    return value.flatMap((one, index) => leavesOf(one, `${path}[${index}]`))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path]
  return Object.entries(value).flatMap(([name, one]) =>
    leavesOf(
      one,
      `${path}${/^[\w-]+$/.test(name) ? `${path === '' ? '' : '.'}${name}` : `["${name}"]`}`,
    ),
  )
}

describe('single settings', () => {
  const deployment = (params: string, further = '') =>
    `model_list:\n  - model_name: m\n    litellm_params: {${params}}\n${further}`
  const settingsOf = (text: string) =>
    parseDocument(importLitellmConfig(text, 'config.yaml').yaml).toJS() as {
      readonly providers: Readonly<Record<string, object>>
      readonly models: Readonly<Record<string, unknown>>
    }

  test.each<[params: string, provider: object, target: string]>([
    [
      'model: azure/d1, api_base: https://a.openai.azure.com',
      { 'azure-openai': { baseUrl: 'https://a.openai.azure.com', key: '${AZURE_API_KEY}' } },
      'azure-openai/d1',
    ],
    [
      'model: azure/d1, api_base: https://a.openai.azure.com/openai/v1/, api_key: k',
      { 'azure-openai-v1': { baseUrl: 'https://a.openai.azure.com/openai/v1', key: 'k' } },
      'azure-openai-v1/d1',
    ],
    [
      'model: azure_ai/deepseek-v3, api_base: https://f.services.ai.azure.com/models, api_key: k',
      { 'azure-openai-v1': { baseUrl: 'https://f.services.ai.azure.com/openai/v1', key: 'k' } },
      'azure-openai-v1/deepseek-v3',
    ],
    [
      'model: bedrock/eu-west-1/anthropic.claude-v2, api_key: k',
      { 'amazon-bedrock': { region: 'eu-west-1', key: 'k' } },
      'amazon-bedrock/anthropic.claude-v2',
    ],
    [
      'model: huggingface/together/meta-llama/Llama-3, api_key: k',
      { huggingface: { key: 'k' } },
      'huggingface/meta-llama/Llama-3:together',
    ],
    [
      'model: openai/gpt-6-sol, api_base: https://api.openai.com/v1, api_key: k',
      { openai: { key: 'k' } },
      'openai/gpt-6-sol',
    ],
    [
      'model: my-model, custom_llm_provider: openai, api_base: "http://h:1/v1"',
      { h: { type: 'openai', baseUrl: 'http://h:1/v1' } },
      'h/my-model',
    ],
    [
      'model: hosted_vllm/m, api_base: os.environ/VLLM_BASE',
      { vllm: { baseUrl: '${VLLM_BASE}' } },
      'vllm/m',
    ],
    ['model: command-r, api_key: "a${B}"', { cohere: { key: 'a$${B}' } }, 'cohere/command-r'],
    ['model: openai/responses/gpt-5.5, api_key: k', { openai: { key: 'k' } }, 'openai/gpt-5.5'],
  ])('%s', (params, provider, target) => {
    const settings = settingsOf(deployment(params))
    expect(settings.providers).toEqual(provider)
    expect(settings.models).toEqual({ m: target })
  })

  test.each([
    ['model: acme/m', 'there is no provider for acme/'],
    ['model: something', 'names no provider'],
    ['api_key: k', 'no litellm_params.model'],
    ['model: custom_openai/m', 'needs an address'],
    ['model: vertex_ai/meta/llama-4', 'neither'],
  ])('%s is not taken, and the report says why', (params, why) => {
    const { report } = importLitellmConfig(deployment(params), 'config.yaml')
    expect(report).toMatchObject([
      {
        place: 'config.yaml:2',
        field: 'model_list[0]',
        verdict: 'not taken',
        note: expect.stringContaining(why) as string,
      },
    ])
  })

  test('an alias has the fallbacks of its model', () => {
    const text = deployment(
      'model: openai/a, api_key: k',
      '  - model_name: n\n    litellm_params: {model: openai/b, api_key: k}\nrouter_settings: {model_group_alias: {x: m}, fallbacks: [{m: [n, gone]}], default_fallbacks: [n]}\n',
    )
    expect(settingsOf(text).models).toEqual({
      m: { targets: ['openai/a'], fallback: ['n'] },
      n: 'openai/b',
      x: { targets: ['openai/a'], fallback: ['n'] },
    })
  })

  test('calls go where LiteLLM sent them, with the defaults of the name', async () => {
    await using upstream = await fakeUpstream((_seen, response) => json(response, chatReply('Hi')))
    const text = deployment(
      `model: openai/own-model, api_base: ${upstream.url}, api_key: upstream-key, temperature: 0.2`,
    )
    await using gateway = await start(parse(importLitellmConfig(text, 'c.yaml').yaml) as ConfigFile)
    const messages = [{ role: 'user', content: 'Hi' }]
    expect((await gateway.post('/v1/chat/completions', { model: 'm', messages })).status).toBe(200)
    expect(upstream.seen).toMatchObject([
      {
        headers: { authorization: 'Bearer upstream-key' },
        body: { model: 'own-model', temperature: 0.2 },
      },
    ])
  })

  test('a wildcard leads to a wildcard only, and * to the default model', () => {
    const text = deployment(
      'model: openai/a, api_key: k',
      '  - model_name: w/*\n    litellm_params: {model: openai/b, api_key: k}\n  - model_name: x/*\n    litellm_params: {model: openai/*, api_key: k}\n  - model_name: "*"\n    litellm_params: {model: openai/c, api_key: k}\n',
    )
    const { yaml, report } = importLitellmConfig(text, 'c.yaml')
    expect(parseDocument(yaml).toJS()).toMatchObject({
      models: { m: 'openai/a', 'x/*': 'openai/*' },
      defaultModel: 'openai/c',
    })
    expect(report.filter(({ verdict }) => verdict === 'not taken')).toMatchObject([
      { place: 'c.yaml:4', field: 'model_list[1]' },
    ])
  })

  test('unknown fields, a broken text and an empty file', () => {
    const { report } = importLitellmConfig('wonder: {a: 1}\nlitellm_settings: {b: [1]}\n', 'c.yaml')
    expect(report).toEqual([
      {
        place: 'c.yaml:1',
        field: 'wonder.a',
        verdict: 'not taken',
        note: 'sluice import does not know this field',
      },
      {
        place: 'c.yaml:2',
        field: 'litellm_settings.b',
        verdict: 'not taken',
        note: 'sluice import does not know this field',
      },
    ])
    expect(() => importLitellmConfig('a: [\n', 'c.yaml')).toThrow(/^c\.yaml:\d: /)
    expect(importLitellmConfig('', 'c.yaml').report).toEqual([])
  })
})
