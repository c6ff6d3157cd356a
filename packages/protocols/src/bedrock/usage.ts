import { countOf, isObject, listOf, objectOf, type Usage } from '@sluice/contract'

/** TokenUsage of Converse: `inputTokens` excludes tokens read from or written to the cache. */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined
  const input = countOf(value['inputTokens'])
  const output = countOf(value['outputTokens'])
  if (input === undefined && output === undefined) return undefined
  const cached = countOf(value['cacheReadInputTokens'])
  const written = countOf(value['cacheWriteInputTokens'])
  const long = listOf(value['cacheDetails'])
    .map(objectOf)
    .filter(({ ttl }) => ttl === '1h')
    .reduce((sum, detail) => sum + (countOf(detail['inputTokens']) ?? 0), 0)
  return {
    inputTokens: (input ?? 0) + (cached ?? 0) + (written ?? 0),
    outputTokens: output ?? 0,
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
    ...(long === 0 ? {} : { longCacheWriteTokens: long }),
  }
}
