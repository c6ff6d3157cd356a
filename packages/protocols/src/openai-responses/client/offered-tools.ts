import { type Fields, isObject, listOf, type Tool, textOf } from '@sluice/contract'
import type { FormatContext } from '../../protocol.ts'
import { type PlacedServerTool, responsesTool } from '../../tools/offered-server-tools.ts'
import { isSearch, searchOptions, wrappedTool } from '../tools.ts'
import type { ResponsesRequest } from './schema.ts'
import { isCallersSearch, loadedTools, searchFunction } from './tool-search.ts'

type Reports = Pick<FormatContext, 'leftOut' | 'unsupported'>

/** A tool that the caller runs, and where it stands in the request. */
interface Offered {
  readonly tool: Fields
  readonly path: string
  /** The namespace it belongs to. */
  readonly namespace?: string
}

/** What tools are in: the request's own list, and its input, where later ones are. */
export type Offering = Pick<ResponsesRequest, 'input' | 'tools'>

/** The tools of a request as chat has them: all in one list, web search beside it. */
export interface OfferedTools {
  readonly tools: readonly Tool[]
  readonly search?: Fields
  readonly server: readonly PlacedServerTool[]
}

/**
 * A search for tools that OpenAI runs only spares the model the schemas of those in the request: without it, they are all
 * there.
 */
export function offeredTools(request: Offering, reports: Reports): OfferedTools {
  const names = createFlatNames(request)
  const search = (request.tools ?? []).findIndex(isSearch)
  const own = offeredIn(request).flatMap(({ tool, path, namespace }) => {
    if (isSearch(tool)) return []
    const { type, name } = tool
    if (type === 'function' || type === 'custom')
      return [wrappedTool({ ...tool, name: names.flat(textOf(name), namespace) })]
    if (isCallersSearch(tool)) return [wrappedTool({ ...searchFunction(tool), name: names.search })]
    if (type === 'tool_search') {
      reports.leftOut(
        path,
        'Every tool of the request is offered at once, and none is loaded later',
      )
      return []
    }
    if (responsesTool(tool) === undefined)
      reports.unsupported(`${path}.type`, `Tools of type ${String(type)} are known to OpenAI alone`)
    return []
  })
  const found = request.tools?.[search]
  const server = serverTools(request)
  return found === undefined
    ? { tools: own, server }
    : { tools: own, server, search: searchOptions(found, `tools[${search}]`, reports) }
}

/** Where the search stands among the tools of a request. */
export function searchPath({ tools }: Offering): string {
  const at = (tools ?? []).findIndex(isSearch)
  return at === -1 ? 'tools' : `tools[${at}]`
}

/** What OpenAI runs itself, but its search. */
export function serverTools(request: Offering): readonly PlacedServerTool[] {
  return offeredIn(request).flatMap(({ tool: given, path }) => {
    const tool = responsesTool(given)
    return tool === undefined ? [] : [{ tool, path }]
  })
}

/** Where the caller wrote the tool that is at this place of chat's list. */
export function pathOfTool(request: Offering, index: number): string {
  const called = offeredIn(request).filter((one) => isCalled(one) || isCallersSearch(one.tool))
  return called[index]?.path ?? `tools[${index}]`
}

function isCalled({ tool: { type } }: Offered): boolean {
  return type === 'function' || type === 'custom'
}

/** Each tool once: what a search finds again, and what is in the list as well, is told by its first place. */
function offeredIn(request: Offering): readonly Offered[] {
  const listed = (request.tools ?? []).map((tool, index) => ({
    tool: unwrapped(tool),
    path: `tools[${index}]`,
  }))
  const known = new Set<string>()
  return [...listed, ...loadedTools(request)].flatMap(inNamespace).filter((one) => {
    if (!isCalled(one)) return true
    const key = JSON.stringify([one.namespace, one.tool['name']])
    const isNew = !known.has(key) || one.path.startsWith('tools[')
    known.add(key)
    return isNew
  })
}

/** A function as chat has it is one here, too. */
function unwrapped(tool: Fields): Fields {
  const { type, name, function: called, ...rest } = tool
  return type === 'function' && name === undefined && isObject(called)
    ? { type, ...rest, ...called }
    : tool
}

function inNamespace({ tool, path }: Pick<Offered, 'path' | 'tool'>): readonly Offered[] {
  if (tool['type'] !== 'namespace') return [{ tool, path }]
  return listOf(tool['tools'])
    .filter(isObject)
    .map((inner, place) => ({
      tool: inner,
      path: `${path}.tools[${place}]`,
      namespace: textOf(tool['name']),
    }))
}

/** Chat has no namespaces: there the tools of one have its name before theirs. */
export interface FlatNames {
  readonly flat: (name: string, namespace?: string | null) => string
  /** What the function is called that stands for the caller's search for tools. */
  readonly search: string
  /** True where this function has been called. */
  readonly isSearch: (flat: string) => boolean
  /** What the caller calls the tool. */
  readonly own: (flat: string) => { readonly name: string; readonly namespace?: string }
}

export function createFlatNames(request: Offering): FlatNames {
  const all = offeredIn(request)
  const offered = all.filter(isCalled)
  const taken = new Set(
    offered.flatMap(({ tool, namespace }) =>
      namespace === undefined ? [textOf(tool['name'])] : [],
    ),
  )
  const owned = new Map<string, { readonly name: string; readonly namespace: string }>()
  const made = new Map<string, string>()
  function flat(name: string, namespace?: string | null): string {
    if (namespace == null) return name
    const key = JSON.stringify([namespace, name])
    const known = made.get(key)
    if (known !== undefined) return known
    let joined = namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`
    while (taken.has(joined)) joined += '_'
    taken.add(joined)
    made.set(key, joined)
    owned.set(joined, { name, namespace })
    return joined
  }
  for (const { tool, namespace } of offered) flat(textOf(tool['name']), namespace)
  let search = 'tool_search'
  while (taken.has(search)) search += '_'
  const searches = all.some(({ tool }) => isCallersSearch(tool))
  const isSearch = (name: string) => searches && name === search
  return { flat, search, isSearch, own: (name) => owned.get(name) ?? { name } }
}
