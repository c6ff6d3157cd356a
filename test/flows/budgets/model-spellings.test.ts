// The budget of a model counts every spelling of its name that can reach it; lists of allowed models match exactly.
import { expect, test } from 'vitest'
import { granted } from '../../support/administrate.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { type Started, start, until } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const prices = { '*': { input: 1, output: 1 } }
/** More than any call reserves. */
const used = 1_000
const usage = { prompt_tokens: used - 10, completion_tokens: 10, total_tokens: used }
const models = ['up/ok', 'ok', 'up/o*'] as const

async function ask(gateway: Started, key: string, model: string): Promise<number> {
  const body = { model, max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }
  const answer = await gateway.post('/v1/chat/completions', body, { key })
  await answer.arrayBuffer()
  return answer.status
}

async function stage() {
  const opened = new AsyncDisposableStack()
  const upstream = opened.use(
    await fakeUpstream((_seen, response) => json(response, chatReply('Hello', { usage }))),
  )
  const folder = opened.use(temporaryFolder())
  const open = async () =>
    opened.use(
      await start(
        {
          prices,
          defaults: { retries: { attempts: 1 } },
          providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
        },
        { dataFolder: folder.path },
      ),
    )
  return { open, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

const spellings = [
  'up/ok ',
  'up/ ok',
  'up//ok',
  'up///ok',
  'up/OK',
  'up/Ok',
  'up/ｏｋ',
  'up/ok\u00a0',
  'up/ok-2026-04-23',
  'up/ok-20260423',
  'up/ok@20260423',
  'up/ok-latest',
  'up/ok:latest',
  'up//OK-2026-04-23 ',
]

const others = ['up/okay', 'up/ok-mini', 'up/not-ok', 'up/ok/2', 'up/ok-2026']

/** A key whose budget for the model is spent by one call. */
const keyFor = (gateway: Started, model: string) =>
  granted(gateway, 'POST /admin/v1/keys', {
    name: 'k',
    budgets: [{ id: 'b', window: 'month', limitMicroUsd: used + 1, model }],
  })

test.each(spellings)('a model budget counts the spelling %j', async (spelling) => {
  await using staged = await stage()
  const gateway = await staged.open()
  for (const model of models) {
    // In either order, and twice.
    for (const [first, second] of [
      ['up/ok', spelling],
      [spelling, 'up/ok'],
      [spelling, spelling],
    ] as const) {
      const { secret, id } = await keyFor(gateway, model)
      expect(await ask(gateway, secret, first), first).toBe(200)
      await until(async () => {
        const { data } = await granted(gateway, `GET /admin/v1/budgets?holder=${id}`)
        return data[0]?.['remainingMicroUsd'] === 1
      })
      expect(await ask(gateway, secret, second), `${model}: ${first}, ${second}`).toBe(429)
    }
  }
})

test('a model budget does not count other models', async () => {
  await using staged = await stage()
  const gateway = await staged.open()
  for (const other of others)
    for (const model of ['up/ok', 'ok']) {
      const { secret } = await keyFor(gateway, model)
      expect(await ask(gateway, secret, other)).toBe(200)
      expect(await ask(gateway, secret, 'up/ok'), `${model} ${other}`).toBe(200)
      expect(await ask(gateway, secret, other)).toBe(200)
    }
})

test('recalls what other spellings spent after a restart', async () => {
  await using staged = await stage()
  const first = await staged.open()
  const { secret } = await keyFor(first, 'up/ok')
  expect(await ask(first, secret, 'up/OK')).toBe(200)
  await first.gateway.store.flush()
  const next = await staged.open()
  expect(await ask(next, secret, 'up/ok')).toBe(429)
})

test('lists of allowed models match exactly', async () => {
  await using staged = await stage()
  const gateway = await staged.open()
  const { secret } = await granted(gateway, 'POST /admin/v1/keys', { name: 'k', models: ['up/ok'] })
  expect(await ask(gateway, secret, 'up/ok')).toBe(200)
  for (const spelling of spellings)
    expect([403, 404]).toContain(await ask(gateway, secret, spelling))
})
