import {
  type ChatRequest,
  type Fields,
  isObject,
  listOf,
  objectOf,
  someText,
  textOf,
  type Tool,
  type ToolChoice,
} from '@sluice/contract'
import { pathsOfCallersTools } from '../../tools/callers-tools.ts'
import {
  geminiTool,
  isGoogleSearch,
  type PlacedServerTool,
} from '../../tools/offered-server-tools.ts'
import { searchFilters } from '../../search-domains.ts'
import { refuse } from './refuse.ts'
import { pick } from '../spelling.ts'
import { toJsonSchema } from './json-schema.ts'

/** The canonical fields for `tools` and `toolConfig`. `root` is the path of the request that contains them. */
export function toolFields(request: Fields, root: string): Partial<ChatRequest> {
  const entries = listOf(request['tools']).filter(isObject)
  const server = serverTools(request, root)
  const search = entries.map((entry) => pick(entry, 'googleSearch')).find(isObject)
  const tools = functionsIn(request).map(({ declaration, path }) =>
    toolOf(declaration, root + path),
  )
  const choice = choiceOf(objectOf(pick(request, 'toolConfig')), `${root}toolConfig`)
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(search === undefined ? {} : { web_search_options: searchOptions(search) }),
    ...(server.length === 0 ? {} : { server_tools: server.map(({ tool }) => tool) }),
  }
}

/**
 * The path in the caller's request of the function at this index of the canonical list: its own, and then those of computer use.
 * Most callers declare all functions in one entry.
 */
export function pathOfFunction(request: Fields, at: number): string {
  const own = functionsIn(request).map(({ path }) => path)
  const computer = pathsOfCallersTools(serverTools(request, ''), textOf(request['model']))
  return [...own, ...computer][at] ?? `tools[0].functionDeclarations[${at}]`
}

function functionsIn(request: Fields) {
  return listOf(request['tools']).flatMap((entry, index) =>
    listOf(pick(objectOf(entry), 'functionDeclarations'))
      .filter(isObject)
      .map((declaration, place) => ({
        declaration,
        path: `tools[${index}].functionDeclarations[${place}]`,
      })),
  )
}

/** Options of a Google search. Domains to exclude become `blocked_domains` (Vertex AI, Tool.GoogleSearch). */
export function searchOptions(search: Fields): Fields {
  return searchFilters({ blocked_domains: pick(search, 'excludeDomains') })
}

/** The path of the search in the tools of a request, in the caller's spelling. */
export function searchPath(tools: unknown): string {
  const found = listOf(tools).flatMap((entry, index) =>
    Object.entries(objectOf(entry)).flatMap(([name, value]) =>
      isGoogleSearch(name, value) ? [`tools[${index}].${name}`] : [],
    ),
  )
  return found[0] ?? 'tools'
}

/** Google's names for the canonical search options. */
export const searchWords: Readonly<Record<string, string>> = {
  'filters.blocked_domains': 'excludeDomains',
}

/** Google's own tools that other providers may have too. Options of a search that no other provider has are rejected. */
export function serverTools(request: Fields, root: string): readonly PlacedServerTool[] {
  return listOf(request['tools'])
    .filter(isObject)
    .flatMap((entry, index) =>
      Object.entries(entry).flatMap(([name, value]): readonly PlacedServerTool[] => {
        const path = `${root}tools[${index}].${name}`
        const isDeclared = name === 'functionDeclarations' || name === 'function_declarations'
        if (value === null || isDeclared) return []
        if (isGoogleSearch(name, value)) {
          const [wish] = Object.keys(objectOf(value)).filter((wish) => !known.has(wish))
          return wish === undefined ? [] : refuse(`${path}.${wish}`)
        }
        const tool = geminiTool(name, value)
        return tool === undefined ? refuse(path) : [{ tool, path }]
      }),
    )
}

/** Options of a search that other providers have too. */
const known: ReadonlySet<string> = new Set(['excludeDomains', 'exclude_domains'])

function toolOf(declaration: Fields, path: string): Tool {
  if (declaration['behavior'] === 'NON_BLOCKING') refuse(`${path}.behavior`)
  const plain = pick(declaration, 'parametersJsonSchema')
  const own = declaration['parameters']
  const parameters = isObject(plain) ? plain : isObject(own) ? toJsonSchema(own) : undefined
  const description = someText(declaration['description'])
  return {
    type: 'function',
    function: {
      name: String(declaration['name']),
      ...(description === undefined ? {} : { description }),
      ...(parameters === undefined ? {} : { parameters }),
    },
  }
}

function choiceOf(config: Fields, path: string): ToolChoice | undefined {
  const retrieval = pick(config, 'retrievalConfig')
  if (isObject(retrieval) && Object.keys(retrieval).length > 0) refuse(`${path}.retrievalConfig`)
  const calling = objectOf(pick(config, 'functionCallingConfig'))
  const names = listOf(pick(calling, 'allowedFunctionNames')).filter(
    (name) => typeof name === 'string',
  )
  switch (someText(calling['mode'])?.toUpperCase()) {
    case 'NONE':
      return 'none'
    case 'ANY':
      return names.length === 0 ? 'required' : chosen(names, 'required')
    case 'VALIDATED':
      return names.length === 0 ? 'auto' : chosen(names, 'auto')
    case 'AUTO':
      return 'auto'
    default:
      return undefined
  }
}

function chosen(names: readonly string[], mode: 'auto' | 'required'): ToolChoice {
  const [only = ''] = names
  if (names.length === 1 && mode === 'required')
    return { type: 'function', function: { name: only } }
  return {
    type: 'allowed_tools',
    allowed_tools: {
      mode,
      tools: names.map((name) => ({ type: 'function', function: { name } })),
    },
  }
}
