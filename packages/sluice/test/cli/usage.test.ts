import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { granted } from '../../../../test/support/administrate.ts'
import { type FakeUpstream, fakeUpstream } from '../../../../test/support/fakes/fake-upstream.ts'
import { ask, good } from '../../../../test/support/routes.ts'
import { adminKey, type Started, start } from '../../../../test/support/start.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { reconcile } from '../../src/cli/reconcile.ts'
import { eraseUsage, rebuildUsage, usageCommand } from '../../src/cli/usage.ts'
import { readEnvironment } from '../../src/config/env.ts'
import { differencesOf } from '../../../gateway/src/prices/bill-differences.ts'
import { inTurns, readExport } from '../../../gateway/src/prices/provider-exports.ts'

const folder = temporaryFolder()
const environment = readEnvironment({ SLUICE_ADMIN_KEY: adminKey, SLUICE_DATA: folder.path })
const today = new Date().toISOString().slice(0, 10)
const closing = new AsyncDisposableStack()
let gateway: Started

/** Two calls of one model with its day in the name, one of another without a price: 7 tokens in and 3 out each. */
beforeAll(async () => {
  const upstream: FakeUpstream = closing.use(await fakeUpstream(good))
  const type = 'openai' as const
  const provider = { type, baseUrl: upstream.url, key: 'key' }
  const providers = { openai: provider, anthropic: provider }
  // 7 × 2,000 + 3 × 10,000 millionths of a dollar: 0.044 each.
  const prices = {
    'openai/gpt-4o-2024-08-06': { input: 2_000, output: 10_000 },
    'anthropic/claude-haiku-4-5-20251001': { input: 2_000, output: 10_000 },
  }
  gateway = closing.use(await start({ providers, prices }))
  for (const model of [
    'openai/gpt-4o-2024-08-06',
    'openai/gpt-4o-2024-08-06',
    'openai/other',
    'anthropic/claude-haiku-4-5-20251001',
  ])
    await (await gateway.post('/v1/chat/completions', { model, ...ask })).arrayBuffer()
})
afterAll(async () => {
  await closing.disposeAsync()
  folder[Symbol.dispose]()
})

test('usage prints a table or JSON', async () => {
  const { url } = gateway
  const table = await usageCommand(environment, { url, by: 'day,model' })
  const [, head, ...rows] = table.split('\n').map((line) => line.split(/  +/))
  expect(head?.slice(0, 3)).toEqual(['DAY', 'MODEL', 'REQUESTS'])
  expect(rows).toEqual([
    [today, 'claude-haiku-4-5-20251001', '1', '1', '7', '3', '0.044000', '0'],
    [today, 'gpt-4o-2024-08-06', '2', '2', '14', '6', '0.088000', '0'],
    [today, 'other', '1', '1', '7', '3', 'unknown', '1'],
    ['total', '4', '4', '28', '12', '0.132000', '1'],
  ])
  expect(JSON.parse(await usageCommand(environment, { url, json: true }))).toMatchObject({
    total: { calls: 4 },
  })
  expect(await usageCommand(environment, { url, by: 'provider', csv: true })).toMatch(
    /^provider,.*\r\nanthropic,1,/,
  )
})

test('usage names a typo in --by, also where no gateway is running', async () => {
  for (const url of [gateway.url, 'http://127.0.0.1:1'])
    for (const by of ['colour', 'model,colour'])
      await expect(usageCommand(environment, { url, by })).rejects.toThrow(
        /^--by must be of hour, day, .*, not "colour"$/,
      )
})

const start_ = `${today}T00:00:00+00:00`
const costs = (...rows: readonly string[]) =>
  [
    'start_time,end_time,start_time_iso,end_time_iso,amount_value,amount_currency,line_item,project_id,organization_id,organization_name',
    ...rows,
  ].join('\n')
const activity = (...rows: readonly string[]) =>
  [
    'start_time,end_time,start_time_iso,end_time_iso,project_id,num_model_requests,user_id,api_key_id,model,batch,service_tier,input_tokens,output_tokens,input_cached_tokens',
    ...rows,
  ].join('\n')

