import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fakeUpstream, json } from '../../../../test/support/fake-upstream.ts'
import { ask, at, good } from '../../../../test/support/routes.ts'
import { runSluice } from '../../../../test/support/run-sluice.ts'
import { adminKey, start } from '../../../../test/support/start.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { showPrices, unknownPrices, updatePrices } from '../../src/cli/prices.ts'
import { readEnvironment } from '../../src/config/env.ts'
import { ownRows } from '../../src/prices/own-rows.ts'

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
  test('says what a target costs, since when and who says so', async () => {
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

  test('looks for a bare name at every provider, and what sluice.yaml says wins', async () => {
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

  test('of what nobody knows is null, and no 0', async () => {
    using folder = temporaryFolder()
    const environment = environmentIn(folder.path)
    const unknown = await showPrices(environment, 'jina/jina-reranker-v3', { json: true })
    expect(unknown.isFine).toBe(false)
    expect(JSON.parse(unknown.text)).toEqual([{ target: 'jina/jina-reranker-v3', price: null }])
  })

  test('without a model lists every row that is not the library’s, each with its page and day', async () => {
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

test('prices unknown counts what was called without a price, the most first', async () => {
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

  test('keeps what was fetched, and it holds from then on', async () => {
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
    ['no JSON', '<html>', 'is no list of providers'],
    ['an empty list', '[]', 'is no list of providers'],
    ['what the library cannot use', '[{"id":"openai"}]', 'cannot be used'],
  ])('keeps nothing of %s', async (_name, content, message) => {
    using folder = temporaryFolder()
    const environment = environmentIn(folder.path)
    const from = join(folder.path, 'given.json')
    writeFileSync(from, content)
    await expect(updatePrices(environment, { from })).rejects.toThrow(message)
    expect(() => readFileSync(join(folder.path, 'data', 'prices.json'))).toThrow('ENOENT')
  })

  test('says where nothing answers, and what a file lacks', async () => {
    using folder = temporaryFolder()
    const environment = environmentIn(folder.path)
    await expect(updatePrices(environment, { from: 'http://127.0.0.1:1/' })).rejects.toThrow(
      'http://127.0.0.1:1/ does not answer',
    )
    await expect(updatePrices(environment, { from: '/nothing' })).rejects.toThrow('cannot be read')
  })
})
