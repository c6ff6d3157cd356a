// Routes as they are edited in a form and as JSON: planned, explained before and after, and stored beside those of sluice.yaml.
import { expect, type TestContext, test } from 'vitest'
import { granted } from '../../../test/support/administrate.ts'
import { browserWait } from '../../../test/support/browser/chromium.ts'
import { shoot, useConsole } from '../../../test/support/browser/console.ts'
import { start } from '../../../test/support/start.ts'

const at = { type: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } as const
const declared = { kept: 'first/a' }
const stored = {
  quick: 'first/a',
  sure: {
    targets: [
      { target: 'first/a', weight: 3, timeouts: { totalMs: 9000 } },
      { target: 'second/b' },
    ],
    breaker: { failures: 3 },
  },
}

const tests = useConsole(async () => {
  const gateway = await start({
    providers: {
      first: { ...at, key: 'sk-of-first-0123456789' },
      second: { ...at, key: 'sk-of-second-0123456789' },
    },
    models: declared,
  })
  const { etag } = await granted(gateway, 'GET /admin/v1/routes')
  await granted(gateway, 'PUT /admin/v1/routes', { models: { ...stored, ...declared }, etag })
  return gateway
})

const open = (context: TestContext, options: object = {}) =>
  tests.open(context, '/models?tab=routes', options)

test.for([
  ['light', false],
  ['dark', false],
  ['light', true],
  ['dark', true],
] as const)('routes, %s, on a phone: %s', browserWait, async ([colorScheme, isPhone], context) => {
  await using opened = await open(context, { colorScheme, isPhone })
  const { page } = opened
  await page.getByRole('button', { name: 'sure' }).click()
  await page.getByLabel('Target 2', { exact: true }).waitFor()
  await shoot(opened, `routes-${colorScheme}${isPhone ? '-phone' : ''}`)
  expect(await opened.problems()).toEqual([])
})

test('edits a route in the form, plans and applies it', browserWait, async (context) => {
  await using opened = await open(context)
  const { page } = opened
  await page.getByRole('button', { name: 'sure' }).click()
  expect(await page.getByLabel('Target 1', { exact: true }).inputValue()).toBe('first/a')
  expect(await page.getByLabel('Weight 1', { exact: true }).inputValue()).toBe('3')
  expect(await page.getByLabel('Failures that open the breaker').inputValue()).toBe('3')
  await page.getByLabel('Weight 1', { exact: true }).fill('0')
  opened.expectStatus(400)
  await page.getByRole('button', { name: 'Plan', exact: true }).click()
  await page.getByRole('alert').getByText('weight').waitFor()
  expect(await page.getByLabel('Weight 1', { exact: true }).getAttribute('aria-invalid')).toBe(
    'true',
  )
  expect(await opened.problems()).toEqual([])

  await page.getByLabel('Weight 1', { exact: true }).fill('0.5')
  await page.getByLabel('Priority 2', { exact: true }).fill('1')
  await page.getByRole('button', { name: 'Add a target' }).click()
  await page.getByLabel('Target 3', { exact: true }).fill('second/c')
  await page.getByRole('button', { name: 'Add a fallback' }).click()
  await page.getByLabel('Fallbacks 1').fill('quick')
  await page.getByText('Hedging').click()
  await page.getByRole('combobox', { name: 'Hedge with a second target' }).selectOption('Yes')
  await page.getByLabel('After, ms').fill('1500')
  await page.getByText('Load balancing').click()
  await page
    .getByRole('combobox', { name: 'Among targets of one priority' })
    .selectOption('By recent latency')
  await page.getByLabel('Model of the sample request').fill('sure')
  await page.getByRole('button', { name: 'Plan', exact: true }).click()
  await page.getByRole('heading', { name: 'Changed: sure' }).waitFor()
  await page
    .getByText('+     "second/c"')
    .or(page.getByText('"target": "second/c"'))
    .first()
    .waitFor()
  const after = page.getByRole('region', { name: 'Targets: After' })
  await after.getByRole('cell', { name: 'second/c' }).waitFor()
  expect(
    await page.getByRole('region', { name: 'Targets: Before' }).getByText('second/c').count(),
  ).toBe(0)
  await shoot(opened, 'routes-plan')
  expect(await opened.problems()).toEqual([])

  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  await page.getByRole('status').getByText('Applied.').waitFor()
  await shoot(opened, 'routes-applied')
  expect(await opened.problems()).toEqual([])
  const { models } = await granted(tests.gateway, 'GET /admin/v1/routes')
  expect(models).toEqual({
    ...declared,
    quick: 'first/a',
    sure: {
      targets: [
        { target: 'first/a', weight: 0.5, timeouts: { totalMs: 9000 } },
        { target: 'second/b', priority: 1 },
        { target: 'second/c' },
      ],
      breaker: { failures: 3 },
      fallback: ['quick'],
      hedge: { enabled: true, delayMs: 1500 },
      strategy: 'latency',
    },
  })
  const { targets } = await granted(tests.gateway, 'POST /admin/v1/explain', {
    request: { model: 'sure', messages: [{ role: 'user', content: 'Hi' }] },
  })
  expect(JSON.stringify(targets)).toContain('second/c')
})

