import { type Fields, isObject, type Tool } from '@sluice/contract'
import {
  searchOptions as claudeSearchOptions,
  isSearch as isClaudeSearch,
} from '../../anthropic/client/tools.ts'
import { isSearch, searchOptions } from '../../openai-responses/tools.ts'
import type { FormatContext } from '../../protocol.ts'
import {
  anthropicTool,
  geminiTool,
  isGoogleSearch,
  type PlacedServerTool,
  responsesTool,
} from '../../tools/offered-server-tools.ts'
import type { ChatCompletionRequest } from './schema.ts'

type GivenTool = NonNullable<ChatCompletionRequest['tools']>[number]

/** A tool of the caller's own, which chat has a word for. */
export function isCalled(tool: GivenTool): tool is Tool {
  return tool.type === 'function' || tool.type === 'custom'
}

/**
 * The search tool of a provider as chat callers write it for gateways: OpenAI's in Responses, Anthropic's or Google's
 * (`{google_search: {}}`).
 */
export function isProviderSearch(tool: unknown): boolean {
  return isObject(tool) && (isSearch(tool) || isClaudeSearch(tool) || hasGoogleSearch(tool))
}

function hasGoogleSearch(tool: Fields): boolean {
  return Object.entries(tool).some(([name, value]) => isGoogleSearch(name, value))
}

/** The tools of a request: the caller's own, a provider's search as chat asks for one, and what else a provider runs. */
export function offeredTools(
  given: readonly GivenTool[],
  reports: Pick<FormatContext, 'leftOut' | 'unsupported'>,
): {
  readonly tools: readonly Tool[]
  readonly search?: Fields
  readonly server: readonly PlacedServerTool[]
} {
  const at = given.findIndex(isProviderSearch)
  const found = given[at]
  const search = found === undefined ? undefined : searchOf(found, `tools[${at}]`, reports)
  const tools = given.filter(isCalled)
  const server = serverTools(given)
  return search === undefined ? { tools, server } : { tools, search, server }
}

/** What a provider runs itself, but its search. */
export function serverTools(given: readonly GivenTool[]): readonly PlacedServerTool[] {
  return given.flatMap((tool, index) => serverToolsIn(tool, `tools[${index}]`))
}

function serverToolsIn(tool: GivenTool, path: string): readonly PlacedServerTool[] {
  const fields: Fields = tool
  if (isCalled(tool) || isSearch(fields) || isClaudeSearch(fields)) return []
  const { type } = tool
  if (type !== undefined)
    return [
      {
        tool: anthropicTool(fields) ?? responsesTool(fields) ?? { type, api: 'chat', tool },
        path,
      },
    ]
  return Object.entries(fields).flatMap(([name, value]) => {
    const own = geminiTool(name, value)
    return own === undefined ? [] : [{ tool: own, path: `${path}.${name}` }]
  })
}

function searchOf(
  tool: GivenTool,
  path: string,
  reports: Pick<FormatContext, 'leftOut' | 'unsupported'>,
): Fields {
  if (isSearch(tool)) return searchOptions(tool, path, reports)
  return isClaudeSearch(tool) ? claudeSearchOptions({ tool, path }, reports) : {}
}
