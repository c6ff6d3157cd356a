// The cost of a recording is reserved before it is sent, whether it is priced by seconds or by tokens.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import { granted } from '../../support/administrate.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { root } from '../../support/npm.ts'
import { type Started, start } from '../../support/start.ts'

/** Ten seconds at 32 kbit/s. */
const recording = Buffer.alloc(40_000, 1)
/** The most seconds that it may have: at 6 kbit/s. */
const longest = Math.ceil(recording.length / 750)

const usages = {
  tokens: {
    type: 'tokens',
    input_tokens: 100,
    input_token_details: { audio_tokens: 100, text_tokens: 0 },
    output_tokens: 20,
    total_tokens: 120,
  },
  seconds: { type: 'duration', seconds: 10 },
}

/** A second, with a few hundredths of silence. */
const second = readFileSync(join(root, 'test/fixtures/audio/tone.mp3'))

function sent(gateway: Started, key: string, file: Buffer = recording): Promise<Response> {
  const form = new FormData()
  form.set('model', 'up/m')
  form.set('file', new Blob([new Uint8Array(file)], { type: 'audio/mpeg' }), 'a.mp3')
  return gateway.request('/v1/audio/transcriptions', { method: 'POST', body: form, key })
}

interface Case {
  readonly file?: Buffer

  readonly price: NonNullable<ConfigFile['prices']>[string]
  readonly usage: object
  readonly reserved: number
  readonly spent: number
}

test.each<[string, Case]>([
  [
    'tokens',
    {
      price: { audioInput: 6, output: 10 },
      usage: usages.tokens,
      // Of 54 seconds 32 tokens of sound and 8 of text each; 100 and 20 were used.
      reserved: longest * (32 * 6 + 8 * 10),
      spent: 100 * 6 + 20 * 10,
    },
  ],
  [
    'seconds',
    {
      price: { audioSeconds: 0.0001 },
      usage: usages.seconds,
      reserved: longest * 100,
      spent: 1_000,
    },
  ],
  [
    'seconds, of a file with a known duration',
    {
      file: second,
      price: { audioSeconds: 0.0001 },
      usage: { type: 'duration', seconds: 1 },
      reserved: 200,
      spent: 100,
    },
  ],
])(
  'reserves the cost of a recording at a price for %s',
  async (_name, { file, price, usage, reserved, spent }) => {
    await using upstream = await fakeUpstream((_seen, response) =>
      json(response, { text: 'Hello', usage }),
    )
    await using gateway = await start({
      prices: { 'up/*': price },
      defaults: { retries: { attempts: 1 } },
      providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
    })
    const ask = async (limitMicroUsd: number) => {
      const budgets = [{ id: 'b', limitMicroUsd, window: 'month' }]
      const key = await granted(gateway, 'POST /admin/v1/keys', { name: 'k', budgets })
      return { send: () => sent(gateway, key.secret, file), key }
    }
    const less = await ask(reserved - 1)
    const refused = await less.send()
    expect(refused.status).toBe(429)
    expect(await refused.text()).toContain('insufficient_quota')
    expect(upstream.seen).toHaveLength(0)
    const enough = await ask(reserved)
    const answer = await enough.send()
    expect(answer.status, await answer.text()).toBe(200)
    // What was really used takes its place.
    await expect
      .poll(
        async () => {
          const own = await gateway.request('/v1/usage', { key: enough.key.secret })
          const { limits } = (await own.json()) as { limits: { remaining: number }[] }
          return limits[0]?.remaining
        },
        { timeout: 15_000 },
      )
      .toBe(reserved - spent)
  },
)

test('reserves the tokens of a recording against tokens per minute and settles those used', async () => {
  let isHeld = true
  const held: (() => void)[] = []
  await using upstream = await fakeUpstream((_seen, response) => {
    const answer = () => json(response, { text: 'Hello', usage: usages.tokens })
    if (isHeld) held.push(answer)
    else answer()
  })
  await using gateway = await start({
    defaults: { retries: { attempts: 1 } },
    providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
  })
  // Of ten seconds 320 tokens of sound and 80 of text are put aside; 120 are used.
  const key = await granted(gateway, 'POST /admin/v1/keys', { name: 'k', tokensPerMinute: 700 })
  const first = sent(gateway, key.secret)
  await expect.poll(() => held.length, { timeout: 15_000 }).toBe(1)
  const refused = await sent(gateway, key.secret)
  expect(refused.status).toBe(429)
  expect(upstream.seen).toHaveLength(1)
  isHeld = false
  held[0]?.()
  expect((await first).status).toBe(200)
  await expect
    .poll(async () => (await sent(gateway, key.secret)).status, { timeout: 15_000 })
    .toBe(200)
})