test('adds, renames and removes a route', browserWait, async (context) => {
  await using opened = await open(context)
  const { page } = opened
  await page.getByRole('button', { name: 'quick' }).waitFor()
  await page.getByRole('button', { name: 'Add a route' }).click()
  await page.getByLabel('Name', { exact: true }).fill('fresh')
  await page.getByLabel('Target 1', { exact: true }).fill('second/b')
  await page.getByRole('button', { name: 'fresh' }).waitFor()
  const sample = page.getByLabel('Model of the sample request')
  expect(await sample.inputValue()).toBe('fresh')
  await page.getByRole('button', { name: 'Plan', exact: true }).click()
  await page.getByRole('heading', { name: 'Added: fresh' }).waitFor()
  await page.getByRole('button', { name: 'Remove this route' }).click()
  await page.getByRole('button', { name: 'Plan', exact: true }).click()
  await page.getByText('Nothing would change.').waitFor()
  expect(await page.getByRole('button', { name: 'Apply', exact: true }).isDisabled()).toBe(true)
  expect(await opened.problems()).toEqual([])
})

test('the form and the JSON editor show the same route', browserWait, async (context) => {
  await using opened = await open(context)
  const { page } = opened
  await page.getByLabel('Target 1', { exact: true }).fill('first/other')
  await page.getByText('JSON', { exact: true }).click()
  const editor = page.getByRole('textbox', { name: 'Routes as JSON' })
  expect(await editor.inputValue()).toContain('"quick": "first/other"')
  await editor.fill('{')
  await page.getByText('This is not a JSON object').waitFor()
  expect(await page.getByRole('button', { name: 'Plan', exact: true }).isDisabled()).toBe(true)
  await editor.fill(
    '{ "alone": { "targets": [{ "target": "first/c", "weight": 2 }] }, "kept": "first/a" }',
  )
  await page.getByText('Form', { exact: true }).click()
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('alone')
  expect(await page.getByLabel('Weight 1', { exact: true }).inputValue()).toBe('2')
  await page.getByRole('button', { name: 'Plan', exact: true }).click()
  await page.getByRole('heading', { name: 'Removed: quick' }).waitFor()
  expect(await opened.problems()).toEqual([])
})

test('a route of sluice.yaml is shown and cannot be changed', browserWait, async (context) => {
  await using opened = await open(context)
  const { page } = opened
  await page.getByRole('button', { name: 'kept in sluice.yaml' }).click()
  await page.getByText('This route is declared in sluice.yaml. Change it there.').waitFor()
  expect(await page.getByLabel('Target 1', { exact: true }).isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: 'Remove this route' }).count()).toBe(0)
  await page.getByText('JSON', { exact: true }).click()
  await page.getByRole('textbox', { name: 'Routes as JSON' }).fill('{ "kept": "first/other" }')
  opened.expectStatus(409)
  await page.getByRole('button', { name: 'Plan', exact: true }).click()
  await page.getByRole('alert').getByText('models.kept is declared in sluice.yaml').waitFor()
  expect(await opened.problems()).toEqual([])
})

test('a viewer cannot change routes', browserWait, async (context) => {
  const { secret: key } = await granted(tests.gateway, 'POST /admin/v1/keys', {
    name: 'eyes',
    role: 'administrator',
    adminRole: 'viewer',
  })
  await using opened = await open(context, { key })
  const { page } = opened
  await page.getByLabel('Target 1', { exact: true }).waitFor()
  expect(await page.getByLabel('Target 1', { exact: true }).isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: 'Plan', exact: true }).count()).toBe(0)
  expect(await opened.problems()).toEqual([])
})

test(
  'edits limits of a target, longer models and the choice by load',
  browserWait,
  async (context) => {
    await using opened = await open(context)
    const { page } = opened
    const chooses = page.getByRole('combobox', { name: 'Or by their load' })
    await page.getByRole('button', { name: 'Add a route' }).click()
    await page.getByLabel('Name', { exact: true }).fill('limited')
    await page.getByLabel('Target 1', { exact: true }).fill('first/a')
    await page.getByText('Limits of this target').click()
    await page.getByLabel('Requests per minute').fill('60')
    await page.getByLabel('Tokens per minute').fill('9000')
    await page.getByRole('button', { name: 'Add a longer model' }).click()
    await page.getByLabel('For longer prompts 1').fill('first/a')
    await page.getByText('Load balancing').click()
    await chooses.selectOption('Fewest tokens this minute')
    opened.expectStatus(400)
    await page.getByRole('button', { name: 'Plan', exact: true }).click()
    await page.getByRole('alert').getByText('longer[0]').waitFor()
    expect(await page.getByLabel('For longer prompts 1').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('For longer prompts 1').fill('second/b')
    await page.getByRole('button', { name: 'Plan', exact: true }).click()
    await page.getByRole('heading', { name: 'Added: limited' }).waitFor()
    await page.getByRole('button', { name: 'Apply', exact: true }).click()
    await page.getByRole('status').getByText('Applied.').waitFor()
    expect(await opened.problems()).toEqual([])
    const { models } = await granted(tests.gateway, 'GET /admin/v1/routes')
    expect(models).toMatchObject({
      limited: {
        targets: [{ target: 'first/a', requestsPerMinute: 60, tokensPerMinute: 9000 }],
        longer: ['second/b'],
        choose: 'least-used',
      },
    })
  },
)
