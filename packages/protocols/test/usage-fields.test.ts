// What each field of a usage means for the cost: `read` for what changes it, `free` for what is contained in another field or
// costs nothing. Complete by the declarations of the SDKs, OpenAI's own description and the recorded responses.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { recordingsFolder, testRecording } from '../../../test/support/formats/recordings.ts'
import { fieldsOf } from '../../../test/support/formats/sdk-declarations.ts'
import { leaveOut } from '../../../test/support/leave-out.ts'
import { readUsage as readAnthropic } from '../src/anthropic/usage.ts'
import { readUsage as readBedrock } from '../src/bedrock/usage.ts'
import { readBilledUnits, readUsage as readCohere } from '../src/cohere/usage.ts'
import { readUsage as readGemini } from '../src/gemini/usage.ts'
import { mediaUsage } from '../src/openai/upstream/typed-events.ts'

type Fields = Readonly<Record<string, unknown>>
type Meaning = 'read' | 'free'

const details = (
  name: string,
  meanings: Readonly<Record<string, Meaning>>,
): Readonly<Record<string, Meaning>> =>
  Object.fromEntries(Object.entries(meanings).map(([field, one]) => [`${name}.${field}`, one]))

/** OpenAI's names and those that providers with its API add. */
const openai: Readonly<Record<string, Meaning>> = {
  prompt_tokens: 'read',
  completion_tokens: 'read',
  input_tokens: 'read',
  output_tokens: 'read',
  total_tokens: 'read',
  ...details('prompt_tokens_details', {
    cached_tokens: 'read',
    cache_write_tokens: 'read',
    audio_tokens: 'read',
    image_tokens: 'read',
    text_tokens: 'free',
  }),
  ...details('input_tokens_details', {
    cached_tokens: 'read',
    cache_write_tokens: 'read',
    'cache_write_tokens_details.ttl_12h_tokens': 'read',
    'cache_write_tokens_details.ttl_30m_tokens': 'free',
    image_tokens: 'read',
    text_tokens: 'free',
  }),
  ...details('input_token_details', { audio_tokens: 'read', text_tokens: 'free' }),
  ...details('completion_tokens_details', {
    reasoning_tokens: 'read',
    audio_tokens: 'read',
    accepted_prediction_tokens: 'free',
    // "Still counted in the total completion tokens for purposes of billing."
    rejected_prediction_tokens: 'free',
    text_tokens: 'free',
  }),
  ...details('output_tokens_details', {
    reasoning_tokens: 'read',
    image_tokens: 'read',
    text_tokens: 'free',
  }),
  // Of a transcript.
  type: 'free',
  seconds: 'read',
  prompt_audio_seconds: 'read',
  request_count: 'free',
  // DeepSeek and Moonshot.
  prompt_cache_hit_tokens: 'read',
  prompt_cache_miss_tokens: 'free',
  cached_tokens: 'read',
  // xAI, Perplexity, OpenRouter, DeepInfra.
  num_sources_used: 'read',
  num_search_queries: 'read',
  search_context_size: 'read',
  cost_in_usd_ticks: 'read',
  cost: 'read',
  'cost.total_cost': 'read',
  estimated_cost: 'read',
  'server_tool_use.web_search_requests': 'read',
  'server_side_tool_usage_details.web_search_calls': 'read',
  reasoning_tokens: 'read',
  // Groq's times.
  queue_time: 'free',
  prompt_time: 'free',
  completion_time: 'free',
  total_time: 'free',
}

const anthropic: Readonly<Record<string, Meaning>> = {
  input_tokens: 'read',
  output_tokens: 'read',
  cache_creation_input_tokens: 'read',
  cache_read_input_tokens: 'read',
  'cache_creation.ephemeral_5m_input_tokens': 'read',
  'cache_creation.ephemeral_1h_input_tokens': 'read',
  'output_tokens_details.thinking_tokens': 'read',
  'server_tool_use.web_search_requests': 'read',
  'server_tool_use.web_fetch_requests': 'read',
  'fallback_credit.status': 'read',
  inference_geo: 'read',
  iterations: 'read',
  service_tier: 'read',
  speed: 'read',
}

