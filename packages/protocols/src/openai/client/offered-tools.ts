import { type Fields, isObject, objectOf, type Tool } from '@sluice/contract'
import {
  searchOptions as claudeSearchOptions,
  isSearch as isClaudeSearch,
  searchWords as claudeSearchWords,
} from '../../anthropic/client/tools.ts'
import {
  searchOptions as googleSearchOptions,
  searchPath as googleSearchPath,
  searchWords as googleSearchWords,
} from '../../gemini/client/tools.ts'
import type { Reports } from '../../native-target.ts'
import { isSearch, searchOptions } from '../../openai-responses/tools.ts'
import { pathOfSearch } from '../../search-domains.ts'
import {
  anthropicTool,
  geminiTool,
  isGoogleSearch,
  type PlacedServerTool,
  responsesTool,
} from '../../tools/offered-server-tools.ts'
import type { ChatCompletionRequest } from './schema.ts'

type GivenTool = NonNullable<ChatCompletionRequest['tools']>[number]

/** Whether it is one of the caller's own tools, which chat completions can express. */
export function isCalled(tool: GivenTool): tool is Tool {
  return tool.type === 'function' || tool.type === 'custom'
}

/**
 * Whether it is a provider's search tool, as callers of gateways write it: OpenAI's from Responses, Anthropic's or Google's
 * (`{google_search: {}}`).
 */
export function isProviderSearch(tool: unknown): boolean {
  return isObject(tool) && (isSearch(tool) || isClaudeSearch(tool) || hasGoogleSearch(tool))
}

function hasGoogleSearch(tool: Fields): boolean {
  return Object.entries(tool).some(([name, value]) => isGoogleSearch(name, value))
}

/**
 * The tools of a request: the caller's own, a provider's search as chat's search option, and other tools that a provider runs.
 */
export function offeredTools(
  given: readonly GivenTool[],
  reports: Reports,
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

/** The caller's path for a canonical path into a search that a tool requested; undefined for every other path. */
export function pathOfSearchTool(
  canonical: string,
  { tools, web_search_options: own }: ChatCompletionRequest,
): string | undefined {
  // The caller's own options take precedence.
  const given = own == null ? (tools ?? []) : []
  const at = given.findIndex(isProviderSearch)
  const tool = given[at]
  if (tool === undefined) return undefined
  if (isSearch(tool)) return pathOfSearch(canonical, () => `tools[${at}]`)
  if (isClaudeSearch(tool)) return pathOfSearch(canonical, () => `tools[${at}]`, claudeSearchWords)
  return pathOfSearch(canonical, () => googleSearchPath(given), googleSearchWords)
}

/** The tools that a provider runs itself, except its search. */
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

function searchOf(tool: GivenTool, path: string, reports: Reports): Fields {
  if (isSearch(tool)) return searchOptions(tool, path, reports)
  if (isClaudeSearch(tool)) return claudeSearchOptions({ tool, path }, reports)
  const fields = Object.entries(tool).flatMap(([name, value]) =>
    isGoogleSearch(name, value) ? [objectOf(value)] : [],
  )
  return googleSearchOptions(fields[0] ?? {})
}
