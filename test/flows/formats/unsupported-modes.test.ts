// Modes for fields that a target does not support: reject them, drop and report them, or decide by their meaning.
import { describe, expect, test } from 'vitest'
import { answerMessage, anthropicMessage, textBlock } from '../../support/fakes/anthropic-wire.ts'
import { type FakeUpstream, fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { ask, type Routes } from '../../support/routes.ts'
import { adminKey, type Started, start } from '../../support/start.ts'

const path = '/v1/chat/completions'
const hint = { verbosity: 'low', metadata: { team: 'a' } }
const meaning = { logit_bias: { '7': 1 } }

interface Stage extends AsyncDisposable {
  readonly gateway: Started
  readonly claude: FakeUpstream
}

type Mode = 'refuse' | 'hints' | 'report'

/** A gateway before an upstream of another protocol, which knows neither field. */
async function stage(further: Routes = {}, provider: { unsupported?: Mode } = {}): Promise<Stage> {
  const claude = await fakeUpstream((seen, response) =>
    answerMessage(seen, response, anthropicMessage([textBlock('Hello')])),
  )
  const providers = {
    claude: { type: 'anthropic' as const, baseUrl: claude.url, key: 'k', ...provider },
  }
  const gateway = await start({ ...further, providers })
  return {
    gateway,
    claude,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await claude[Symbol.asyncDispose]()
    },
  }
}

const outcomes = {
  refuse: [
    [400, null],
    [400, null],
  ],
  hints: [
    [200, 'verbosity, metadata'],
    [400, null],
  ],
  report: [
    [200, 'verbosity, metadata'],
    [200, 'logit_bias'],
  ],
} as const

async function expectMode(
  gateway: Started,
  mode: Mode,
  { model = 'claude/m', headers = {} }: { model?: string; headers?: Record<string, string> } = {},
): Promise<void> {
  const seen = []
  for (const fields of [hint, meaning]) {
    const response = await gateway.post(path, { model, ...ask, ...fields }, { headers })
    seen.push([response.status, response.headers.get('x-sluice-dropped')])
    await response.arrayBuffer()
  }
  expect(seen).toEqual(outcomes[mode])
}

describe('the mode for unsupported fields', () => {
  test('is hints by default', async () => {
    await using both = await stage()
    await expectMode(both.gateway, 'hints')
    expect(both.claude.seen.map(({ body }) => Object.keys(body))).toEqual([
      ['model', 'max_tokens', 'messages'],
    ])
  })

  test.each(['refuse', 'hints', 'report'] as const)('can be set globally: %s', async (mode) => {
    await using both = await stage({ unsupported: mode })
    await expectMode(both.gateway, mode)
  })

  test('is taken from the call, route, provider or global setting, in this order', async () => {
    await using both = await stage(
      {
        unsupported: 'report',
        models: {
          own: { targets: [{ target: 'claude/m' }], unsupported: 'hints' },
          plain: { targets: [{ target: 'claude/m' }] },
        },
      },
      { unsupported: 'refuse' },
    )
    const { gateway } = both
    await expectMode(gateway, 'refuse')
    await expectMode(gateway, 'refuse', { model: 'plain' })
    await expectMode(gateway, 'hints', { model: 'own' })
    const headers = { 'x-sluice-unsupported': 'report' }
    await expectMode(gateway, 'report', { model: 'own', headers })
    await expectMode(gateway, 'report', { headers })
    const request = { model: 'own', ...ask }
    const explained = await gateway.post('/admin/v1/explain', { request }, { key: adminKey })
    expect(await explained.json()).toMatchObject({ targets: [{ unsupported: 'hints' }] })
  })

  test('can be set in the defaults of routes', async () => {
    await using both = await stage({ defaults: { unsupported: 'report' }, unsupported: 'refuse' })
    await expectMode(both.gateway, 'report')
  })

  test('rejects unknown values', async () => {
    await using both = await stage()
    const headers = { 'x-sluice-unsupported': 'sometimes' }
    const response = await both.gateway.post(path, { model: 'claude/m', ...ask }, { headers })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { param: 'x-sluice-unsupported' } })
  })
})

test('rejects an unsupported field by the caller’s own name', async () => {
  await using both = await stage()
  const headers = { 'x-sluice-unsupported': 'refuse' }
  const refusalOf = async (address: string, body: object) => {
    const response = await both.gateway.post(address, body, { headers })
    return [response.status, JSON.stringify(await response.json())]
  }
  const generation = { contents: [{ parts: [{ text: 'Hi' }] }], labels: { a: 'b' } }
  expect(
    await refusalOf('/v1/responses', {
      model: 'claude/m',
      input: 'Hi',
      text: { verbosity: 'low' },
    }),
  ).toEqual([400, expect.stringContaining('text.verbosity')])
  expect(await refusalOf('/v1beta/models/claude%2Fm:generateContent', generation)).toEqual([
    400,
    expect.stringContaining('labels'),
  ])
  expect(await refusalOf(path, { model: 'claude/m', ...ask, min_p: 0.5 })).toEqual([
    400,
    expect.stringContaining('min_p'),
  ])
  expect(await refusalOf(path, { model: 'builtin-chat', ...ask, min_p: 0.5 })).toEqual([
    400,
    expect.stringContaining('min_p'),
  ])
  expect(both.claude.seen).toEqual([])
})

test('drops a field that the gateway itself lacks only in report mode', async () => {
  await using both = await stage()
  const body = { model: 'builtin-chat', input: 'What is 6 times 7?', background: true }
  const refused = await both.gateway.post('/v1/responses', body)
  expect(refused.status).toBe(400)
  const headers = { 'x-sluice-unsupported': 'report' }
  const reported = await both.gateway.post('/v1/responses', body, { headers })
  expect(reported.status).toBe(200)
  expect(reported.headers.get('x-sluice-dropped')).toBe('background')
})

test('lists dropped fields in the headers of a stream', async () => {
  await using both = await stage()
  const body = { model: 'claude/m', ...ask, ...hint, stream: true }
  const response = await both.gateway.post(path, body)
  expect(response.headers.get('x-sluice-dropped')).toBe('verbosity, metadata')
  expect(await response.text()).toMatch(/"Hello"[\s\S]*data: \[DONE\]\n\n$/)
})