const gemini: Readonly<Record<string, Meaning>> = {
  promptTokenCount: 'read',
  candidatesTokenCount: 'read',
  thoughtsTokenCount: 'read',
  toolUsePromptTokenCount: 'read',
  cachedContentTokenCount: 'read',
  totalTokenCount: 'free',
  initialPromptTokenCount: 'free',
  promptTokensDetails: 'read',
  candidatesTokensDetails: 'read',
  cacheTokensDetails: 'read',
  toolUsePromptTokensDetails: 'free',
  trafficType: 'read',
  serviceTier: 'read',
}

const bedrock: Readonly<Record<string, Meaning>> = {
  inputTokens: 'read',
  outputTokens: 'read',
  totalTokens: 'free',
  cacheReadInputTokens: 'read',
  cacheWriteInputTokens: 'read',
  // Older names of the same.
  cacheReadInputTokenCount: 'free',
  cacheWriteInputTokenCount: 'free',
  cacheDetails: 'read',
  serverToolUsage: 'read',
}

const cohere: Readonly<Record<string, Meaning>> = {
  'billed_units.input_tokens': 'read',
  'billed_units.output_tokens': 'read',
  'billed_units.search_units': 'read',
  'billed_units.classifications': 'read',
  'billed_units.images': 'free',
  'billed_units.image_tokens': 'read',
  'tokens.input_tokens': 'read',
  'tokens.output_tokens': 'read',
  cached_tokens: 'read',
}

const values: Readonly<Record<string, unknown>> = {
  service_tier: 'batch',
  speed: 'fast',
  inference_geo: 'us',
  trafficType: 'ON_DEMAND_FLEX',
  serviceTier: 'flex',
  search_context_size: 'low',
  type: 'duration',
  iterations: [{ type: 'compaction', input_tokens: 3, output_tokens: 0 }],
  'fallback_credit.status': { type: 'redeemed' },
  promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 2 }],
  candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 2 }],
  cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 2 }],
  cacheDetails: [{ ttl: '1h', inputTokens: 2 }],
  serverToolUsage: { webSearch: 2 },
}

interface Reader {
  readonly meanings: Readonly<Record<string, Meaning>>
  /** A usage to which one field is added. */
  readonly usual: Fields
  readonly read: (usage: Fields) => unknown
}

const readers: Readonly<Record<string, Reader>> = {
  openai: { meanings: openai, usual: { total_tokens: 9 }, read: mediaUsage },
  anthropic: {
    meanings: anthropic,
    usual: { input_tokens: 9, output_tokens: 1 },
    read: (usage) => readAnthropic({ usage }),
  },
  gemini: { meanings: gemini, usual: { promptTokenCount: 9 }, read: readGemini },
  bedrock: {
    meanings: bedrock,
    usual: { inputTokens: 9, cacheWriteInputTokens: 4 },
    read: (usage) => readBedrock({ usage }),
  },
  cohere: {
    meanings: cohere,
    usual: { tokens: { input_tokens: 9 } },
    read: (usage) => [readCohere(usage), readBilledUnits(usage)],
  },
}

/** The usage with a value in one more place. */
function withField(usage: Fields, path: string, value: unknown): Fields {
  const [first = '', ...rest] = path.split('.')
  const inner = usage[first]
  const below = typeof inner === 'object' && inner !== null ? (inner as Fields) : {}
  return { ...usage, [first]: rest.length === 0 ? value : withField(below, rest.join('.'), value) }
}

describe.each(Object.entries(readers))('usage fields of %s', (_name, reader) => {
  test.each(Object.entries(reader.meanings))('%s is %s', (path, meaning) => {
    const { usual, read } = reader
    const value = values[path] ?? 12
    expect(
      JSON.stringify(read(withField(usual, path, value))) !== JSON.stringify(read(usual)),
    ).toBe(meaning === 'read')
  })
})

test.each(['grep_calls', 'video_requests', 'map_searches', 'num_queries'])(
  'the unknown count %s is that of a tool without a price',
  (name) => {
    expect(mediaUsage({ prompt_tokens: 5, [name]: 3 })).toMatchObject({
      serverToolCalls: { [name]: 3 },
    })
    expect(mediaUsage({ prompt_tokens: 5, [name]: 0 })).not.toHaveProperty('serverToolCalls')
  },
)

