// Targets without a known price in a route under a budget: they are skipped while a priced one exists, and the
// description of the route reports them.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { check } from '../../../packages/sluice/src/cli/check.ts'
import { readEnvironment } from '../../../packages/sluice/src/config/env.ts'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import type { Budget } from '../../../packages/gateway/src/ports/account.ts'
import { type Answering, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { type Levels, ownedKey, writeOwners } from '../../support/gateways/owners.ts'
import { ledger } from '../../support/ledger.ts'
import { adminKey, start } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const budget: Budget = { id: 'b', window: 'month', limitMicroUsd: 1_000_000 }
const line = 'write prices: {"acme/m": {input: …, output: …}} into sluice.yaml'

const routes = {
  main: { targets: [{ target: 'acme/m' }, { target: 'priced/m', priority: 1 }] },
  alone: { targets: [{ target: 'acme/m' }] },
  last: { targets: [{ target: 'priced/m' }], fallback: ['acme/m'] },
} satisfies ConfigFile['models']

async function stage(
  levels: Levels,
  { answers, ...content }: ConfigFile & { readonly answers?: Answering } = {},
) {
  await using opened = new AsyncDisposableStack()
  const { path: dataFolder } = opened.use(temporaryFolder())
  await writeOwners(dataFolder, levels)
  const upstream = opened.use(
    await fakeUpstream(answers ?? ((_seen, response) => json(response, chatReply('Hello')))),
  )
  const provider = { type: 'openai' as const, baseUrl: upstream.url, key: 'k' }
  const gateway = opened.use(
    await start(
      {
        providers: { acme: provider, priced: provider },
        prices: { 'priced/*': { input: 1, output: 1 } },
        models: routes,
        defaults: { retries: { attempts: 1 } },
        ...content,
      },
      { dataFolder },
    ),
  )
  const moved = opened.move()
  return {
    upstream,
    gateway,
    post: (model: string) =>
      gateway.post(
        '/v1/chat/completions',
        { model, messages: [{ role: 'user', content: 'Hi' }] },
        { key: ownedKey },
      ),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

describe('under a budget', () => {
  test('a target without a price is skipped while a priced one is left', async () => {
    await using at = await stage({ organization: { budgets: [budget] } })
    for (let n = 0; n < 3; n++) expect((await at.post('main')).status).toBe(200)
    const records = await ledger(at.gateway)
    expect(records.map(({ provider, costMicroUsd }) => [provider, costMicroUsd])).toEqual([
      ['priced', 10],
      ['priced', 10],
      ['priced', 10],
    ])
  })

  test('an unpriced fallback is skipped, and the failure of the priced target is returned', async () => {
    await using at = await stage(
      { team: { budgets: [budget] } },
      {
        answers: (_seen, response) => json(response, { error: { message: 'no' } }, { status: 500 }),
      },
    )
    expect((await at.post('last')).status).toBeGreaterThanOrEqual(500)
    expect((await ledger(at.gateway)).map(({ provider }) => provider)).toEqual(['priced'])
  })

  test.each([
    ['key', 'This key'],
    ['user', 'The user some user'],
    ['team', 'The team some team'],
    ['organization', 'The organization some organization'],
  ] as const)('of the %s, a route without a priced target is refused', async (level, who) => {
    await using at = await stage({ [level]: { budgets: [budget] } })
    const answer = await at.post('alone')
    expect(answer.status).toBe(403)
    expect(await answer.json()).toMatchObject({
      error: {
        param: 'model',
        message: `${who} has a budget that counts alone, and the price of acme/m is unknown: ${line}`,
      },
    })
    expect(at.upstream.seen).toEqual([])
  })

  test('of another model, no target is skipped', async () => {
    await using at = await stage({ key: { budgets: [{ ...budget, model: 'other/*' }] } })
    expect((await at.post('main')).status).toBe(200)
    expect((await ledger(at.gateway)).map(({ provider }) => provider)).toEqual(['acme'])
  })

  test('no target is skipped on an over-budget route that no budget counts', async () => {
    const exhausted = { ...budget, limitMicroUsd: 1, model: 'main', overBudget: { route: 'alone' } }
    await using at = await stage({ key: { budgets: [exhausted] } })
    expect((await at.post('main')).status).toBe(200)
    expect((await ledger(at.gateway)).map(({ provider }) => provider)).toEqual(['acme'])
  })

  test('no target is skipped with unknownPrices: allow', async () => {
    await using at = await stage(
      { key: { budgets: [budget] } },
      { limits: { unknownPrices: 'allow' } },
    )
    expect((await at.post('main')).status).toBe(200)
    expect((await ledger(at.gateway)).map(({ provider }) => provider)).toEqual(['acme'])
  })
})

describe('unpriced targets of a route', () => {
  const skipped = `the price of acme/m is unknown, and calls that a budget counts skip it: ${line}`
  const refused = skipped.replace('skip it', 'are refused')

  test('are reported by the route list and by a plan', async () => {
    using folder = temporaryFolder()
    const provider = { type: 'openai' as const, baseUrl: 'http://127.0.0.1:1', key: 'k' }
    const content: ConfigFile = {
      providers: { acme: provider, priced: provider },
      prices: { 'priced/*': { input: 1, output: 1 } },
      models: { main: routes.main, fine: 'priced/m' },
    }
    const configFile = join(folder.path, 'sluice.yaml')
    writeFileSync(configFile, JSON.stringify(content))
    await using gateway = await start(content, { configFile })
    const answer = await gateway.request('/admin/v1/routes', { key: adminKey })
    expect(await answer.json()).toMatchObject({
      problems: [],
      unpriced: [{ model: 'main', problem: skipped }],
    })
    const models = { main: routes.main, alone: 'acme/m', fine: 'priced/m' }
    const planned = await gateway.post('/admin/v1/routes/plan', { models }, { key: adminKey })
    expect(await planned.json()).toMatchObject({
      problems: [],
      unpriced: [
        { model: 'main', problem: skipped },
        { model: 'alone', problem: refused },
      ],
    })
  })

  test('are reported by explain', async () => {
    await using at = await stage({})
    const explained = async (model: string) => {
      const request = { model, messages: [{ role: 'user', content: 'Hi' }] }
      const answer = await at.gateway.post('/admin/v1/explain', { request }, { key: adminKey })
      const { targets } = (await answer.json()) as {
        targets: { target: string; unpriced: string | null }[]
      }
      return targets.map(({ target, unpriced }) => [target, unpriced])
    }
    expect(await explained('main')).toEqual([
      ['acme/m', skipped],
      ['priced/m', null],
    ])
    expect(await explained('alone')).toEqual([['acme/m', refused]])
  })

  test.each([
    ['refuse', true],
    ['allow', false],
  ])('are reported by check, unless unknownPrices: %s', async (unknownPrices, isTold) => {
    using folder = temporaryFolder()
    const provider = '{ type: openai, baseUrl: "http://127.0.0.1:1", key: k }'
    const file = join(folder.path, 'sluice.yaml')
    writeFileSync(
      file,
      `providers: { acme: ${provider}, priced: ${provider} }
prices: { "priced/*": { input: 1, output: 1 } }
limits: { unknownPrices: ${unknownPrices} }
models:
  main: { targets: [{ target: acme/m }, { target: priced/m }] }
  alone: acme/m
`,
    )
    const variables = { SLUICE_CONFIG: file, SLUICE_DATA: join(folder.path, 'data') }
    const { text } = await check(readEnvironment(variables))
    expect(text.includes(`WARNING    models.main: ${skipped}.`)).toBe(isTold)
    expect(text.includes(`WARNING    models.alone: ${refused}.`)).toBe(isTold)
  })
})
