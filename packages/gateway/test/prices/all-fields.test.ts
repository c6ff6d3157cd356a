// A usage with every field that a protocol has, at a price with every rate: what it costs is compared with a plain model, in
// which each kind of token is counted by hand.
import type { Usage } from '@sluice/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../../../../test/support/property-limits.ts'
import { readUsage as readMessage } from '../../../protocols/src/anthropic/usage.ts'
import { readUsage as readBedrock } from '../../../protocols/src/bedrock/usage.ts'
import { readUsage as readCohere } from '../../../protocols/src/cohere/usage.ts'
import { contentUsage } from '../../../protocols/src/gemini/usage.ts'
import { responseUsage } from '../../../protocols/src/openai-responses/upstream/response-usage.ts'
import { usageIn } from '../../../protocols/src/usage.ts'
import { cost } from '../../src/prices/cost.ts'
import { createPrice, type RateName } from '../../src/prices/price.ts'

/** Different for each rate, in whole dollars for a token, so that a sum tells its parts. */
const usd: Partial<Record<RateName, number>> = {
  input: 2,
  cacheRead: 3,
  cacheWrite: 5,
  cacheWrite1h: 7,
  audioInput: 11,
  audioCacheRead: 13,
  imageInput: 17,
  output: 19,
  reasoning: 23,
  audioOutput: 29,
  imageOutput: 31,
}
const tools = { web_search: 0.25, web_fetch: 0.5 }
const factor = 0.5
const price = createPrice({
  rates: Object.fromEntries(
    Object.entries(usd).map(([name, each]) => [name, { usd: each, per: 1 }]),
  ),
  tools,
  serviceTiers: { flex: factor, batch: factor },
  source: 'a page',
  date: '2026-11-22',
})

type Counts = Readonly<Record<string, number>>

interface Words {
  /** The response in the words of the protocol. */
  readonly wire: (counts: Counts) => unknown
  readonly read: (response: never) => Usage | undefined
  /** The rates that its counts are paid at, beside `web_search`. */
  readonly paid: Readonly<Record<string, RateName>>
}

const sum = (...counts: readonly (number | undefined)[]) =>
  counts.reduce<number>((total, count = 0) => total + count, 0)