async function compared(text: string | Buffer) {
  const file = join(folder.path, 'export.csv')
  writeFileSync(file, text)
  const { text: shown, isFine } = await reconcile(environment, file, {
    url: gateway.url,
    json: true,
  })
  const { differences } = JSON.parse(shown) as { differences: object[] }
  expect(isFine).toBe(differences.length === 0)
  return differences
}

test('compares OpenAI’s cost export by day and model', async () => {
  const row = (item: string, usd: string) =>
    `1,2,${start_},${start_},${usd},usd,"${item}",proj,org,Personal`
  const input = row('gpt-4o-2024-08-06, input', '0.0280000000')
  expect(await compared(costs(input, row('gpt-4o-2024-08-06, output', '0.06')))).toEqual([])
  expect(
    await compared(
      costs(input, row('gpt-4o-2024-08-06, output', '0.16'), row('gpt-5, input', '1')),
    ),
  ).toMatchObject([
    { day: today, model: 'gpt-4o-2024-08-06', of: 'USD', billed: 0.188, ledger: 0.088 },
    { day: today, model: 'gpt-5', billed: 1, ledger: 0 },
  ])
  const wide = Buffer.from(`\ufeff${costs(row('', '0.088'))}`, 'utf16le')
  expect(await compared(wide)).toEqual([])
  // Without models, and with a day on which nothing was.
  expect(await compared(costs(row('', '0.088'), `1,2,${start_},${start_},,,,,,`))).toEqual([])
})

test('compares OpenAI’s activity export by tokens', async () => {
  const row = (model: string, input: number, output: number) =>
    `1,2,${start_},${start_},proj,2.0,user,key,${model},FALSE,default,${input}.0,${output}.0,0.0`
  expect(await compared(activity(row('gpt-4o-2024-08-06', 14, 6), row('other', 7, 3)))).toEqual([])
  expect(await compared(activity(row('gpt-4o-2024-08-06', 14, 9)))).toMatchObject([
    { model: 'gpt-4o-2024-08-06', of: 'output tokens', billed: 9, ledger: 6 },
    { model: 'other', of: 'input tokens', billed: 0, ledger: 7 },
    { model: 'other', of: 'output tokens', billed: 0, ledger: 3 },
  ])
})

test('an export of completions does not count as a bill for embeddings', async () => {
  const answer = await gateway.post('/v1/embeddings', { model: 'openai/vectors', input: 'Hi' })
  expect(answer.status).toBe(200)
  const row = (model: string, input: number, output: number) =>
    `1,2,${start_},${start_},proj,2.0,user,key,${model},FALSE,default,${input}.0,${output}.0,0.0`
  const text = activity(row('gpt-4o-2024-08-06', 14, 6), row('other', 7, 3))
  expect(await compared(text)).toEqual([])
  const sent = await gateway.post('/admin/v1/usage/reconcile', { csv: text }, { key: adminKey })
  expect(await sent.json()).toMatchObject({ differences: [] })
})

test('reads both kinds of model names in exports of Anthropic’s Console', async () => {
  const cost = `usage_date_utc,model,workspace,api_key,usage_type,context_window,token_type,cost_usd,list_price_usd,cost_type
${today},Claude Haiku 4.5,Default,key,message,≤ 200k,input_no_cache,0.014,0.014,token
${today},Claude Haiku 4.5,Default,key,message,≤ 200k,output,0.03,0.03,token`
  expect(await compared(cost)).toEqual([])
  const head =
    'usage_date_utc,model_version,api_key,workspace,usage_type,context_window,usage_input_tokens_no_cache,usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens,web_search_count'
  expect(
    await compared(
      `${head}\n${today},claude-haiku-4-5-20251001,key,Default,standard,0-200k,4,1,0,2,3,0`,
    ),
  ).toEqual([])
})

