import {
  cacheCreation,
  countOf,
  type Fields,
  isObject,
  listOf,
  objectOf,
  readServerToolUse,
  serverToolCounts,
  textOf,
  type Usage,
} from '@sluice/contract'
import { servedAs } from '../usage.ts'

/** Collects usage that arrives in parts: each number is a running total, and absent fields keep the earlier value. */
export interface UsageReading {
  add(usage: unknown): void
  /** Counts a block that begins, whose call may be paid for. */
  see(block: Fields): void
  read(): Usage | undefined
}

/**
 * Anthropic counts cache reads and writes in addition to `input_tokens`; the canonical total includes them (Messages API
 * reference, Usage).
 */
export function createUsageReading(): UsageReading {
  let seen: Fields | undefined
  const fees = new BlockFees()
  return {
    add(usage) {
      if (!isObject(usage)) return
      const present = Object.entries(usage).filter(([, value]) => value != null)
      seen = { ...seen, ...Object.fromEntries(present) }
    },
    see: (block) => fees.see(block),
    read: () => (seen === undefined ? undefined : fees.in(usageOf(seen))),
  }
}

/** The usage of a whole response; undefined if it has none. */
export function readUsage({ usage, content }: Fields): Usage | undefined {
  const reading = createUsageReading()
  reading.add(usage)
  for (const block of listOf(content).filter(isObject)) reading.see(block)
  return reading.read()
}

/**
 * What an iteration of a response is (Claude docs, usage): `included` at the top level, `added` to it, or otherwise the tool of
 * which it is a call. Work of models that the request did not name, an advisor and a model that the provider fell back to, is
 * billed at their own prices, so it counts as a call, which has no price until one is set.
 */
export const iterationKinds: Readonly<Record<string, string>> = {
  message: 'included',
  compaction: 'added',
  advisor_message: 'advisor',
  fallback_message: 'fallback',
}

function kindOf({ type }: Fields): string {
  const name = textOf(type)
  return (Object.hasOwn(iterationKinds, name) ? iterationKinds[name] : undefined) ?? name
}

/** Compaction is billed separately, in addition to what the top level has (Claude docs, compaction: usage). */
function usageOf(fields: Fields): Usage {
  const iterations = Map.groupBy(listOf(fields['iterations']).filter(isObject), kindOf)
  const usage = (iterations.get('added') ?? []).map(countsOf).reduce(added, countsOf(fields))
  iterations.delete('added')
  iterations.delete('included')
  const others = new Map([...iterations].map(([tool, list]) => [tool, list.length]))
  if (isRepriced(fields)) others.set('fallback_credit', 1)
  const calls = serverToolCounts(usage.serverToolCalls, Object.fromEntries(others))
  const withOthers = { ...usage, ...calls }
  // A faster speed and inference in one country have prices of their own (Claude docs, pricing).
  return servedAs([fields['service_tier'], fields['speed'], fields['inference_geo']], withOthers)
}

/** A redeemed credit bills the response as if another conversation had gone before, which only the provider knows. */
function isRepriced({ fallback_credit: credit }: Fields): boolean {
  return objectOf(objectOf(credit)['status'])['type'] === 'redeemed'
}

function added(total: Usage, more: Usage): Usage {
  const { cachedInputTokens: read = 0, cacheWriteTokens: written = 0 } = more
  const { longCacheWriteTokens: long = 0 } = more
  return {
    ...total,
    inputTokens: total.inputTokens + more.inputTokens,
    outputTokens: total.outputTokens + more.outputTokens,
    ...(read > 0 ? { cachedInputTokens: (total.cachedInputTokens ?? 0) + read } : {}),
    ...(written > 0 ? { cacheWriteTokens: (total.cacheWriteTokens ?? 0) + written } : {}),
    ...(long > 0 ? { longCacheWriteTokens: (total.longCacheWriteTokens ?? 0) + long } : {}),
  }
}

/** The sum of cache writes by retention time, if the total is missing. */
function cacheWrites(fields: Fields): number | undefined {
  const total = countOf(fields['cache_creation_input_tokens'])
  if (total !== undefined) return total
  const kinds = Object.values(objectOf(fields['cache_creation'])).map(
    (value) => countOf(value) ?? 0,
  )
  return kinds.length === 0 ? undefined : kinds.reduce((sum, count) => sum + count, 0)
}

function countsOf(fields: Fields): Usage {
  const cacheRead = countOf(fields['cache_read_input_tokens'])
  const cacheWrite = cacheWrites(fields)
  const long = countOf(objectOf(fields['cache_creation'])['ephemeral_1h_input_tokens'])
  const thinking = countOf(objectOf(fields['output_tokens_details'])['thinking_tokens'])
  return {
    inputTokens: (countOf(fields['input_tokens']) ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0),
    outputTokens: countOf(fields['output_tokens']) ?? 0,
    ...(cacheRead ? { cachedInputTokens: cacheRead } : {}),
    ...(cacheWrite ? { cacheWriteTokens: cacheWrite } : {}),
    ...(long ? { longCacheWriteTokens: long } : {}),
    ...(thinking ? { reasoningTokens: thinking } : {}),
    ...serverToolCounts(readServerToolUse(fields['server_tool_use'])),
  }
}

