import { type Fields, objectOf, serverToolCounts, textOf, type Usage } from '@sluice/contract'

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
export class BlockFees {
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
