// A budget limits the output of a call that sets no limit itself, as configured for the key.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chat, chatPath, geminiPath, responsesPath } from '../../corpus/bounded-requests.ts'
import { granted } from '../../support/administrate.ts'
import { type BudgetedGateway, openBudgeted } from '../../support/gateways/budgeted-gateway.ts'

type Fields = Readonly<Record<string, unknown>>

let staged: BudgetedGateway
beforeAll(async () => {
  staged = await openBudgeted()
})
afterAll(() => staged[Symbol.asyncDispose]())

describe('the output limit of a call under a budget', () => {
  const messages = [{ role: 'user', content: 'Hi' }]
  const contents = [{ parts: [{ text: 'Hi' }] }]
  const unlimited: readonly (readonly [
    string,
    string,
    object,
    string,
    (body: Fields) => unknown,
  ])[] = [
    [
      'chat',
      chatPath,
      { model: 'up/m', messages },
      'max_completion_tokens',
      (body) => body['max_completion_tokens'],
    ],
    [
      'streamed chat',
      chatPath,
      { model: 'up/m', messages, stream: true },
      'max_completion_tokens',
      (body) => body['max_completion_tokens'],
    ],
    [
      'chat to Claude',
      chatPath,
      { model: 'claude/m', messages },
      'max_completion_tokens',
      (body) => body['max_tokens'],
    ],
    [
      'chat to Gemini',
      chatPath,
      { model: 'google/m', messages },
      'max_completion_tokens',
      (body) => (body['generationConfig'] as Fields)['maxOutputTokens'],
    ],
    [
      'chat to Responses',
      chatPath,
      { model: 'resp/m', messages },
      'max_completion_tokens',
      (body) => body['max_output_tokens'],
    ],
    [
      'completions',
      '/v1/completions',
      { model: 'up/m', prompt: 'Hi' },
      'max_tokens',
      (body) => body['max_tokens'],
    ],
    [
      'Responses',
      responsesPath,
      { model: 'resp/m', input: 'Hi' },
      'max_output_tokens',
      (body) => body['max_output_tokens'],
    ],
    [
      'Responses to chat',
      responsesPath,
      { model: 'up/m', input: 'Hi' },
      'max_output_tokens',
      (body) => body['max_output_tokens'],
    ],
    [
      'Gemini',
      geminiPath('google/m'),
      { contents },
      'generationConfig.maxOutputTokens',
      (body) => (body['generationConfig'] as Fields)['maxOutputTokens'],
    ],
    [
      'Gemini with generationConfig',
      geminiPath('google/m'),
      { contents, generation_config: { temperature: 1 } },
      'generation_config.maxOutputTokens',
      (body) => (body['generation_config'] as Fields)['maxOutputTokens'],
    ],
    [
      'Gemini to Claude',
      geminiPath('claude/m'),
      { contents },
      'generationConfig.maxOutputTokens',
      (body) => body['max_tokens'],
    ],
  ]

  test.each(unlimited)(
    'is set to the default where the request has none: %s',
    async (...[, path, body, , sent]) => {
      const key = await staged.keyWith()
      const answer = await staged.gateway.post(path, body, { key })
      expect(answer.status, await answer.clone().text()).toBe(200)
      expect(answer.headers.get('x-sluice-output-limit')).toBe('4096')
      await answer.arrayBuffer()
      expect(sent(staged.upstream.seen.at(-1)?.body ?? {})).toBe(4_096)
    },
  )

  test.each(unlimited)(
    'is required by a key with output: refuse: %s',
    async (...[, path, body, field]) => {
      const key = await staged.keyWith({ output: 'refuse' })
      const answer = await staged.gateway.post(path, body, { key })
      expect(answer.status).toBe(400)
      expect(await answer.text()).toContain(`'${field}'`)
    },
  )

  test.each(unlimited)('is not set without a budget: %s', async (name, path, body) => {
    const { secret } = await granted(staged.gateway, 'POST /admin/v1/keys', { name: 'k' })
    const answer = await staged.gateway.post(path, body, { key: secret })
    expect(answer.headers.get('x-sluice-output-limit')).toBe(null)
    await answer.arrayBuffer()
    // Claude's API asks for a limit.
    const limited = /max_?(?:completion_|output_)?tokens/i
    expect(limited.test(JSON.stringify(staged.upstream.seen.at(-1)?.body))).toBe(
      name.includes('Claude'),
    )
  })

  test('of the caller is kept, or refused when the budget cannot cover it', async () => {
    const key = await staged.keyWith()
    await (
      await staged.gateway.post(chatPath, { ...chat('Hi'), max_tokens: 9_000 }, { key })
    ).arrayBuffer()
    expect(staged.upstream.seen.at(-1)?.body['max_tokens']).toBe(9_000)
    const small = await staged.keyWith({}, 9_000)
    expect(
      (await staged.gateway.post(chatPath, { ...chat('Hi'), max_tokens: 9_000 }, { key: small }))
        .status,
    ).toBe(429)
  })

  test('shrinks to what the budget can cover, down to a minimum', async () => {
    const body = { model: 'up/m', messages }
    const input = Buffer.byteLength(JSON.stringify(body)) + 64
    for (const [room, limit] of [
      [4_097, '4096'],
      [4_096, '4096'],
      [4_095, '4095'],
      [1_024, '1024'],
      [1_023, null],
    ] as const) {
      const key = await staged.keyWith({}, input + room)
      const answer = await staged.gateway.post(chatPath, body, { key })
      expect([room, answer.status, answer.headers.get('x-sluice-output-limit')]).toEqual([
        room,
        limit === null ? 429 : 200,
        limit,
      ])
      await answer.arrayBuffer()
    }
  })

  test('adds the requested thinking budget', async () => {
    const key = await staged.keyWith()
    const generationConfig = { thinkingConfig: { thinkingBudget: 8_000 } }
    const answer = await staged.gateway.post(
      geminiPath('google/m'),
      { contents, generationConfig },
      { key },
    )
    expect(answer.headers.get('x-sluice-output-limit')).toBe('9024')
    await answer.arrayBuffer()
  })

  test('is the model’s maximum with output: reserve', async () => {
    const known = await staged.reservedFor(
      chatPath,
      { model: 'up/known', messages },
      { output: 'reserve' },
    )
    expect(known.reserved).toBeGreaterThan(30_000)
    expect(known.headers?.get('x-sluice-output-limit')).toBe(null)
    const unknown = await staged.reservedFor(
      chatPath,
      { model: 'up/m', messages },
      { output: 'reserve' },
    )
    expect([unknown.refused, unknown.error?.message]).toEqual([
      403,
      expect.stringContaining('outputTokenLimit'),
    ])
  })

  test('ignores fields of other formats', async () => {
    const { reserved } = await staged.reservedFor(chatPath, {
      model: 'up/m',
      messages,
      max_output_tokens: 1,
      generationConfig: { maxOutputTokens: 1 },
    })
    expect(reserved).toBeGreaterThan(4_096)
  })
})
