import { type ChatRequest, type Fields, objectOf, type Tool } from '@sluice/contract'
import type { FormatContext } from '../../client-format.ts'
import { missingParameter } from '../../missing-parameter.ts'
import { searchFilters } from '../../search-domains.ts'
import { pathsOfCallersTools } from '../../tools/callers-tools.ts'
import { anthropicTool, type PlacedServerTool } from '../../tools/offered-server-tools.ts'
import type { Tool as ClientTool, CountTokensRequest } from './schema.ts'

type Reports = Pick<FormatContext, 'leftOut' | 'unsupported'>

/** Chat callers use it too; its fields are then not validated. */
type SearchTool = Pick<ClientTool, 'cache_control' | 'max_uses'> & {
  readonly allowed_domains?: unknown
  readonly blocked_domains?: unknown
  readonly user_location?: unknown
}

/** Converts the tools and tool choice of a request; Anthropic's web search becomes chat's web search options. */
export function offeredTools(request: CountTokensRequest, reports: Reports): Partial<ChatRequest> {
  const { tool_choice: choice } = request
  const placed = (request.tools ?? []).map((tool, index) => ({ tool, path: `tools[${index}]` }))
  const search = placed.find(({ tool }) => isSearch(tool))
  const given = placed.flatMap(({ tool, path }) =>
    isOwn(tool) ? canonicalTool(tool, path, reports) : [],
  )
  const server = serverTools(request.tools)
  const called = given.length + pathsOfCallersTools(server).length
  // A search cannot be forced elsewhere. If there are only provider tools, the choice can mean nothing else.
  const isProviders = search !== undefined || server.length > 0
  const isOfProvider =
    isProviders && (called === 0 || (search !== undefined && choice?.name === search.tool.name))
  const chosen = choice == null || isOfProvider ? undefined : choice
  return {
    ...(given.length > 0 ? { tools: given } : {}),
    ...(search === undefined ? {} : { web_search_options: searchOptions(search, reports) }),
    ...(server.length === 0 ? {} : { server_tools: server.map(({ tool }) => tool) }),
    ...(chosen === undefined ? {} : { tool_choice: canonicalChoice(chosen) }),
    ...(choice?.disable_parallel_tool_use === true ? { parallel_tool_calls: false } : {}),
  }
}

/** The tools that Anthropic defined, except web search. It runs most of them itself. */
export function serverTools(
  tools: CountTokensRequest['tools'] | undefined,
): readonly PlacedServerTool[] {
  return (tools ?? []).flatMap((tool, index) => {
    const { type } = tool
    if (type == null || isOwn(tool) || isSearch(tool)) return []
    const own = anthropicTool(tool) ?? { type, api: 'anthropic', tool }
    return [{ tool: own, path: `tools[${index}]` }]
  })
}

/** Whether the caller defined the tool. */
export function isOwn({ type }: Pick<ClientTool, 'type'>): boolean {
  return type == null || type === 'custom'
}

/** The path of the web search among the tools. */
export function searchPath(tools: CountTokensRequest['tools'] | undefined): string {
  const at = (tools ?? []).findIndex(isSearch)
  return at === -1 ? 'tools' : `tools[${at}]`
}

/** The web search's names for fields of chat's options. */
export const searchWords: Readonly<Record<string, string>> = {
  'filters.allowed_domains': 'allowed_domains',
  'filters.blocked_domains': 'blocked_domains',
}

export function isSearch({ type }: { readonly type?: unknown }): boolean {
  return typeof type === 'string' && /^web_search_\d+$/.test(type)
}

export function searchOptions(
  { tool, path }: { readonly tool: SearchTool; readonly path: string },
  { leftOut }: Pick<Reports, 'leftOut'>,
): Fields {
  for (const field of ['max_uses', 'cache_control'] as const)
    if (tool[field] != null) leftOut(`${path}.${field}`)
  const { type: _, ...place } = objectOf(tool.user_location)
  return {
    ...(tool.user_location == null
      ? {}
      : { user_location: { type: 'approximate', approximate: place } }),
    ...searchFilters(tool),
  }
}

function canonicalTool(tool: ClientTool, path: string, reports: Reports): readonly Tool[] {
  const { name, description, input_schema: schema, strict } = tool
  for (const field of ['name', 'input_schema'] as const)
    if (tool[field] == null) throw missingParameter(`${path}.${field}`)
  // Loaded immediately instead, so the model sees the same.
  if (tool.defer_loading === true) reports.leftOut(`${path}.defer_loading`)
  if (tool.input_examples?.length) reports.leftOut(`${path}.input_examples`)
  if (tool.allowed_callers?.some((caller) => caller !== 'direct'))
    reports.unsupported(`${path}.allowed_callers`, 'Only Anthropic itself calls tools from code')
  return [
    {
      type: 'function',
      function: {
        name: name ?? '',
        ...(description == null ? {} : { description }),
        ...(schema == null ? {} : { parameters: schema }),
        ...(strict == null ? {} : { strict }),
      },
      ...(tool.cache_control == null ? {} : { cache_control: tool.cache_control }),
    },
  ]
}

function canonicalChoice({
  type,
  name,
}: NonNullable<CountTokensRequest['tool_choice']>): NonNullable<ChatRequest['tool_choice']> {
  if (type === 'any') return 'required'
  if (type !== 'tool') return type
  if (name === undefined) throw missingParameter('tool_choice.name')
  return { type: 'function', function: { name } }
}
