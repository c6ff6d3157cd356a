import {
  cacheCreation,
  countOf,
  type Fields,
  isObject,
  listOf,
  objectOf,
  readServerToolUse,
  serverToolCounts,
  serverToolUse,
  textOf,
  type Usage,
} from '@sluice/contract'
import { servedAs } from '../usage.ts'
import { BlockFees } from './block-fees.ts'

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

/** The counts of tools that the Messages API has (ServerToolUsage); nothing if neither was used. */
export function ownServerToolUse(counts: Readonly<Record<string, number>>): {
  readonly server_tool_use?: Readonly<Record<string, number>>
} {
  const { web_search_requests: searches = 0, web_fetch_requests: fetches = 0 } = counts
  return searches + fetches === 0
    ? {}
    : { server_tool_use: { web_search_requests: searches, web_fetch_requests: fetches } }
}

/** Formats usage for Anthropic: tokens read from or written to the cache are not plain input. */
export function formatUsage(usage: Usage): {
  readonly input_tokens: number
  readonly cache_creation_input_tokens: number
  readonly cache_creation?: ReturnType<typeof cacheCreation>
  readonly cache_read_input_tokens: number
  readonly output_tokens: number
  readonly output_tokens_details?: { readonly thinking_tokens: number }
  readonly server_tool_use?: Readonly<Record<string, number>>
} {
  const { cachedInputTokens: read = 0, cacheWriteTokens: written = 0, reasoningTokens } = usage
  const { serverToolCalls: calls } = usage
  return {
    input_tokens: Math.max(0, usage.inputTokens - read - written),
    cache_creation_input_tokens: written,
    ...(written > 0 ? { cache_creation: cacheCreation(usage) } : {}),
    cache_read_input_tokens: read,
    output_tokens: usage.outputTokens,
    ...(reasoningTokens ? { output_tokens_details: { thinking_tokens: reasoningTokens } } : {}),
    ...(calls === undefined ? {} : ownServerToolUse(serverToolUse(calls))),
  }
}
