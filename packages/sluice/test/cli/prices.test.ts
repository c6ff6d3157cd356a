import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fakeUpstream, json } from '../../../../test/support/fakes/fake-upstream.ts'
import { ask, at, good } from '../../../../test/support/routes.ts'
import { runSluice } from '../../../../test/support/run-sluice.ts'
import { adminKey, start } from '../../../../test/support/start.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { checkPrices, showPrices, unknownPrices } from '../../src/cli/prices.ts'
import { updatePrices } from '../../src/cli/update-prices.ts'
import { readEnvironment } from '../../src/config/env.ts'
import { ownRows } from '../../../gateway/src/prices/own-rows.ts'

function environmentIn(folder: string, settings = '') {
  const file = join(folder, 'sluice.yaml')
  writeFileSync(file, settings)
  return readEnvironment({
    SLUICE_DATA: join(folder, 'data'),
    SLUICE_CONFIG: file,
    SLUICE_ADMIN_KEY: adminKey,
  })
}

describe('prices show', () => {
  test('prints the price of a target, its date and its source', async () => {
    using folder = temporaryFolder()
    const environment = environmentIn(folder.path)
    const { text, isFine } = await showPrices(environment, 'google/veo-3.1-generate-preview', {})
    expect(isFine).toBe(true)
    const [head, ...lines] = text.split('\n').map((line) => line.split(/  +/))
    expect(head).toEqual(['TARGET', 'FOR', 'PER', 'USD', 'DATE', 'SOURCE'])
    expect(lines[0]).toEqual([
      'google/veo-3.1-generate-preview',
      'videoSecond 1280x720',
      '1',
      '0.4',
      '2026-11-24',
      'https://ai.google.dev/gemini-api/docs/optimization, https://ai.google.dev/gemini-api/docs/pricing',
    ])
    expect(lines).toContainEqual(['', 'videoSecond 2160x3840', '1', '0.6'])
  })

  test('looks for a bare model name at every provider, and prefers sluice.yaml', async () => {
    using folder = temporaryFolder()
    const settings =
      'providers: { mine: { kind: openai, key: a } }\nprices: { "mine/*": { output: 7 } }\n'
    const { text } = await showPrices(environmentIn(folder.path, settings), 'gpt-4o-mini', {
      json: true,
    })
    const shown = JSON.parse(text) as { target: string; price: { rates: object; source: string } }[]
    const of = (name: string) => shown.find(({ target }) => target.split(', ').includes(name))
    expect(of('openai/gpt-4o-mini')?.price.rates).toMatchObject({ output: { usd: 0.6 } })
    expect(of('mine/gpt-4o-mini')?.price).toMatchObject({
      rates: { input: { usd: 0.15 }, output: { usd: 7 } },
      source: expect.stringMatching(/^genai-prices .*, sluice\.yaml$/),
    })
  })

  test('prints null for an unknown price', async () => {
    using folder = temporaryFolder()
    const environment = environmentIn(folder.path)
    const unknown = await showPrices(environment, 'jina/jina-reranker-v3', { json: true })
    expect(unknown.isFine).toBe(false)
    expect(JSON.parse(unknown.text)).toEqual([{ target: 'jina/jina-reranker-v3', price: null }])
  })

  test('without a model lists every row that is not from the library, with page and date', async () => {
    using folder = temporaryFolder()
    const settings = 'prices: { "mine/*": { output: 7 } }\n'
    const all = await showPrices(environmentIn(folder.path, settings), undefined, { json: true })
    const shown = JSON.parse(all.text) as { target: string; price: Record<string, string> }[]
    expect(shown).toHaveLength(ownRows.length + 1)
    expect(shown[0]).toMatchObject({ target: 'mine/*', price: { source: 'sluice.yaml' } })
    for (const { price } of shown.slice(1)) {
      expect(price['source']).toMatch(/^https:\/\//)
      expect(price['date']).toMatch(/^20\d\d-\d\d-\d\d$/)
    }
  })
})

test('prices unknown counts calls without a price, most frequent first', async () => {
  using folder = temporaryFolder()
  await using first = await fakeUpstream(good)
  await using gateway = await start({
    ...at({ first }),
    prices: { 'first/known': { input: 1, output: 1 } },
  })
  for (const model of ['known', 'one', 'two', 'two'])
    await gateway.post('/v1/chat/completions', { model: `first/${model}`, ...ask })
  const environment = environmentIn(folder.path)
  const { url } = gateway
  const told = await unknownPrices(environment, { url, json: true })
  expect([told.isFine, JSON.parse(told.text)]).toEqual([
    false,
    [
      { target: 'first/two', unknownCosts: 2, attempts: 2 },
      { target: 'first/one', unknownCosts: 1, attempts: 1 },
    ],
  ])
  expect((await unknownPrices(environment, { url })).text).toMatch(/first\/two +2 +2\n/)
  const before = await unknownPrices(environment, { url, from: '2020-01-01', to: '2020-01-02' })
  expect(before).toMatchObject({ isFine: true, text: expect.stringContaining('is known') })
})

describe('prices check', () => {
  const settings = `providers:
  openai: { key: a }
  amazon-bedrock: { key: b, models: [{ id: old, upstream: amazon.titan-embed-text-v9:0 }] }
  acme: { type: openai, baseUrl: http://127.0.0.1:1, key: c }
  azure-openai:
    key: d
    resource: r
    models:
      - { id: gpt-4o, upstream: my-deployment }
      - { id: helper, upstream: other-deployment, pricedAs: gpt-4o-mini }
      - { id: mine, upstream: third-deployment }
models:
  main: { targets: [{ target: openai/gpt-4o }, { target: acme/gpt-4o }, { target: builtin/builtin-chat }] }
  dated: openai/gpt-4o-2024-08-06
prices: { "acme/small": { input: 1, output: 1 } }
`

  test('lists targets without a price and those priced as another model', async () => {
    using folder = temporaryFolder()
    const environment = environmentIn(folder.path, settings)
    const { text, isFine } = await checkPrices(environment, { json: true })
    expect(isFine).toBe(false)
    expect(JSON.parse(text)).toEqual([
      { target: 'acme/gpt-4o', pricedAs: null, source: null, date: null },
      {
        target: 'amazon-bedrock/old',
        pricedAs: 'amazon.titan-embed-text-v1',
        source: expect.stringMatching(/^genai-prices .* \(as amazon\.titan-embed-text-v1\)$/),
        date: expect.any(String),
      },
      { target: 'azure-openai/mine', pricedAs: null, source: null, date: null },
    ])
    const table = await checkPrices(environment, {})
    expect(table.text).toMatch(/acme\/gpt-4o +unknown/)
  })

  test('passes if all targets have a price', async () => {
    using folder = temporaryFolder()
    const environment = environmentIn(
      folder.path,
      'providers: { openai: { key: a } }\nmodels: { main: openai/gpt-4o }\n',
    )
    expect((await checkPrices(environment, {})).isFine).toBe(true)
  })
})

describe('prices update', () => {
  const published = [
    {
      id: 'openai',
      name: 'OpenAI',
      api_pattern: 'https://api\\.openai\\.com',
      models: [
        {
          id: 'gpt-4o-mini',
          match: { equals: 'gpt-4o-mini' },
          prices: { input_mtok: 3, output_mtok: 9 },
        },
      ],
    },
  ]

  test('stores and applies the fetched prices', async () => {
    using folder = temporaryFolder()
    await using server = await fakeUpstream((_request, response) => json(response, published))
    const environment = environmentIn(folder.path)
    const drawn: string[] = []
    const screen = { isTTY: true, write: (text: string) => drawn.push(text) }
    const said = await updatePrices(environment, { from: `${server.url}/data.json`, screen })
    expect(drawn[0]).toContain('0 s, prices are fetched')
    expect(drawn.at(-1)).toBe('\r\u001b[K')
    const file = join(folder.path, 'data', 'prices.json')
    expect(said).toContain(`Kept the prices of 1 providers in ${file}`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    // In a process of its own: the library keeps the prices that it was given last.
    const shown = await runSluice(['prices', 'show', 'openai/gpt-4o-mini'], {
      folder: folder.path,
      variables: { SLUICE_DATA: join(folder.path, 'data') },
    })
    expect(shown.stdout).toMatch(/input +1,000,000 +3 +20\d\d-\d\d-\d\d +genai-prices, fetched/)
  })

  test.each([
    ['invalid JSON', '<html>', 'is not a list of prices'],
    ['an empty list', '[]', 'is not a list of prices'],
    ['models without prices', '{"data":[{"id":"a/b","pricing":{}}]}', 'is not a list of prices'],
    ['a list of an unknown kind', '[{"id":"a","pricing":{"prompt":"1"}}]', '--provider'],
    ['a list that the library cannot use', '[{"id":"openai","models":7}]', 'cannot be used'],
  ])('rejects %s', async (_name, content, message) => {
    using folder = temporaryFolder()
    const environment = environmentIn(folder.path)
    const from = join(folder.path, 'given.json')
    writeFileSync(from, content)
    await expect(updatePrices(environment, { from })).rejects.toThrow(message)
    expect(() => readFileSync(join(folder.path, 'data', 'prices.json'))).toThrow('ENOENT')
  })

  test('stores the price list of a router', async () => {
    using folder = temporaryFolder()
    const list = {
      data: [
        {
          id: 'acme/one',
          pricing: {
            prompt: '0.0000025',
            completion: '0.00001',
            input_cache_read: '0.00000025',
            request: '0',
            image: '0.003613',
            web_search: '0.005',
          },
        },
        { id: 'acme/free', pricing: { prompt: '0', completion: '0' } },
        { id: 'acme/auto', pricing: { prompt: '-1', completion: '-1' } },
        { id: 'acme/odd', pricing: { prompt: '0.1', completion: '0.1', moonlight: '3' } },
      ],
    }
    await using server = await fakeUpstream((_request, response) => json(response, list))
    const environment = environmentIn(folder.path)
    const from = `${server.url}/api/v1/models`
    const said = await updatePrices(environment, { from, provider: 'openrouter', json: true })
    const file = join(folder.path, 'data', 'prices-openrouter.json')
    expect(JSON.parse(said)).toMatchObject({ file, provider: 'openrouter', models: 2 })
    const priceOf = async (model: string) => {
      const { text } = await showPrices(environment, `openrouter/${model}`, { json: true })
      return JSON.parse(text)[0].price
    }
    expect(await priceOf('acme/one')).toMatchObject({
      rates: {
        input: { usd: 2.5, per: 1_000_000 },
        output: { usd: 10, per: 1_000_000 },
        cacheRead: { usd: 0.25, per: 1_000_000 },
      },
      tools: { web_search: 0.005 },
      source: from,
    })
    expect(await priceOf('acme/free')).toMatchObject({
      rates: { input: { usd: 0 }, output: { usd: 0 } },
    })
    expect([await priceOf('acme/auto'), await priceOf('acme/odd')]).toEqual([null, null])
  })

  test.each([
    ['togetherai', [{ id: 'm', pricing: { hourly: 0, input: 0.2, output: 0.6, base: 0 } }]],
    [
      'deepinfra',
      { data: [{ id: 'm', metadata: { pricing: { input_tokens: 0.2, output_tokens: 0.6 } } }] },
    ],
    ['vercel', { data: [{ id: 'm', pricing: { input: '0.0000002', output: '0.0000006' } }] }],
  ])('reads the price list of %s', async (provider, list) => {
    using folder = temporaryFolder()
    const environment = environmentIn(folder.path)
    const from = join(folder.path, 'list.json')
    writeFileSync(from, JSON.stringify(list))
    await updatePrices(environment, { from, provider })
    const { text } = await showPrices(environment, `${provider}/m`, { json: true })
    expect(JSON.parse(text)[0].price.rates).toEqual({
      input: { usd: 0.2, per: 1_000_000 },
      output: { usd: 0.6, per: 1_000_000 },
    })
  })

  test('reports an unreachable URL and an invalid file', async () => {
    using folder = temporaryFolder()
    const environment = environmentIn(folder.path)
    await expect(updatePrices(environment, { from: 'http://127.0.0.1:1/' })).rejects.toThrow(
      'http://127.0.0.1:1/ does not answer',
    )
    await expect(updatePrices(environment, { from: '/nothing' })).rejects.toThrow('cannot be read')
  })
})