test.each([
  ['foo,bar\n1,2', /export is not known; its columns are foo, bar/],
  ['usage_date_utc,model,cost_usd\nAugust,a,1', /usage_date_utc is not a day/],
  ['usage_date_utc,model,cost_usd\n2026-08-01,a,much', /cost_usd is not a number/],
  ['usage_date_utc,model,cost_usd\n2026-13-45,a,1', /usage_date_utc is not a day/],
  [
    'start_time_iso,amount_value,line_item\n2026-08-01T00:00:00+02:00,1,a',
    /start_time_iso is not in UTC: 2026-08-01T00:00:00\+02:00/,
  ],
  ['start_time_iso,amount_value,line_item\n2026-08-01 and more,1,a', /start_time_iso is not a day/],
  [
    'start_time_iso,amount_value,amount_currency,line_item\n2026-08-01T00:00:00Z,1,USD,a\n2026-08-02T00:00:00Z,1,eur,a',
    /amount_currency is not usd: eur/,
  ],
  ['usage_date_utc,model,cost_usd\n2026-02-30,a,1', /usage_date_utc is not a day/],
  ['usage_date_utc,model,cost_usd\n2026-08-01,a,"1,234.56"', /cost_usd is not a number/],
  ['usage_date_utc,model,cost_usd\n2026-08-01,a,1,234.56', /Line 2 has 4 values/],
  ['usage_date_utc,model,cost_usd\n\n2026-08-01,a', /Line 3 has 2 values/],
  ['usage_date_utc,model,cost_usd\n2026-08-01,"a\n",1\n2026-08-02,"b,1\n', /mark in line 4/],
  ['usage_date_utc,model,cost_usd\n2026-08-01,"a"b,1\n2026-08-02,c,1', /mark in line 2/],
  ['usage_date_utc,model,cost_usd\n2026-08-01,a,1\n2026-08-02,a "b",1', /mark in line 3/],
  [
    'usage_date_utc,model_version,usage_input_tokens_no_cache\n2026-08-01,a,1',
    /export is not known/,
  ],
])('rejects an unknown export: %s', async (text, message) => {
  await expect(readExport([text])).rejects.toThrow(message)
})

test('reads CSV values with separators and quotes, and tabs as separators', async () => {
  const read = async (text: string) => (await readExport([text])).rows
  const row = { day: '2026-08-01', costUsd: 1 }
  expect(await read('usage_date_utc,model,cost_usd\r\n2026-08-01,"a, ""b""",1\r\n')).toEqual([
    { ...row, model: 'a,-"b"' },
  ])
  expect(await read('usage_date_utc\tmodel\tcost_usd\n2026-08-01\ta,b\t1')).toEqual([
    { ...row, model: 'a,b' },
  ])
  for (const end of ['\n', '\r\n', '\r'])
    expect(
      await read(['\ufeffusage_date_utc;model;cost_usd', '2026-08-01;a,b;1', ''].join(end)),
    ).toEqual([{ ...row, model: 'a,b' }])
  const long = 'x'.repeat(500_000)
  expect((await read(`usage_date_utc,model,cost_usd\n2026-08-01,"${long}",1`))[0]?.model).toBe(long)
})

test('reads a bill however it is split into chunks', async () => {
  const text =
    '\ufeffusage_date_utc;model;cost_usd\r\n2026-08-01;"a; ""b""";1\r\n\r\n2026-08-02;"c\r\nd";2\r2026-08-03;e;3\n2026-08-04;"f";4'
  const whole = await readExport([text])
  expect(whole.rows.map(({ costUsd }) => costUsd)).toEqual([1, 2, 3, 4])
  for (let at = 0; at <= text.length; at++) {
    expect(await readExport([text.slice(0, at), text.slice(at)])).toEqual(whole)
    expect(await readExport([text.slice(0, at), '', ...text.slice(at)])).toEqual(whole)
  }
  const misfit = 'usage_date_utc,model,cost_usd\n2026-08-01,"a\n",1\n2026-08-02,"b"c,1\n'
  await expect(readExport([...misfit])).rejects.toThrow(/mark in line 4/)
})

