// What is paid for a response beside its tokens: each kind of item, block and part is a call of a tool that has a price, or is
// known to cost nothing. What nobody listed counts as a tool without a price, which makes the cost unknown.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Usage } from '@sluice/contract'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { recordingsFolder, testRecording } from '../../../test/support/formats/recordings.ts'
import { fieldsOf, kindsOf } from '../../../test/support/formats/sdk-declarations.ts'
import { leaveOut } from '../../../test/support/leave-out.ts'
import {
  blockTools as claudeBlocks,
  createUsageReading,
  iterationKinds,
  namedTools,
  readUsage,
} from '../src/anthropic/usage.ts'
import { BlockFees, blockTools as converseBlocks } from '../src/bedrock/usage.ts'
import { partMembers as partTools } from '../src/gemini/part-members.ts'
import { contentUsage, sourceTools } from '../src/gemini/usage.ts'
import { itemTools, responseUsage } from '../src/openai-responses/upstream/response-usage.ts'

type Fields = Readonly<Record<string, unknown>>

const responsesFile = 'openai/src/resources/responses/responses.ts'
const claudeFile = '@anthropic-ai/sdk/src/resources/beta/messages/messages.ts'
const geminiFile = '@google/genai/dist/genai.d.ts'

const inResponse = (item: Fields, further: Fields = {}): Usage | undefined =>
  responseUsage({ output: [item], usage: { input_tokens: 5, output_tokens: 2 }, ...further })
const inMessage = (block: Fields, usage: Fields = {}): Usage | undefined =>
  readUsage({ content: [block], usage: { input_tokens: 5, output_tokens: 2, ...usage } })
const inCandidate = (candidate: Fields): Usage | undefined =>
  contentUsage({ candidates: [candidate], usageMetadata: { promptTokenCount: 5 } })

const callsIn = (usage: Usage | undefined) => usage?.serverToolCalls ?? {}

describe('charged tools in Responses items', () => {
  test.each(Object.entries(itemTools))('%s counts as a call of %s', (type, tool) => {
    expect(callsIn(inResponse({ type, id: 'i' }))).toEqual(tool === null ? {} : { [tool]: 1 })
  })

  test.each(['canvas_call', 'dream'])('the unknown item %s counts as a call of its own', (type) => {
    expect(callsIn(inResponse({ type }))).toEqual({ [type.replace('_call', '')]: 1 })
  })

  test('an item without a type counts as none', () => {
    expect(callsIn(inResponse({ role: 'assistant' }))).toEqual({})
  })

  test.each(['open_page', 'find_in_page', 'find'])(
    'a web search with the action %s counts as a fetch',
    (type) => {
      expect(callsIn(inResponse({ type: 'web_search_call', action: { type } }))).toEqual({
        web_fetch: 1,
      })
    },
  )

  test.each(['web_search_preview', 'web_search_preview_2025_03_11'])(
    'a web search by the tool %s counts as the earlier version',
    (type) => {
      const item = { type: 'web_search_call', action: { type: 'search', query: 'a' } }
      expect(callsIn(inResponse(item, { tools: [{ type: 'function' }, { type }] }))).toEqual({
        web_search_preview: 1,
      })
      expect(callsIn(inResponse(item, { tools: [{ type: 'web_search' }] }))).toEqual({
        web_search: 1,
      })
    },
  )

  test('a shell run by the caller is free', () => {
    const type = 'shell_call'
    expect(callsIn(inResponse({ type, environment: { type: 'local' } }))).toEqual({})
    expect(callsIn(inResponse({ type, environment: { type: 'container_reference' } }))).toEqual({
      shell: 1,
    })
  })

  test('counts reported by the response replace counted items', () => {
    const usage = { input_tokens: 5, server_side_tool_usage_details: { web_search_calls: 4 } }
    expect(callsIn(inResponse({ type: 'web_search_call' }, { usage }))).toEqual({ web_search: 4 })
  })

  test.each([
    [{ web_search: { num_requests: 3 } }, { web_search: 3 }],
    [{ web_search: { num_requests: 0 } }, { web_search: 1 }],
    [{ image_gen: { input_tokens: 5, total_tokens: 5 } }, { web_search: 1, image_generation: 1 }],
    [{ image_gen: { input_tokens: 0, total_tokens: 0 } }, { web_search: 1 }],
    [{ teleport: { num_requests: 9 } }, { web_search: 1, teleport: 1 }],
  ])('tool usage in the response is counted: %j', (told, calls) => {
    const response = inResponse({ type: 'web_search_call' }, { tool_usage: told })
    expect(callsIn(response)).toEqual(calls)
  })
})

