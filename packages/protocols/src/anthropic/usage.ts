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
  type Usage,
} from '@sluice/contract'
import { servedAs } from '../usage.ts'

/** Collects usage that comes in parts: every number is a running total, and an absent one leaves the earlier. */
export interface UsageReading {
  add(usage: unknown): void
  read(): Usage | undefined
}

/**
 * Anthropic counts cache reads and writes beside `input_tokens`; the normal form has one total that includes them
 * (Messages API reference, Usage).
 */
export function createUsageReading(): UsageReading {
  let seen: Fields | undefined
  return {
    add(usage) {
      if (!isObject(usage)) return
      const said = Object.entries(usage).filter(([, value]) => value != null)
      seen = { ...seen, ...Object.fromEntries(said) }
    },
    read: () => (seen === undefined ? undefined : usageOf(seen)),
  }
}

/** The usage of a whole answer; undefined when it holds none. */
export function readUsage(usage: unknown): Usage | undefined {
  return isObject(usage) ? usageOf(usage) : undefined
}

/**
 * What the top level leaves out: compacting the context is billed beside it (Claude docs, compaction: usage). A message's
 * own iteration is in it already, and an advisor is another model.
 */
function compactions({ iterations }: Fields): readonly Fields[] {
  return listOf(iterations)
    .filter(isObject)
    .filter(({ type }) => type === 'compaction')
}

function usageOf(fields: Fields): Usage {
  const usage = compactions(fields).map(countsOf).reduce(added, countsOf(fields))
  return servedAs(fields['service_tier'], usage)
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

/** Cache writes by how long they are kept, where the sum of them is not said. */
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

/** The normal form as Anthropic writes it: what was read from or written to the cache is no plain input. */
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
    ...(calls === undefined ? {} : { server_tool_use: serverToolUse(calls) }),
  }
}
