import { countOf, isObject, type Usage } from '@sluice/contract'

/** TokenUsage of Converse: what was read from or written to the cache is not inside `inputTokens`. */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined
  const input = countOf(value['inputTokens'])
  const output = countOf(value['outputTokens'])
  if (input === undefined && output === undefined) return undefined
  const cached = countOf(value['cacheReadInputTokens'])
  const written = countOf(value['cacheWriteInputTokens'])
  return {
    inputTokens: (input ?? 0) + (cached ?? 0) + (written ?? 0),
    outputTokens: output ?? 0,
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
  }
}
