import { type Fields, objectOf, serverToolCounts, textOf, type Usage } from '@sluice/contract'

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
