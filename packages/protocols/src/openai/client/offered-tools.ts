import { type Fields, isObject, type Tool } from '@sluice/contract'
import {
  isSearch as isClaudeSearch,
  searchOptions as claudeSearchOptions,
} from '../../anthropic/client/tools.ts'
import { isSearch, searchOptions } from '../../openai-responses/tools.ts'
import type { FormatContext } from '../../protocol.ts'
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
  return isObject(tool) && (isSearch(tool) || isClaudeSearch(tool) || isGoogleSearch(tool))
}

function isGoogleSearch(tool: Fields): boolean {
  return isObject(tool['google_search'] ?? tool['googleSearch'])
}

/** The tools of a request: the caller's own, and a provider's search as chat asks for one. Others run at their maker alone. */
export function offeredTools(
  given: readonly GivenTool[],
  reports: Pick<FormatContext, 'leftOut' | 'unsupported'>,
): { readonly tools: readonly Tool[]; readonly search?: Fields } {
  let search: Fields | undefined
  for (const [index, tool] of given.entries()) {
    const path = `tools[${index}]`
    if (isProviderSearch(tool)) search ??= searchOf(tool, path, reports)
    else if (!isCalled(tool))
      reports.unsupported(
        `${path}.type`,
        `Tools of type ${String(tool.type)} reach only a provider that has them`,
      )
  }
  const tools = given.filter(isCalled)
  return search === undefined ? { tools } : { tools, search }
}

function searchOf(
  tool: GivenTool,
  path: string,
  reports: Pick<FormatContext, 'leftOut' | 'unsupported'>,
): Fields {
  if (isSearch(tool)) return searchOptions(tool, path, reports)
  return isClaudeSearch(tool) ? claudeSearchOptions({ tool, path }, reports) : {}
}