const sdks: readonly (readonly [reader: string, file: string, type: string])[] = [
  ['openai', 'openai/src/resources/completions.ts', 'CompletionUsage'],
  ['openai', 'openai/src/resources/responses/responses.ts', 'ResponseUsage'],
  ['anthropic', '@anthropic-ai/sdk/src/resources/beta/messages/messages.ts', 'BetaUsage'],
  ['gemini', '@google/genai/dist/genai.d.ts', 'GenerateContentResponseUsageMetadata'],
]

test.each(sdks)('all usage fields of the SDK for %s are known: %s %s', (reader, file, type) => {
  const fields = fieldsOf(file, type)
  expect(fields.length).toBeGreaterThan(4)
  const { meanings = {} } = readers[reader] ?? {}
  const isKnown = (field: string): boolean =>
    field in meanings || (field.includes('.') && isKnown(field.replace(/\.\w+$/, '')))
  expect(fields.filter((field) => !isKnown(field))).toEqual([])
})

const description = join(import.meta.dirname, '../../../../shared/reference/openai-openapi.yaml')

test('all usage fields of OpenAI’s description are known', (context) => {
  if (!existsSync(description)) return leaveOut(context, `there is no ${description}`)
  const { components }: { components: { schemas: Readonly<Record<string, Schema>> } } = parse(
    readFileSync(description, 'utf8'),
  )
  const { schemas } = components
  const names = [
    'CompletionUsage',
    'ResponseUsage',
    'ImageGenUsage',
    'TranscriptTextUsageTokens',
    'TranscriptTextUsageDuration',
  ]
  for (const name of names)
    for (const field of leavesOf(schemas[name] ?? {}, schemas))
      expect(openai, `${name}: ${field}`).toHaveProperty([field])
})

interface Schema {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
}

function leavesOf(schema: Schema, all: Readonly<Record<string, Schema>>): readonly string[] {
  const { properties } = schema.$ref ? (all[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema
  return Object.entries(properties ?? {}).flatMap(([field, inner]) => {
    const below = leavesOf(inner, all)
    return below.length === 0 ? [field] : below.map((one) => `${field}.${one}`)
  })
}

const readerOf: Readonly<Record<string, string>> = {
  'amazon-bedrock': 'bedrock',
  anthropic: 'anthropic',
  cohere: 'cohere',
  google: 'gemini',
}
const usageNames = new Set(['usage', 'usageMetadata'])

testRecording('the fields of every recorded usage are known', () => {
  let seen = 0
  for (const { provider, usage } of recordedUsages()) {
    const { meanings = {} } = readers[readerOf[provider] ?? 'openai'] ?? {}
    for (const field of fieldsIn(usage)) {
      seen += 1
      expect(meanings, `${provider}: ${field}`).toHaveProperty([field])
    }
  }
  expect(seen).toBeGreaterThan(300)
})

function recordedUsages() {
  const folder = recordingsFolder ?? ''
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(json|txt)$/.test(entry.name))
    .flatMap((entry) => {
      const text = readFileSync(join(entry.parentPath, entry.name), 'utf8')
      const documents = entry.name.endsWith('.json') ? [text] : text.split('\n').filter(Boolean)
      const provider = entry.parentPath.slice(folder.length + 1)
      return documents.flatMap((document) =>
        usagesIn(jsonOf(document)).map((usage) => ({ provider, usage })),
      )
    })
}

/** Some recordings are of torn responses. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function usagesIn(value: unknown): readonly Fields[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    usageNames.has(name) && typeof inner === 'object' && inner !== null
      ? [inner as Fields]
      : usagesIn(inner),
  )
}

/** Paths of what is not null; a list counts as one field. */
function fieldsIn(usage: Fields): readonly string[] {
  return Object.entries(usage).flatMap(([name, value]) => {
    if (value === null) return []
    if (typeof value !== 'object' || Array.isArray(value)) return [name]
    const below = fieldsIn(value as Fields)
    return below.map((one) => `${name}.${one}`)
  })
}
