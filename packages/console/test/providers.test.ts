// Providers: one that sluice.yaml declares is shown, one in the database is added, changed, given another key and removed.
import { expect, type TestContext, test } from 'vitest'
import { granted } from '../../../test/support/administrate.ts'
import { browserWait } from '../../../test/support/browser/chromium.ts'
import { shoot, useConsole } from '../../../test/support/browser/console.ts'
import { start } from '../../../test/support/start.ts'

const baseUrl = 'http://127.0.0.1:9/v1'
const first = { type: 'openai', baseUrl, key: 'sk-of-first-0123456789', maxConcurrent: 4 } as const
const second = { ...first, key: 'sk-of-second-0123456789' }
const variables = { SLUICE_ENCRYPTION_KEY: 'encryption-key-of-the-tests-0123456789' }

const tests = useConsole(async () => {
  const gateway = await start({ providers: { first } }, { variables })
  const { etag } = await granted(gateway, 'GET /admin/v1/provider-settings')
  const providers = { second }
  await granted(gateway, 'PUT /admin/v1/provider-settings', { providers, etag })
  return gateway
})

const at = (context: TestContext, name: string, options: object = {}) =>
  tests.open(context, `/models/providers/${name}`, options)

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
    await page.getByRole('link', { name: 'second' }).click()
    const settings = page.getByRole('region', { name: 'Settings: second' })
    await settings
      .getByRole('row', { name: /providers\.second\.maxConcurrent.*4.*database/ })
      .waitFor()
    await settings.getByRole('row', { name: /providers\.second\.key.*Hidden/ }).waitFor()
    expect(await page.content()).not.toContain('sk-of-second')
    await page.getByLabel('Concurrent requests').waitFor()
    await shoot(opened, `provider-${colorScheme}${isPhone ? '-phone' : ''}`)
    expect(await opened.problems()).toEqual([])
  },
)

test(
  'one that sluice.yaml declares is shown and cannot be changed',
  browserWait,
  async (context) => {
    await using opened = await at(context, 'first')
    const { page } = opened
    await page
      .getByText('This provider is declared in sluice.yaml or in the environment.')
      .waitFor()
    expect(await page.getByRole('button', { name: /Plan|Apply|Remove/ }).count()).toBe(0)
    expect(await opened.problems()).toEqual([])
  },
)

test('adds a provider, gives it another key and removes it', browserWait, async (context) => {
  await using opened = await tests.open(context, '/models?tab=providers')
  const { page } = opened
  const name = page.getByRole('combobox', { name: 'Name' })
  const open = page.getByRole('button', { name: 'Continue' })
  await name.fill('Not so')
  expect(await open.isDisabled()).toBe(true)
  await name.fill('added')
  await open.click()
  await page.getByLabel('Protocol').fill('openai')
  await page.getByLabel('Base URL').fill(baseUrl)
  await page.getByLabel('API key').fill('sk-of-added-0123456789')
  await page.getByRole('button', { name: 'Plan', exact: true }).click()
  await page.getByRole('heading', { name: 'Added: added' }).waitFor()
  await shoot(opened, 'provider-plan')
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  await page.getByRole('status').getByText('Applied.').waitFor()
  const read = () => granted(tests.gateway, 'GET /admin/v1/provider-settings')
  expect((await read())['providers']).toMatchObject({ added: { type: 'openai', baseUrl } })
  expect(await page.content()).not.toContain('sk-of-added')

  await page.getByLabel('Base URL').fill(`${baseUrl}/other`)
  opened.expectStatus(400)
  await page.getByRole('button', { name: 'Plan', exact: true }).click()
  await page.getByRole('alert').getByText('The key must be given again').waitFor()
  await page.getByLabel('API key').fill('sk-rotated-0123456789')
  await page.getByRole('button', { name: 'Plan', exact: true }).click()
  await page.getByRole('heading', { name: 'Changed: added' }).waitFor()
  await page.getByText('+   "key": "•••••• (new)"').waitFor()
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  await expect
    .poll(async () => (await read())['providers'])
    .toMatchObject({ added: { baseUrl: `${baseUrl}/other` } })
  await page.getByRole('button', { name: 'Remove this provider' }).click()
  await expect.poll(async () => (await read())['providers']).not.toHaveProperty('added')
  expect(await opened.problems()).toEqual([])
})

test('plans and applies how a provider is used', browserWait, async (context) => {
  await using opened = await at(context, 'second')
  const { page } = opened
  const places = page.getByLabel('Concurrent requests')
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
  await page.getByRole('heading', { name: 'Changed: second' }).waitFor()
  await page.getByText('−   "maxConcurrent": 4').waitFor()
  expect(await opened.problems()).toEqual([])
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  await page.getByRole('status').getByText('Applied.').waitFor()
  const { providers } = await granted(tests.gateway, 'GET /admin/v1/provider-settings')
  expect(providers).toMatchObject({
    second: {
      maxConcurrent: 6,
      timeouts: { firstTokenMs: 20_000 },
      models: ['a', { id: 'b', upstream: 'b-2' }],
    },
  })
  const { data } = await granted(tests.gateway, 'GET /v1/models')
  expect(data.map(({ id }) => id)).toContain('second/b')
  await page.getByRole('region', { name: 'Settings: second' }).getByText('20000').waitFor()
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
  await using opened = await at(context, 'second', { key })
  const { page } = opened
  await page.getByRole('region', { name: 'Settings: second' }).waitFor()
  expect(await page.getByRole('button', { name: /Plan|Apply/ }).count()).toBe(0)
  await page.goto(`${tests.gateway.url}/#/models/providers/nobody`)
  await page.getByText('This provider does not exist yet').waitFor()
  expect(await opened.problems()).toEqual([])
})