const words: Readonly<Record<string, Words>> = {
  'chat completions': {
    wire: ({
      text,
      cached,
      written,
      long,
      sound,
      picture,
      said,
      thought,
      spoken,
      drawn,
      searches,
    }) => ({
      service_tier: 'flex',
      usage: {
        prompt_tokens: sum(text, cached, written, long, sound, picture),
        completion_tokens: sum(said, thought, spoken, drawn),
        prompt_tokens_details: {
          cached_tokens: cached,
          cache_write_tokens: sum(written, long),
          cache_creation_token_details: { ephemeral_1h_input_tokens: long },
          audio_tokens: sound,
          image_tokens: picture,
        },
        completion_tokens_details: {
          reasoning_tokens: thought,
          audio_tokens: spoken,
          image_tokens: drawn,
        },
        server_tool_use: { web_search_requests: searches },
      },
    }),
    read: usageIn,
    paid: {
      text: 'input',
      cached: 'cacheRead',
      written: 'cacheWrite',
      long: 'cacheWrite1h',
      sound: 'audioInput',
      picture: 'imageInput',
      said: 'output',
      thought: 'reasoning',
      spoken: 'audioOutput',
      drawn: 'imageOutput',
    },
  },
  Responses: {
    wire: ({ text, cached, written, said, thought, searches = 0 }) => ({
      service_tier: 'flex',
      output: Array.from({ length: searches }, () => ({ type: 'web_search_call' })),
      usage: {
        input_tokens: sum(text, cached, written),
        output_tokens: sum(said, thought),
        input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
        output_tokens_details: { reasoning_tokens: thought },
      },
    }),
    read: responseUsage,
    paid: {
      text: 'input',
      cached: 'cacheRead',
      written: 'cacheWrite',
      said: 'output',
      thought: 'reasoning',
    },
  },
  Messages: {
    wire: ({ text, cached, written, long, said, thought, searches, again, reread }) => ({
      content: [{ type: 'text' }],
      usage: {
        service_tier: 'batch',
        input_tokens: text,
        cache_read_input_tokens: cached,
        cache_creation_input_tokens: sum(written, long),
        cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: long },
        output_tokens: sum(said, thought),
        output_tokens_details: { thinking_tokens: thought },
        server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 },
        iterations: [
          { type: 'message', input_tokens: text, output_tokens: said },
          { type: 'compaction', input_tokens: again, cache_read_input_tokens: reread },
        ],
      },
    }),
    read: readMessage,
    paid: {
      text: 'input',
      again: 'input',
      cached: 'cacheRead',
      reread: 'cacheRead',
      written: 'cacheWrite',
      long: 'cacheWrite1h',
      said: 'output',
      thought: 'reasoning',
    },
  },
  Gemini: {
    wire: ({
      text,
      cached,
      heard,
      sound,
      picture,
      tool,
      said,
      thought,
      spoken,
      drawn,
      searches = 0,
    }) => ({
      candidates: [
        {
          groundingMetadata: {
            webSearchQueries: Array.from({ length: searches }, (_, n) => `query ${n}`),
          },
        },
      ],
      usageMetadata: {
        serviceTier: 'SERVICE_TIER_FLEX',
        promptTokenCount: sum(text, cached, heard, sound, picture),
        cachedContentTokenCount: sum(cached, heard),
        toolUsePromptTokenCount: tool,
        candidatesTokenCount: sum(said, spoken, drawn),
        thoughtsTokenCount: thought,
        promptTokensDetails: [
          { modality: 'AUDIO', tokenCount: sum(sound, heard) },
          { modality: 'IMAGE', tokenCount: picture },
        ],
        cacheTokensDetails: [
          { modality: 'TEXT', tokenCount: cached },
          { modality: 'AUDIO', tokenCount: heard },
        ],
        candidatesTokensDetails: [
          { modality: 'AUDIO', tokenCount: spoken },
          { modality: 'IMAGE', tokenCount: drawn },
        ],
      },
    }),
    read: contentUsage,
    paid: {
      text: 'input',
      tool: 'input',
      cached: 'cacheRead',
      heard: 'audioCacheRead',
      sound: 'audioInput',
      picture: 'imageInput',
      said: 'output',
      thought: 'reasoning',
      spoken: 'audioOutput',
      drawn: 'imageOutput',
    },
  },
  Converse: {
    wire: ({ text, cached, written, long, more, said, searches }) => ({
      serviceTier: { type: 'flex' },
      usage: {
        inputTokens: text,
        outputTokens: said,
        cacheReadInputTokens: cached,
        cacheWriteInputTokens: sum(written, long, more),
        cacheDetails: [
          { ttl: '1h', inputTokens: long },
          { ttl: '5m', inputTokens: written },
          { ttl: '1h', inputTokens: more },
        ],
        serverToolUsage: { web_search: searches },
      },
    }),
    read: readBedrock,
    paid: {
      text: 'input',
      cached: 'cacheRead',
      written: 'cacheWrite',
      long: 'cacheWrite1h',
      more: 'cacheWrite1h',
      said: 'output',
    },
  },
}

const names = [
  ...new Set(Object.values(words).flatMap(({ paid }) => [...Object.keys(paid), 'searches'])),
]
const counts: fc.Arbitrary<Counts> = fc.record(
  Object.fromEntries(
    names.map((name) => [name, fc.integer({ min: 0, max: name === 'searches' ? 4 : 1_000 })]),
  ),
)

describe.each(Object.entries(words))(
  'the cost of usage in the format of %s',
  (_name, { wire, read, paid }) => {
    test('is the sum of its parts, tokens at the service tier', () => {
      fc.assert(
        fc.property(counts, (count) => {
          const usage = read(wire(count) as never)
          const tokens = Object.entries(paid).reduce(
            (total, [name, rate]) => total + (count[name] ?? 0) * (usd[rate] ?? 0),
            0,
          )
          const expected = tokens * factor + (count['searches'] ?? 0) * tools.web_search
          expect(usage && cost(usage, 'chat', price)?.money).toBe(
            BigInt(expected * 1_000_000) * 1_000_000n,
          )
        }),
        { numRuns: 200 },
      )
    })
  },
)

test('Cohere bills other token counts than it reports as usage', () => {
  const usage = {
    tokens: { input_tokens: 900, output_tokens: 80 },
    billed_units: { input_tokens: 7, output_tokens: 3 },
    cached_tokens: 400,
  }
  const read = readCohere(usage)
  expect(read && cost(read, 'chat', price)?.money).toBe(71n * 10n ** 12n)
})
