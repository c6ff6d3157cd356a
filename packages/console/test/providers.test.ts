// Settings of a provider: shown with where each came from, planned and applied to sluice.yaml, but not where its key goes.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { granted } from '../../../test/support/administrate.ts'
import { browserWait } from '../../../test/support/browser/chromium.ts'
import { shoot, useConsole } from '../../../test/support/browser/console.ts'
import { start } from '../../../test/support/start.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'

const written = `# Ours.
providers:
  first:
    type: openai
    baseUrl: http://127.0.0.1:9/v1 # where it is
    key: sk-of-first-0123456789
    maxConcurrent: 4 # as agreed
`
const folder = temporaryFolder()
const configFile = join(folder.path, 'sluice.yaml')

const tests = useConsole(async () => {
  writeFileSync(configFile, written)
  return start(parse(written), { configFile })
})
afterAll(() => folder[Symbol.dispose]())

const path = '/models/providers/first'

test.for([
  ['light', false],
  ['dark', true],
] as const)(
  'a provider, %s, on a phone: %s',
  browserWait,
  async ([colorScheme, isPhone], context) => {
    await using opened = await tests.open(context, '/models?tab=providers', {
      colorScheme,
      isPhone,
    })
    const { page } = opened
    await page.getByRole('link', { name: 'first' }).click()
    const settings = page.getByRole('region', { name: 'Settings: first' })
    await settings
      .getByRole('row', { name: /providers\.first\.maxConcurrent.*4.*sluice\.yaml/ })
      .waitFor()
    await settings.getByRole('row', { name: /providers\.first\.key.*Hidden/ }).waitFor()
    expect(await page.content()).not.toContain('sk-of-first')
    await page.getByLabel('Concurrent calls').waitFor()
    await shoot(opened, `provider-${colorScheme}${isPhone ? '-phone' : ''}`)
    expect(await opened.problems()).toEqual([])
  },
)

test('plans and applies a provider’s settings', browserWait, async (context) => {
  await using opened = await tests.open(context, path)
  const { page } = opened
  const places = page.getByLabel('Concurrent calls')
  expect(await places.inputValue()).toBe('4')
  await page.getByLabel('Models').fill('a\n{ "id": 7 }')
  opened.expectStatus(400)
  await page.getByRole('button', { name: 'Plan', exact: true }).click()
  await page.getByRole('alert').getByText('models').waitFor()
  expect(await opened.problems()).toEqual([])
  await page.getByLabel('Models').fill('a\n{ "id"')
  await page.getByText('A line is not valid JSON').waitFor()
  expect(await page.getByRole('button', { name: 'Plan', exact: true }).isDisabled()).toBe(true)
  await page.getByLabel('Models').fill('a\n{ "id": "b", "upstream": "b-2" }')
  await places.fill('6')
  await page.getByText('Timeouts').click()
  await page.getByLabel('First token, ms').fill('20000')
  await page.getByRole('button', { name: 'Plan', exact: true }).click()
  await page.getByRole('heading', { name: 'Changed: first' }).waitFor()
  await page.getByText('−   "maxConcurrent": 4').waitFor()
  expect(readFileSync(configFile, 'utf8')).toBe(written)
  await shoot(opened, 'provider-plan')
  expect(await opened.problems()).toEqual([])
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  await page.getByRole('status').getByText('Applied.').waitFor()
  await expect
    .poll(() => readFileSync(configFile, 'utf8'))
    .toContain('maxConcurrent: 6 # as agreed')
  const text = readFileSync(configFile, 'utf8')
  expect(text).toContain('# where it is')
  expect(parse(text)).toEqual({
    providers: {
      first: {
        ...(parse(written) as { providers: { first: object } }).providers.first,
        maxConcurrent: 6,
        timeouts: { firstTokenMs: 20_000 },
        models: ['a', { id: 'b', upstream: 'b-2' }],
      },
    },
  })
  const { data } = await granted(tests.gateway, 'GET /v1/models')
  expect(data.map(({ id }) => id)).toContain('first/b')
  await page.getByRole('region', { name: 'Settings: first' }).getByText('20000').waitFor()
  // What would be off is said before.
  await page.getByRole('combobox', { name: 'Turned on' }).selectOption('No')
  await page.getByRole('button', { name: 'Plan', exact: true }).click()
  await page.getByText('Applied.').waitFor({ state: 'detached' })
  await page.getByText('These providers would be disabled').waitFor()
})

test('shows a viewer the settings without controls', browserWait, async (context) => {
  const { secret: key } = await granted(tests.gateway, 'POST /admin/v1/keys', {
    name: 'eyes',
    role: 'administrator',
    adminRole: 'viewer',
  })
  await using opened = await tests.open(context, path, { key })
  const { page } = opened
  await page.getByRole('region', { name: 'Settings: first' }).waitFor()
  expect(await page.getByRole('button', { name: /Plan|Apply/ }).count()).toBe(0)
  await page.goto(`${tests.gateway.url}/#/models/providers/nobody`)
  await page.getByText('There is no such provider').waitFor()
  expect(await opened.problems()).toEqual([])
})

test('shows a failed load and retries', browserWait, async (context) => {
  await using opened = await tests.open(context, '/about')
  const { page } = opened
  await page.route('**/admin/v1/provider-settings', (route) =>
    route.fulfill({ status: 500, json: { error: { message: 'The file is broken' } } }),
  )
  opened.expectStatus(500)
  await page.goto(`${tests.gateway.url}/#${path}`)
  const alert = page.getByRole('alert')
  await alert.getByText('The file is broken').waitFor()
  await page.unroute('**/admin/v1/provider-settings')
  await alert.getByRole('button', { name: 'Try again' }).click()
  await page.getByLabel('Concurrent calls').waitFor()
})
