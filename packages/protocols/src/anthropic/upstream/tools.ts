import { type ChatRequest, objectOf, textOf, type Tool } from '@sluice/contract'
import { allowedTools } from '../../tools/allowed-tools.ts'
import type { CacheBreakpoints } from '../../claude/cache-breakpoints.ts'
import { heldTool } from '../../claude/strict-tools.ts'
import type { ClaudeModel } from '../../families/claude.ts'
import type { CodecContext } from '../../protocol.ts'
import type { Block } from '../blocks.ts'

export type ToolBlock = Readonly<Record<string, unknown>> & { readonly name: string }

/** The tools on offer: of a choice among `allowed_tools` only those. */
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
): readonly ToolBlock[] {
  const allowed = allowedTools(request.tool_choice)
  const tools = (request.tools ?? []).flatMap((tool, index): readonly ToolBlock[] => {
    const path = `tools[${index}]`
    if (tool.function === undefined) return []
    if (allowed !== undefined && !allowed.has(tool.function.name)) return []
    const held = heldTool(tool.function, { path, context, model })
    return [{ ...functionTool(held), ...breakpoint(tool.cache_control) }]
  })
  return [...tools, ...webSearch(request.web_search_options)]
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

/** How many searches each context size allows; OpenAI names sizes, Anthropic counts. */
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
    },
  ]
}

/**
 * Which tool to call. `forced` is a tool that must be called although the caller did not choose one. Claude refuses
 * to be forced while it thinks by a budget, and its newest models refuse it always.
 */
export function encodeToolChoice(
  request: ChatRequest,
  { context, mayForce }: { readonly context: CodecContext; readonly mayForce: boolean },
): Block | undefined {
  const single = request.parallel_tool_calls === false
  const choice = choiceBlock(request.tool_choice)
  if (choice !== undefined && choice.type !== 'auto' && choice.type !== 'none' && !mayForce) {
    context.unsupported('tool_choice', 'this model cannot be forced to call a tool here')
    return single ? { type: 'auto', disable_parallel_tool_use: true } : undefined
  }
  if (!single || choice?.type === 'none') return choice
  return { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true }
}

function choiceBlock(choice: ChatRequest['tool_choice']): Block | undefined {
  if (choice == null) return undefined
  if (typeof choice === 'string') return { type: choice === 'required' ? 'any' : choice }
  if (choice.type === 'allowed_tools')
    return { type: choice.allowed_tools?.mode === 'required' ? 'any' : 'auto' }
  return { type: 'tool', name: (choice.function ?? choice.custom)?.name }
}