describe('charged tools in Messages blocks', () => {
  test.each(Object.entries(claudeBlocks).filter(([, tool]) => tool !== 'call'))(
    '%s counts as a call of %s',
    (type, tool) => {
      expect(callsIn(inMessage({ type }))).toEqual(tool === null ? {} : { [tool]: 1 })
    },
  )

  test.each(Object.entries(namedTools))('the server tool %s counts as one of %s', (name, tool) => {
    const block = { type: 'server_tool_use', id: 's', name }
    expect(callsIn(inMessage(block))).toEqual(tool === null ? {} : { [tool]: 1 })
  })

  test('an unknown block counts as a call of its own', () => {
    expect(callsIn(inMessage({ type: 'dream_result' }))).toEqual({ dream_result: 1 })
    expect(callsIn(inMessage({ type: 'server_tool_use', name: 'telephone' }))).toEqual({
      telephone: 1,
    })
  })

  test('code execution inside a web search is included in the search', () => {
    const code = { type: 'server_tool_use', id: 'a', name: 'code_execution' }
    const search = (type: string) => ({
      type: 'server_tool_use',
      id: 'b',
      name: 'web_search',
      caller: { type, tool_id: 'a' },
    })
    const used = { usage: { input_tokens: 1, server_tool_use: { web_search_requests: 1 } } }
    const callsOf = (...content: readonly Fields[]) => callsIn(readUsage({ ...used, content }))
    expect(callsOf(code, search('code_execution_20260120'))).toEqual({ web_search: 1 })
    expect(callsOf(code, search('code_execution_20250825'))).toMatchObject({ code_execution: 1 })
    expect(callsOf(code, search('direct'))).toEqual({ web_search: 1, code_execution: 1 })
  })

  test.each(Object.entries(iterationKinds))('an iteration of kind %s is %s', (type, kind) => {
    const iterations = [{ type, input_tokens: 100, output_tokens: 10 }]
    const found = inMessage({ type: 'text' }, { iterations })
    expect(found?.inputTokens).toBe(kind === 'added' ? 105 : 5)
    expect(callsIn(found)).toEqual(['added', 'included'].includes(kind) ? {} : { [kind]: 1 })
  })

  test('unknown iterations and redeemed credits count as calls', () => {
    const iterations = [{ type: 'rehearsal', input_tokens: 1, output_tokens: 1 }]
    const fallback_credit = { status: { type: 'redeemed' } }
    expect(callsIn(inMessage({}, { iterations, fallback_credit }))).toEqual({
      rehearsal: 1,
      fallback_credit: 1,
    })
    const refused = { status: { type: 'not_applied', reason: 'expired' } }
    expect(callsIn(inMessage({}, { fallback_credit: refused }))).toEqual({})
  })

  test('cache reads and writes of a compaction are added', () => {
    const counts = { cache_read_input_tokens: 100, cache_creation_input_tokens: 40 }
    const cache_creation = { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 30 }
    const compaction = { type: 'compaction', input_tokens: 1, output_tokens: 3, ...counts }
    const usage = {
      ...counts,
      cache_creation,
      iterations: [
        { ...compaction, cache_creation },
        { ...compaction, cache_creation },
      ],
    }
    expect(inMessage({}, usage)).toEqual({
      inputTokens: 5 + 140 + 2 * 141,
      outputTokens: 2 + 2 * 3,
      cachedInputTokens: 300,
      cacheWriteTokens: 120,
      longCacheWriteTokens: 90,
    })
  })

  test('blocks of a stream are counted when they start', () => {
    const reading = createUsageReading()
    reading.add({ input_tokens: 5 })
    reading.see({ type: 'server_tool_use', name: 'bash_code_execution' })
    reading.see({ type: 'text' })
    reading.add({ output_tokens: 2 })
    expect(reading.read()).toEqual({
      inputTokens: 5,
      outputTokens: 2,
      serverToolCalls: { code_execution: 1 },
    })
  })
})

describe('charged tools in Gemini parts', () => {
  test.each(Object.keys(partTools))('the part %s alone is free', (name) => {
    const part = { [name]: name === 'text' ? '' : {} }
    const calls = callsIn(inCandidate({ content: { parts: [part] } }))
    // Calls are counted with their results.
    expect(Object.keys(calls).filter((tool) => tool === name)).toEqual([])
  })

  test('an unknown part counts as a call of its own', () => {
    const content = { parts: [{ dream: { of: 'sheep' } }] }
    expect(callsIn(inCandidate({ content }))).toEqual({ dream: 1 })
    const groundingMetadata = { groundingChunks: [{ telepathy: { uri: 'a' } }] }
    expect(callsIn(inCandidate({ groundingMetadata }))).toEqual({ telepathy: 1 })
  })

  test.each(Object.entries(sourceTools))('a source %s counts as found by %s', (name, tool) => {
    const groundingMetadata = { groundingChunks: [{ [name]: {} }, { [name]: {} }] }
    expect(callsIn(inCandidate({ groundingMetadata }))).toEqual(tool === null ? {} : { [tool]: 1 })
  })

  test('a query reported twice counts once', () => {
    const args = { queries: ['a', 'b'] }
    const content = {
      parts: [
        { toolCall: { id: '1', toolType: 'GOOGLE_SEARCH_WEB', args } },
        { toolResponse: { id: '1', response: {} } },
      ],
    }
    const groundingMetadata = { webSearchQueries: ['a', 'b', 'c'] }
    expect(callsIn(inCandidate({ content, groundingMetadata }))).toEqual({ web_search: 3 })
  })
})

