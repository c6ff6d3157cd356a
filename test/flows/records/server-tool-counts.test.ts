// Calls of a provider's own tools are charged per call and counted in the ledger.
import { expect, test } from 'vitest'
import { ask, faces } from '../../support/clients/client-formats.ts'
import { type Answering, json } from '../../support/fakes/fake-upstream.ts'
import {
  claude,
  either,
  gemini,
  openai,
  response,
} from '../../support/fakes/server-tool-answers.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'
import { ledger } from '../../support/ledger.ts'
import { type Started, until } from '../../support/start.ts'

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

const executed = [
  { index: 0, type: 'search', arguments: '{"query":"a"}', output: 'A' },
  { index: 1, type: 'python', arguments: '{"code":"1"}', output: '1' },
  { index: 2, type: 'search', arguments: '{"query":"b"}', output: 'B' },
]
const { num_search_queries: _, ...plainUsage } = perplexity.usage
/** Groq tells each call when it begins, and again when it is done. */
const groq = either(
  {
    ...perplexity,
    usage: plainUsage,
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        message: { role: 'assistant', content: 'Yes', executed_tools: executed },
      },
    ],
  },
  [
    ...executed.flatMap((tool) =>
      [{ ...tool, output: null }, tool].map((one) => groqChunk({ executed_tools: [one] })),
    ),
    groqChunk({ content: 'Yes' }),
    { ...groqChunk({}, 'stop'), x_groq: { usage: plainUsage } },
  ]
    .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
    .concat('data: [DONE]\n\n'),
)

function groqChunk(delta: object, finish_reason: string | null = null): object {
  const choices = [{ index: 0, delta, finish_reason }]
  return { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices }
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
  ['anthropic', claude, { web_search: 2, web_fetch: 1, code_execution: 1, mcp: 1 }],
  ['openai-responses', openai, { web_search: 1, code_execution: 1, mcp: 1 }],
  ['openai-responses', either(grok, []), { web_search: 7, x_search: 1, code_execution: 1, mcp: 1 }],
  ['gemini', gemini, { web_search: 2, code_execution: 1 }],
  ['openai', either(perplexity, []), { web_search: 3 }],
  ['openai', either(xai, []), { source: 4 }],
]

test.each(counted)(
  '%s: counts calls of server tools in the ledger, passed through or translated',
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

// Its Responses are another answer.
const readers = faces.filter((face) => face !== 'responses')

test.each(readers)('counts tools that Groq executed, for %s', async (face) => {
  await using pair = await inFrontOf('openai', groq)
  for (const stream of [false, true]) await ask(pair, face, { stream })
  const records = await recorded(pair.gateway, 2)
  const counts = { web_search: 2, code_execution: 1 }
  const answered = records.filter(({ outcome }) => outcome === 'completed')
  expect(answered.map(({ serverToolCalls }) => serverToolCalls)).toEqual([counts, counts])
})

test('returns cache writes by their time to live', async () => {
  await using pair = await inFrontOf('anthropic', claude)
  const told = await ask(pair, 'chat', { stream: false })
  expect(told.wire).toContain(
    '"cache_creation_token_details":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":5}',
  )
  await using behind = await inFrontOf('openai', (_seen, response) =>
    json(response, {
      ...perplexity,
      usage: {
        ...plainUsage,
        prompt_tokens: 20,
        prompt_tokens_details: {
          cache_write_tokens: 15,
          cache_creation_token_details: {
            ephemeral_5m_input_tokens: 10,
            ephemeral_1h_input_tokens: 5,
          },
        },
      },
    }),
  )
  const { wire } = await ask(behind, 'messages', { stream: false })
  expect(JSON.parse(wire)).toMatchObject({
    usage: {
      input_tokens: 5,
      cache_creation_input_tokens: 15,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 5 },
    },
  })
})

test('returns counts of server tools in the usage of Messages', async () => {
  await using pair = await inFrontOf('openai-responses', openai)
  for (const stream of [false, true]) {
    const { wire } = await ask(pair, 'messages', { stream })
    expect(wire).toContain('"server_tool_use":{"web_search_requests":1')
  }
})