test('stops reading an endless line', async () => {
  let pieces = 0
  function* endless() {
    yield 'usage_date_utc,model,cost_usd\n2026-08-01,"'
    for (; ; pieces++) yield 'x'.repeat(65_536)
  }
  await expect(readExport(endless())).rejects.toThrow(/Line 2 is longer than/)
  expect(pieces).toBeLessThan(20)
})

test('no character is lost between two pieces of a bill', async () => {
  const head = 'usage_date_utc,model,cost_usd\n2026-08-01,'
  const model = `${'x'.repeat(65_535 - head.length)}👍`
  const { rows } = await readExport(inTurns(`${head}${model},1`))
  expect(rows).toEqual([{ day: '2026-08-01', model, costUsd: 1 }])
})

test('while a large bill is read, others have their turns', async () => {
  const line = '2026-08-01,Claude Haiku 4.5,0.5\n'
  let turns = 0
  const others = setInterval(() => (turns += 1), 0)
  const { rows } = await readExport(
    inTurns(`usage_date_utc,model,cost_usd\n${line.repeat(200_000)}`),
  )
  clearInterval(others)
  expect(rows).toEqual([{ day: '2026-08-01', model: 'claude-haiku-4-5', costUsd: 100_000 }])
  expect(turns).toBeGreaterThan(5)
})

test('compares a bill of many models and days quickly', () => {
  const days = Array.from({ length: 300 }, (_, day) =>
    new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10),
  )
  const billed = days.flatMap((day) =>
    Array.from({ length: 100 }, (_, at) => ({ day, model: `m${at}-2026-01-01`, costUsd: 1 })),
  )
  const ledger = days.flatMap((day) =>
    Array.from({ length: 33 }, (_, at) => ({
      day: `${day}T00:00:00.000Z`,
      model: `m${at}`,
      costMicroUsd: 1_000_000,
      inputTokens: 0,
      outputTokens: 0,
    })),
  )
  const begun = performance.now()
  expect(differencesOf(billed, ledger)).toHaveLength(300 * 67)
  // Comparing each with each would take minutes.
  expect(performance.now() - begun).toBeLessThan(20_000)
})

test('usage by key shows names, and can be erased and rebuilt', async () => {
  const { url } = gateway
  const made = await granted(gateway, 'POST /admin/v1/keys', { name: 'app' })
  await (
    await gateway.post(
      '/v1/chat/completions',
      { model: 'openai/other', ...ask },
      { key: made.secret },
    )
  ).arrayBuffer()
  expect(await usageCommand(environment, { url, by: 'key' })).toMatch(
    new RegExp(`app \\(${made.id}\\) +1 +1`),
  )
  const drawn: string[] = []
  const terminal = { isTTY: true, write: (text: string) => drawn.push(text) }
  expect(await eraseUsage(environment, { url, key: made.id, screen: terminal })).toMatch(
    new RegExp(`^Replaced ${made.id} by erased_\\S+ in 1 records`),
  )
  expect(drawn[0]).toContain('0 s, records and sums are changed')
  expect(drawn.at(-1)).toBe('\r\u001b[K')
  expect(await usageCommand(environment, { url, by: 'key' })).not.toContain(made.id)
  await expect(eraseUsage(environment, { url })).rejects.toThrow('--user or --key')
  expect(await rebuildUsage(environment, { url })).toMatch(
    /^The sums of 6 records are being rebuilt/,
  )
  expect(JSON.parse(await usageCommand(environment, { url, json: true }))).toMatchObject({
    total: { calls: 6 },
  })
  const written: string[] = []
  const screen = { isTTY: true, write: (text: string) => written.push(text) }
  expect(await rebuildUsage(environment, { url, wait: true, screen })).toBe(
    'The sums of 6 records were rebuilt.',
  )
  expect(written[0]).toContain(' 0 %  0 of 6 records summed')
  expect(written.at(-1)).toBe('\r\u001b[K')
})