describe('charged tools in Converse blocks', () => {
  const callsOf = (...blocks: readonly Fields[]) => {
    const fees = new BlockFees()
    for (const block of blocks) fees.see(block)
    return callsIn(fees.in({ inputTokens: 1, outputTokens: 1 }))
  }

  test.each(Object.keys(converseBlocks))('the block %s is free', (kind) => {
    expect(callsOf({ [kind]: { name: 'own' } })).toEqual({})
  })

  test('a tool run by Bedrock and an unknown block count as calls', () => {
    const toolUse = { type: 'server_tool_use', name: 'nova_grounding' }
    expect(callsOf({ toolUse }, { toolUse }, { dream: {} })).toEqual({
      nova_grounding: 2,
      dream: 1,
    })
  })
})

describe('every kind of item, block and part is listed', () => {
  test('that the SDKs declare', () => {
    const declared: readonly (readonly [readonly string[], object])[] = [
      [kindsOf(responsesFile, 'ResponseOutputItem'), itemTools],
      [kindsOf(claudeFile, 'BetaContentBlock'), claudeBlocks],
      [fieldsOf(geminiFile, 'Part').map((field) => field.split('.')[0] ?? ''), partTools],
      [
        fieldsOf(geminiFile, 'GroundingChunk').map((field) => field.split('.')[0] ?? ''),
        sourceTools,
      ],
    ]
    for (const [kinds, table] of declared) {
      expect(kinds.length).toBeGreaterThan(3)
      expect(kinds.filter((kind) => !Object.hasOwn(table, kind))).toEqual([])
    }
  })

  const description = join(import.meta.dirname, '../../../../shared/reference/openai-openapi.yaml')
  test('that OpenAI’s description declares', (context) => {
    if (!existsSync(description)) return leaveOut(context, `there is no ${description}`)
    const { components } = parse(readFileSync(description, 'utf8'))
    const kinds = components.schemas.OutputItem.oneOf.flatMap(({ $ref }: { $ref: string }) =>
      typesOf(components.schemas[$ref.split('/').at(-1) ?? ''], components.schemas),
    )
    expect(kinds.length).toBeGreaterThan(20)
    expect(kinds.filter((kind: string) => !Object.hasOwn(itemTools, kind))).toEqual([])
  })

  testRecording('that was recorded', () => {
    const seen = new Set<string>()
    const folder = recordingsFolder ?? ''
    for (const provider of ['openai', 'anthropic'])
      for (const name of readdirSync(join(folder, provider))) {
        const text = readFileSync(join(folder, provider, name), 'utf8')
        const documents = name.endsWith('.json') ? [text] : text.split('\n').filter(Boolean)
        for (const document of documents) collectKinds(jsonOf(document), provider, seen)
      }
    expect(seen.size).toBeGreaterThan(5)
    const listed = new Set([
      ...Object.keys(itemTools).map((kind) => `openai ${kind}`),
      ...Object.keys(claudeBlocks).map((kind) => `anthropic ${kind}`),
    ])
    expect([...seen].filter((kind) => !listed.has(kind))).toEqual([])
  })
})

/** Some recordings are of torn responses. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Schema {
  readonly properties?: { readonly type?: { readonly enum?: readonly string[] } }
  readonly allOf?: readonly (Schema & { readonly $ref?: string })[]
}

function typesOf(schema: Schema | undefined, all: Readonly<Record<string, Schema>>): string[] {
  const own = schema?.properties?.type?.enum ?? []
  const inherited = (schema?.allOf ?? []).flatMap((part) =>
    typesOf(part.$ref ? all[part.$ref.split('/').at(-1) ?? ''] : part, all),
  )
  return [...own, ...inherited]
}

/** The kinds of output items and content blocks in a document. */
function collectKinds(value: unknown, provider: string, seen: Set<string>): void {
  if (typeof value !== 'object' || value === null) return
  const { output, item, content, content_block: block, ...rest } = value as Fields
  const items = provider === 'openai' ? [output, item] : [content, block]
  for (const one of items.flat())
    if (typeof one === 'object' && one !== null && 'type' in one)
      seen.add(`${provider} ${String(one.type)}`)
  for (const inner of Object.values(rest)) collectKinds(inner, provider, seen)
}
