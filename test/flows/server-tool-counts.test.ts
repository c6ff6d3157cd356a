// Calls of a provider's own tools are paid for by the call: they are counted in the ledger.
import { expect, test } from 'vitest'
import { ask, faces } from '../support/faces.ts'
import type { Answering } from '../support/fake-upstream.ts'
import { ledger } from '../support/ledger.ts'
import { claude, either, gemini, openai, response } from '../support/server-tool-answers.ts'
import { type Started, until } from '../support/start.ts'
import { inFrontOf } from '../support/through.ts'

const perplexity = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Yes' } }],
  usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10, num_search_queries: 3 },
}
const xai = {
  ...perplexity,
  usage: { ...perplexity.usage, num_search_queries: undefined, num_sources_used: 4 },
}
const grok = {
  ...response,
  usage: {
    ...response.usage,
    server_side_tool_usage_details: { web_search_calls: 7, x_search_calls: 1 },
  },
}

async function recorded(gateway: Started, count: number) {
  let records: Awaited<ReturnType<typeof ledger>> = []
  await until(() => {
    void ledger(gateway).then((written) => {
      records = written
    })
    return records.length >= count
  })
  return records
}

const counted: readonly (readonly [Parameters<typeof inFrontOf>[0], Answering, object])[] = [
  ['anthropic', claude, { web_search: 2, web_fetch: 1 }],
  ['openai-responses', openai, { web_search: 1, code_execution: 1, mcp: 1 }],
  ['openai-responses', either(grok, []), { web_search: 7, x_search: 1, code_execution: 1, mcp: 1 }],
  ['gemini', gemini, { web_search: 2, code_execution: 1 }],
  ['openai', either(perplexity, []), { web_search: 3 }],
  ['openai', either(xai, []), { source: 4 }],
]

test.each(counted)(
  '%s: calls are counted whether bytes pass or not',
  async (type, answering, calls) => {
    await using pair = await inFrontOf(type, answering)
    const streams = calls === counted[2]?.[2] || type === 'openai' ? [false] : [false, true]
    for (const face of faces) for (const stream of streams) await ask(pair, face, { stream })
    const records = await recorded(pair.gateway, faces.length * streams.length)
    for (const record of records) expect(record.serverToolCalls).toEqual(calls)
    if (type === 'anthropic')
      for (const record of records)
        expect([record.cacheWriteTokens, record.longCacheWriteTokens]).toEqual([15, 5])
  },
)

test('and told in the usage of the formats that count them', async () => {
  await using pair = await inFrontOf('openai-responses', openai)
  for (const stream of [false, true]) {
    const { wire } = await ask(pair, 'messages', { stream })
    expect(wire).toContain('"server_tool_use":{"web_search_requests":1')
  }
})
