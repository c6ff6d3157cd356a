import {
  countOf,
  type Fields,
  isObject,
  listOf,
  objectOf,
  serverToolCounts,
  textOf,
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

/**
 * What a block of a response costs beside its tokens (Converse, ContentBlock): null for nothing, `call` for a call, which is
 * paid for if Bedrock runs the tool itself. A block of another kind counts as a call of a tool with the name of the kind:
 * without a price for it the cost of the response is unknown.
 */
export const blockTools: Readonly<Record<string, null | 'call'>> = {
  text: null,
  reasoningContent: null,
  citationsContent: null,
  image: null,
  document: null,
  video: null,
  audio: null,
  cachePoint: null,
  guardContent: null,
  searchResult: null,
  toolResult: null,
  toolUse: 'call',
}

/** Counts the calls in the blocks of one response, whole or as its stream begins them. */
export class BlockFees {
  readonly #counts: Record<string, number> = {}

  see(block: Fields): void {
    for (const kind in block) {
      const tool = toolOf(kind, objectOf(block[kind]))
      if (tool !== null) this.#counts[tool] = (this.#counts[tool] ?? 0) + 1
    }
  }

  /** The usage with these calls, unless it counts them itself. */
  in<U extends Usage | undefined>(usage: U): U {
    if (usage === undefined) return usage
    return { ...usage, ...serverToolCounts(this.#counts, usage.serverToolCalls) }
  }
}

function toolOf(kind: string, { type, name }: Fields): string | null {
  if (!Object.hasOwn(blockTools, kind)) return kind
  if (blockTools[kind] === null || type !== 'server_tool_use') return null
  return textOf(name) || kind
}
