import {
  countOf,
  type Fields,
  isObject,
  listOf,
  objectOf,
  serverToolCounts,
  type Usage,
} from '@sluice/contract'
import { servedAs } from '../usage.ts'

/**
 * The usage of a response of Converse, or of the metadata of its stream. TokenUsage: `inputTokens` excludes tokens read from
 * or written to the cache.
 */
export function readUsage({ usage: value, serviceTier }: Fields): Usage | undefined {
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
  return servedAs(objectOf(serviceTier)['type'], {
    inputTokens: (input ?? 0) + (cached ?? 0) + (written ?? 0),
    outputTokens: output ?? 0,
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
    ...(long === 0 ? {} : { longCacheWriteTokens: long }),
    ...serverToolCounts(toolCounts(value['serverToolUsage'])),
  })
}

/** ServerToolUsage: counts by tool. */
function toolCounts(told: unknown): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(objectOf(told)).flatMap(([tool, said]) => {
      const count = countOf(said)
      return count === undefined ? [] : [[tool, count]]
    }),
  )
}
