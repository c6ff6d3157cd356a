// A call under a budget reserves the most that its input can cost, in every format.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  chat,
  chatPath,
  geminiPath,
  messagesPath,
  outside,
  pictures,
  responsesPath,
  texts,
} from '../../corpus/bounded-requests.ts'
import {
  type BudgetedGateway,
  openBudgeted,
  window,
} from '../../support/gateways/budgeted-gateway.ts'

let staged: BudgetedGateway
beforeAll(async () => {
  staged = await openBudgeted()
})
afterAll(() => staged[Symbol.asyncDispose]())

describe('reserves at least one token per byte of text:', () => {
  test.each(texts)('%s', async (_name, path, body) => {
    const { reserved } = await staged.reservedFor(path, body)
    expect(reserved).toBeGreaterThanOrEqual(Buffer.byteLength(JSON.stringify(body)))
  })
})

describe('reserves the most that providers charge for an image:', () => {
  test.each(pictures)('%s', async (_name, path, body) => {
    const { reserved } = await staged.reservedFor(path, body)
    expect(reserved).toBeGreaterThanOrEqual(10_000)
    expect(reserved).toBeLessThan(11_000)
  })
})

describe('reserves the whole context window for input outside the request, and rejects the call where the window is unknown:', () => {
  test.each(outside)('%s', async (_name, path, provider, body) => {
    const known = await staged.reservedFor(path.replace('%2Fm:', '%2Fknown:'), {
      model: `${provider}/known`,
      ...body,
    })
    expect(known.reserved).toBe(window + 10)
    const unknown = await staged.reservedFor(path, { model: `${provider}/m`, ...body })
    expect(unknown.refused).toBe(403)
    expect(unknown.error?.message).toContain('inputTokenLimit')
    const inputBound = 'estimate'
    const estimated = await staged.reservedFor(
      path,
      { model: `${provider}/m`, ...body },
      { inputBound },
    )
    expect(estimated.reserved).toBeGreaterThan(10)
  })
})

describe('requires a limit for tools that the provider runs:', () => {
  const messages = [{ role: 'user', content: 'Hi' }]
  const search = { type: 'web_search_20250305', name: 'web_search' }
  const contents = [{ parts: [{ text: 'Hi' }] }]
  const refusals: readonly (readonly [string, string, object, string])[] = [
    [
      'Messages',
      messagesPath,
      { model: 'claude/known', max_tokens: 10, messages, tools: [search] },
      'max_uses',
    ],
    [
      'an MCP server',
      messagesPath,
      {
        model: 'claude/known',
        max_tokens: 10,
        messages,
        mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'a' }],
      },
      'mcp_servers',
    ],
    [
      'Responses',
      responsesPath,
      { model: 'resp/known', max_output_tokens: 10, input: 'Hi', tools: [{ type: 'web_search' }] },
      'max_tool_calls',
    ],
    [
      'chat',
      chatPath,
      chat('Hi', { model: 'up/known', web_search_options: {} }),
      'web_search_options',
    ],
    [
      'Gemini',
      geminiPath('google/known'),
      { generationConfig: { maxOutputTokens: 10 }, contents, tools: [{ googleSearch: {} }] },
      'googleSearch',
    ],
  ]
  test.each(refusals)('%s: rejected without a limit', async (_name, path, body, said) => {
    const { refused, error } = await staged.reservedFor(path, body)
    expect(refused).toBe(403)
    expect(error?.message).toContain(said)
  })

  test.each<[string, string, object]>([
    [
      'Messages',
      messagesPath,
      { model: 'claude/known', max_tokens: 10, messages, tools: [{ ...search, max_uses: 2 }] },
    ],
    [
      'Responses',
      responsesPath,
      {
        model: 'resp/known',
        max_output_tokens: 10,
        max_tool_calls: 2,
        input: 'Hi',
        tools: [{ type: 'web_search' }],
      },
    ],
  ])('%s: reserves two uses', async (_name, path, body) => {
    const { reserved } = await staged.reservedFor(path, body)
    // The input is read before and after each of them.
    expect(reserved).toBe(3 * (window + 10) + 2 * 10_000)
  })

  test('does not count the caller’s own tools', async () => {
    const tools = [
      { type: 'bash_20250124', name: 'bash' },
      { name: 'f', input_schema: { type: 'object' } },
    ]
    const { reserved } = await staged.reservedFor(messagesPath, {
      model: 'claude/m',
      max_tokens: 10,
      messages,
      tools,
    })
    expect(reserved).toBeLessThan(2_000)
  })
})
