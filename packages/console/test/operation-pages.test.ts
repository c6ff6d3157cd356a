// The pages about what goes on: overview, requests, models and routes, playground, settings, about.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { browserWait, chromium, leaveOutBrowser } from '../../../test/support/browser/chromium.ts'
import {
  buildConsole,
  type ConsoleBrowser,
  openConsole,
  shoot,
} from '../../../test/support/browser/console.ts'
import { type FakeUpstream, fakeUpstream } from '../../../test/support/fakes/fake-upstream.ts'
import { ask, at, error, streams } from '../../../test/support/routes.ts'
import { adminKey, type Started, start, testKey } from '../../../test/support/start.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'

const written = (one: string, other: string) => `# Ours.
providers:
  first: { type: openai, baseUrl: ${one}, key: sk-of-first-0123456789 }
  second: { type: openai, baseUrl: ${other}, key: sk-of-second-0123456789 }
models:
  quick: first/a # the cheap one
prices:
  first/*: { input: 2, output: 10 }
`
const folder = temporaryFolder()
const configFile = join(folder.path, 'sluice.yaml')

let first: FakeUpstream
let second: FakeUpstream
let gateway: Started
let empty: Started
let browser: ConsoleBrowser | undefined
let emptyBrowser: ConsoleBrowser | undefined

