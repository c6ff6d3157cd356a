import {
  type ChatRequest,
  type Fields,
  listOf,
  objectOf,
  type Tool,
  textOf,
} from '@sluice/contract'
import type { CacheBreakpoints } from '../../claude/cache-breakpoints.ts'
import { heldTool } from '../../claude/closed-schema.ts'
import type { ClaudeModel } from '../../families/claude.ts'
import type { CodecContext } from '../../protocol.ts'
import { allowedTools } from '../../tools/tool-choice.ts'
import { withObjectSchema } from '../../tools/object-schema.ts'
import { sentServerTools } from '../../tools/offered-server-tools.ts'
import { searchDomains } from '../../search-domains.ts'

export type ToolBlock = Fields & { readonly name: string }

/** The tools of a request; with `allowed_tools` only those. */
export function encodeTools(
  request: ChatRequest,
  {
    context,
    model,
    breakpoint,
  }: {
    readonly context: CodecContext
    readonly model: ClaudeModel
    readonly breakpoint: CacheBreakpoints
  },
): readonly Fields[] {
  const allowed = allowedTools(request.tool_choice)
  const tools = (request.tools ?? []).flatMap((tool, index): readonly ToolBlock[] => {
    const path = `tools[${index}]`
    if (tool.function === undefined) return []
    if (allowed !== undefined && !allowed.has(tool.function.name)) return []
    const declared = withObjectSchema(tool.function, `${path}.function`, context)
    const held = heldTool(declared, { path, context, model })
    return [{ ...functionTool(held), ...breakpoint(tool.cache_control) }]
  })
  const server = sentServerTools(request, { api: 'anthropic', made }, context)
  return [...tools, ...webSearch(request.web_search_options), ...server]
}

/** Anthropic's versions of tools that other providers have too. */
const made = {
  code_execution: { type: 'code_execution_20250825', name: 'code_execution' },
  web_fetch: { type: 'web_fetch_20250910', name: 'web_fetch' },
}

/** Beta headers of tools (Claude docs, beta headers). */
const betas: readonly (readonly [RegExp, string])[] = [
  [/^code_execution_20250522$/, 'code-execution-2025-05-22'],
  [/^code_execution_20250825$/, 'code-execution-2025-08-25'],
  [/^web_fetch_20250910$/, 'web-fetch-2025-09-10'],
  [/^computer_20241022$/, 'computer-use-2024-10-22'],
  [/^(computer|bash|text_editor)_2025(0124|0429)$/, 'computer-use-2025-01-24'],
  [/^computer_20251124$/, 'computer-use-2025-11-24'],
  [/^memory_20250818$/, 'context-management-2025-06-27'],
  [/^tool_search_tool_\w+_20251119$/, 'advanced-tool-use-2025-11-20'],
]

/** The `anthropic-beta` values that the tools of a body need. */
export function betasOf({ tools }: Fields): readonly string[] {
  const types = listOf(tools).map((tool) => textOf(objectOf(tool)['type']))
  return betas.flatMap(([type, beta]) => (types.some((one) => type.test(one)) ? [beta] : []))
}

function functionTool({
  name,
  description,
  parameters,
  strict,
}: NonNullable<Tool['function']>): ToolBlock {
  return {
    name,
    ...(description == null ? {} : { description }),
    // A schema without a type is refused.
    input_schema: { type: 'object', ...(parameters ?? { properties: {} }) },
    ...(strict === true ? { strict } : {}),
  }
}

/** The number of searches for each context size: OpenAI has sizes, Anthropic a count. */
const searchesMax: Readonly<Record<string, number>> = { low: 1, medium: 5, high: 10 }

function webSearch(options: ChatRequest['web_search_options']): readonly ToolBlock[] {
  if (options == null) return []
  const place = objectOf(objectOf(options['user_location'])['approximate'])
  const size = textOf(options['search_context_size']) || 'medium'
  return [
    {
      type: 'web_search_20250305',
      name: 'web_search',
      max_uses: searchesMax[size] ?? 5,
      ...(Object.keys(place).length > 0
        ? { user_location: { type: 'approximate', ...place } }
        : {}),
      ...searchDomains(options),
    },
  ]
}