/**
 * The usage of a message, whole or as it begins, where all of these members are present (Messages API reference, Usage).
 * `tier` is the service tier of the response in OpenAI's words, if the upstream told it.
 */
export function formatMessageUsage(usage: Usage, tier?: string | null): Fields {
  return {
    ...formatUsage(usage),
    cache_creation: cacheCreation(usage),
    service_tier: tier == null || tier === 'default' ? 'standard' : tier,
    // Where it was computed is known to the upstream alone. Anthropic says so of its older models.
    inference_geo: 'not_available',
  }
}

/**
 * Formats usage for Anthropic, as message_delta has it: tokens read from or written to the cache are not plain input.
 */
export function formatUsage(usage: Usage): Fields {
  const { cachedInputTokens: read = 0, cacheWriteTokens: written = 0, reasoningTokens } = usage
  // The tools that the Messages API counts (ServerToolUsage).
  const { web_search: searches = 0, web_fetch: fetches = 0 } = usage.serverToolCalls ?? {}
  return {
    input_tokens: Math.max(0, usage.inputTokens - read - written),
    cache_creation_input_tokens: written,
    ...(written > 0 ? { cache_creation: cacheCreation(usage) } : {}),
    cache_read_input_tokens: read,
    output_tokens: usage.outputTokens,
    ...(reasoningTokens ? { output_tokens_details: { thinking_tokens: reasoningTokens } } : {}),
    ...(searches + fetches === 0
      ? {}
      : { server_tool_use: { web_search_requests: searches, web_fetch_requests: fetches } }),
  }
}

/**
 * What a block of a response costs beside its tokens (Claude docs, pricing of tools): null for nothing, `call` for a call of
 * the tool in `name`, otherwise the tool of which it is a call, by its name in prices. A block of another kind counts as a call
 * of a tool with the name of the kind: without a price for it the cost of the response is unknown.
 */
export const blockTools: Readonly<Record<string, string | null>> = {
  text: null,
  thinking: null,
  redacted_thinking: null,
  tool_use: null,
  web_search_tool_result: null,
  web_fetch_tool_result: null,
  advisor_tool_result: null,
  code_execution_tool_result: null,
  bash_code_execution_tool_result: null,
  text_editor_code_execution_tool_result: null,
  tool_search_tool_result: null,
  mcp_tool_result: null,
  mcp_tool_listing: null,
  container_upload: null,
  compaction: null,
  // Counted by the iterations of the usage.
  fallback: null,
  server_tool_use: 'call',
  mcp_tool_use: 'mcp',
}

/** The same of the tools by their names in `server_tool_use`; null also for those that the usage counts itself. */
export const namedTools: Readonly<Record<string, string | null>> = {
  web_search: null,
  web_fetch: null,
  advisor: null,
  code_execution: 'code_execution',
  bash_code_execution: 'code_execution',
  text_editor_code_execution: 'code_execution',
  tool_search_tool_regex: 'tool_search',
  tool_search_tool_bm25: 'tool_search',
}

/** The first code execution that searches of web_search_20260209 and later run in. */
const includedSince = 'code_execution_20260120'

function includes(caller: string): boolean {
  return caller.startsWith('code_execution_') && caller >= includedSince
}

/** Counts the calls in the blocks of one response, whole or as its stream begins them. */
class BlockFees {
  readonly #counts: Record<string, number> = {}
  /** Whether a search ran within code, which is then free of charge (Claude docs, code execution: pricing). */
  #isIncluded = false

  see(block: Fields): void {
    const tool = toolOf(block)
    if (tool !== null) this.#counts[tool] = (this.#counts[tool] ?? 0) + 1
    const { name, caller } = block
    if (name === 'web_search' || name === 'web_fetch')
      this.#isIncluded ||= includes(textOf(objectOf(caller)['type']))
  }

  /** The usage with these calls, unless it counts them itself. */
  in(usage: Usage): Usage {
    const { code_execution: code, ...others } = this.#counts
    const counts = code === undefined || this.#isIncluded ? others : this.#counts
    return { ...usage, ...serverToolCounts(counts, usage.serverToolCalls) }
  }
}

function toolOf({ type, name }: Fields): string | null {
  const tool = valueOf(blockTools, textOf(type))
  return tool === 'call' ? valueOf(namedTools, textOf(name)) : tool
}

function valueOf(table: typeof blockTools, name: string): string | null {
  if (name === '') return null
  return Object.hasOwn(table, name) ? (table[name] ?? null) : name
}