beforeAll(async () => {
  buildConsole()
  first = await fakeUpstream(streams)
  second = await fakeUpstream(error(503, {}, { 'x-request-id': 'up-7' }))
  writeFileSync(configFile, written(first.url, second.url))
  gateway = await start(
    {
      ...at({ first, second }),
      models: { quick: 'first/a' },
      prices: { 'first/*': { input: 2, output: 10 } },
      defaults: { retries: { attempts: 1 } },
    },
    { configFile },
  )
  empty = await start()
  for (const model of ['quick', 'second/b', 'first/c']) await (await chat(model)).text()
  if (chromium === undefined) return
  browser = await openConsole(gateway)
  emptyBrowser = await openConsole(empty)
}, 150_000)

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
  await emptyBrowser?.[Symbol.asyncDispose]()
  await gateway[Symbol.asyncDispose]()
  await empty[Symbol.asyncDispose]()
  await first[Symbol.asyncDispose]()
  await second[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const compare = (one: unknown, other: unknown) => String(one).localeCompare(String(other))

function chat(model: string, at = gateway): Promise<Response> {
  return at.post('/v1/chat/completions', { model, stream: true, ...ask })
}

const paths = {
  overview: ['/overview', 'Overview'],
  requests: ['/requests', 'Requests'],
  models: ['/models', 'Models and routes'],
  playground: ['/playground', 'Playground'],
  settings: ['/settings', 'Settings'],
  about: ['/about', 'About'],
} as const
const looks = Object.keys(paths).flatMap((name) => [
  { name, colorScheme: 'light', isPhone: false } as const,
  { name, colorScheme: 'dark', isPhone: true } as const,
])

test.for(looks)('$name, $colorScheme, on a phone: $isPhone', browserWait, async (look, context) => {
  const { name, colorScheme, isPhone } = look
  if (!browser) return leaveOutBrowser(context)
  const [path, title] = paths[name as keyof typeof paths]
  await using opened = await browser.open(path, { key: adminKey, colorScheme, isPhone })
  await opened.page.getByRole('heading', { name: title, level: 1 }).waitFor()
  await expect.poll(() => opened.page.getByLabel('Loading').count(), { timeout: 20_000 }).toBe(0)
  await shoot(opened, `${name}-${colorScheme}${isPhone ? '-phone' : ''}`)
  expect(await opened.problems()).toEqual([])
})

test('the overview shows counts and names failures', browserWait, async (context) => {
  if (!browser) return leaveOutBrowser(context)
  await using opened = await browser.open('/overview', { key: adminKey })
  const { page } = opened
  const models = page.getByRole('region', { name: 'Models' })
  await models.getByRole('row', { name: /^a 1 0/ }).waitFor()
  await models.getByRole('row', { name: /^b 1 1/ }).waitFor()
  const problems = page.getByRole('region', { name: 'What is wrong now' })
  await problems.getByText('Working: database, journal').waitFor()
})

test('shows an empty state', browserWait, async (context) => {
  if (!emptyBrowser) return leaveOutBrowser(context)
  await using opened = await emptyBrowser.open('/overview', { key: adminKey })
  await opened.page.getByText('No requests in this period').waitFor()
  await opened.page.getByText('No problems found.').waitFor()
  await shoot(opened, 'overview-empty')
  expect(await opened.problems()).toEqual([])
  await opened.page.getByRole('link', { name: 'Requests' }).click()
  await opened.page.getByText('No requests yet').waitFor()
  expect(await opened.problems()).toEqual([])
})

test('shows refused calls live and on the overview', browserWait, async (context) => {
  if (!emptyBrowser) return leaveOutBrowser(context)
  await using opened = await emptyBrowser.open('/requests', { key: adminKey })
  const { page } = opened
  await expect.poll(() => empty.gateway.live.isWatched, { timeout: 20_000 }).toBe(true)
  expect((await chat('nowhere/model', empty)).status).toBe(404)
  const row = page.getByRole('row', { name: /nowhere\/model/ })
  await row.getByText('Refused 404').waitFor()
  await shoot(opened, 'requests-refused')
  expect(await opened.problems()).toEqual([])
  await page.goto(`${empty.url}/#/overview`)
  const refused = page.getByRole('region', { name: 'Refused' })
  // They are written every two seconds, and the page asks every half a minute.
  await page.getByText('No requests in this period').waitFor()
  await expect
    .poll(
      async () => {
        await page.reload()
        await page.getByText('No requests in this period').waitFor()
        return refused.getByRole('row', { name: /404 model_not_found .* chat 1 / }).count()
      },
      { timeout: 20_000, interval: 1_000 },
    )
    .toBe(1)
  await shoot(opened, 'overview-refused')
  await opened.turn({ isPhone: true, colorScheme: 'dark' })
  await shoot(opened, 'overview-refused-dark-phone')
  expect(await opened.problems()).toEqual([])
  // It is among the requests for as long as refusals are kept.
  await page.goto(`${empty.url}/#/requests`)
  await row.getByText('Refused 404').waitFor()
})

test('finds, follows and shows a request', browserWait, async (context) => {
  if (!browser) return leaveOutBrowser(context)
  await using opened = await browser.open('/requests', { key: adminKey })
  const { page } = opened
  await page.getByText('Following:').waitFor()
  const rows = page.getByRole('table').getByRole('row')
  await page.getByRole('cell', { name: 'first/c' }).first().waitFor()
  await (await chat('first/live')).text()
  await page.getByRole('cell', { name: 'first/live' }).first().waitFor()
  await page.getByRole('button', { name: 'Stop following' }).click()

  await page.getByRole('textbox', { name: 'Status' }).fill('5xx')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('cell', { name: 'Failed' }).waitFor()
  expect(await rows.count()).toBe(2)
  await rows.nth(1).getByRole('link').click()
  await page.getByRole('heading', { name: '1. second/b' }).waitFor()
  await page.getByRole('heading', { name: 'Prompt and response' }).waitFor()
  await page.getByText('up-7', { exact: true }).waitFor()
  // Of a single attempt it is said once.
  expect(await page.getByText('upstream_unavailable').count()).toBe(1)
  await page.getByRole('heading', { name: 'How it would be routed now' }).waitFor()
  await page.getByRole('cell', { name: '→ second/b' }).waitFor()
  await shoot(opened, 'request')
  expect(await opened.problems()).toEqual([])
  opened.expectStatus(404)
  await page.goto(`${gateway.url}/#/requests/req_none`)
  await page.getByRole('alert').getByText('no record').waitFor()
  expect(await opened.problems()).toEqual([])
})

test('shows the cost of a request by kind, and filters by route', browserWait, async (context) => {
  if (!browser) return leaveOutBrowser(context)
  await using opened = await browser.open('/requests', { key: adminKey })
  const { page } = opened
  await page.getByRole('cell', { name: 'first/c' }).first().waitFor()
  await page.getByRole('combobox', { name: 'Requested model' }).fill('quick')
  await page.getByRole('button', { name: 'Search' }).click()
  const rows = page.getByRole('table').getByRole('row')
  await expect.poll(() => rows.count()).toBe(2)
  expect(page.url()).toContain('requestedModel=quick')
  await rows.nth(1).getByRole('link').click()
  const costs = page.getByRole('region', { name: 'Cost by kind: 1' })
  // 7 tokens in at 2 and 3 out at 10 dollars for a million.
  await costs.getByRole('row', { name: 'Input 7 $0.000014' }).waitFor()
  await costs.getByRole('row', { name: 'Output 3 $0.00003' }).waitFor()
  await page
    .getByRole('region', { name: 'Used: 1' })
    .getByRole('row', { name: 'Tokens out 3' })
    .waitFor()
  await shoot(opened, 'request-cost')
  const body = {
    model: 'first/m',
    stream: true,
    max_tokens: 9,
    speed: 'fast',
    messages: ask.messages,
  }
  const answer = await gateway.post('/v1/messages', body)
  await answer.text()
  await page.goto(`${gateway.url}/#/requests/${answer.headers.get('x-request-id')}`)
  await page.getByText('speed', { exact: true }).waitFor()
  expect(await opened.problems()).toEqual([])
})

test('tests a provider and a model with a call', browserWait, async (context) => {
  if (!browser) return leaveOutBrowser(context)
  await using opened = await browser.open('/models', { key: adminKey })
  const { page } = opened
  await page.getByRole('cell', { name: 'quick' }).first().waitFor()
  await page.getByRole('button', { name: 'Test call: builtin-chat' }).click()
  await page.getByText('It responds').waitFor()
  expect(await opened.problems()).toEqual([])
  await page.getByText('Providers', { exact: true }).click()
  expect(page.url()).toContain('tab=providers')
  await page
    .getByRole('row', { name: /^Built-in engine/ })
    .getByText('Healthy')
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Test call: first' }).waitFor()
  await shoot(opened, 'providers')
  expect(await opened.problems()).toEqual([])
})

test('compares three models in the playground', browserWait, async (context) => {
  if (!browser) return leaveOutBrowser(context)
  await using opened = await browser.open('/playground', { key: adminKey })
  const { page } = opened
  await page.getByRole('combobox', { name: 'Model 1' }).fill('first/a')
  await page.getByRole('button', { name: 'Add a model' }).click()
  await page.getByRole('combobox', { name: 'Model 2' }).fill('second/b')
  await page.getByRole('button', { name: 'Add a model' }).click()
  await page.getByRole('combobox', { name: 'Model 3' }).fill('first/c')
  expect(await page.getByRole('button', { name: 'Add a model' }).count()).toBe(0)
  await page.getByLabel('Message').fill('Hello?')
  opened.expectStatus(503)
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('alert').getByText('503').waitFor()
  const answers = page.locator('[aria-busy] > section')
  await expect.poll(() => answers.count()).toBe(3)
  expect(await answers.getByRole('heading').allTextContents()).toEqual([
    'first/a',
    'second/b',
    'first/c',
  ])
  for (const place of [0, 2]) {
    await answers.nth(place).getByText('Hello', { exact: true }).waitFor()
    await answers.nth(place).getByText(/^\$0/).waitFor()
  }
  await shoot(opened, 'playground')
  expect(await opened.problems()).toEqual([])
  const seen = first.seen.slice(-2)
  expect(seen.map(({ body }) => body?.['model']).toSorted(compare)).toEqual(['a', 'c'])
  for (const { body } of seen)
    expect(body).toMatchObject({ messages: [{ role: 'user', content: 'Hello?' }] })
})

test('the playground calls other operations with JSON', browserWait, async (context) => {
  if (!emptyBrowser) return leaveOutBrowser(context)
  await using opened = await emptyBrowser.open('/playground', { key: testKey })
  const { page } = opened
  await page.getByRole('combobox', { name: 'Operation' }).selectOption('embeddings')
  await page.getByRole('combobox', { name: 'Model 1' }).fill('builtin-embed')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Events').click()
  await page.getByText('"embedding"').waitFor()
  expect(await opened.problems()).toEqual([])
})

test('the settings begin with what is set', browserWait, async (context) => {
  if (!browser) return leaveOutBrowser(context)
  await using opened = await browser.open('/settings', { key: adminKey })
  const { page } = opened
  const sources = page.getByRole('row').getByRole('cell', { name: /^(default|sluice\.yaml.*)$/ })
  await sources.first().waitFor()
  const told = (await sources.allTextContents()).map((text) => text === 'default')
  expect(told.length).toBeGreaterThan(10)
  expect(told).toContain(false)
  expect(told.lastIndexOf(false)).toBeLessThan(told.indexOf(true))
  expect(await opened.problems()).toEqual([])
})
