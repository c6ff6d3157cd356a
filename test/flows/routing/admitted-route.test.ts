// A call uses the route for which its cost was reserved, even if the settings change.
import { expect, test } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import { granted } from '../../support/administrate.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { start } from '../../support/start.ts'

test('a reload while the limiter is asked changes neither the route nor what is reserved', async () => {
  await using cheap = await fakeUpstream((_seen, response) => json(response, chatReply('Cheap')))
  await using dear = await fakeUpstream((_seen, response) => json(response, chatReply('Dear')))
  const at = (target: string): ConfigFile => ({
    providers: {
      cheap: { type: 'openai', baseUrl: cheap.url, key: 'k' },
      dear: { type: 'openai', baseUrl: dear.url, key: 'k' },
    },
    models: { m: target },
    prices: { 'cheap/*': { input: 1, output: 1 }, 'dear/*': { input: 1_000, output: 1_000 } },
  })
  await using gateway = await start(at('cheap/x'))
  const { limiter } = gateway.gateway
  const reserve = limiter.reserve.bind(limiter)
  const { secret } = await granted(gateway, 'POST /admin/v1/keys', {
    name: 'budgeted',
    budgets: [{ window: 'lifetime', limitMicroUsd: 5_000 }],
  })
  limiter.reserve = async (...claims) => {
    await gateway.configure(at('dear/x'))
    return reserve(...claims)
  }
  const ask = () =>
    gateway.post(
      '/v1/chat/completions',
      { model: 'm', max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] },
      { key: String(secret) },
    )
  const first = await ask()
  expect([first.status, await first.text()]).toEqual([200, expect.stringContaining('Cheap')])
  expect(dear.seen).toEqual([])
  // The next one costs what the new route costs, for which there is no room.
  expect((await ask()).status).toBe(429)
  expect(dear.seen).toEqual([])
})
