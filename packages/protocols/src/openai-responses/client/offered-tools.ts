import { type Fields, isObject, listOf, type Tool, textOf } from '@sluice/contract'
import type { Reports } from '../../native-target.ts'
import { type PlacedServerTool, responsesTool } from '../../tools/offered-server-tools.ts'
import { isSearch, searchOptions, wrappedTool } from '../tools.ts'
import {
  callersFunction,
  callersItem,
  type CallersToolType,
  type CallersToolTypes,
  isCallersTool,
  toolsOfChoice,
} from './callers-tools.ts'
import type { OutputItem, ResponsesRequest } from './schema.ts'
import { isCallersSearch, loadedTools, searchFunction, searchItem } from './tool-search.ts'

/** A tool that is in the request, and its path. */
interface Offered {
  readonly tool: Fields
  readonly path: string
  /** The namespace that it belongs to. */
  readonly namespace?: string
}

/** The parts of a request that contain tools: its own list, and the input, which may add tools later. */
export type Offering = Pick<ResponsesRequest, 'input' | 'tools'>

/** The tools of a request in chat's form: all in one list, and the web search separately. */
export interface OfferedTools {
  readonly tools: readonly Tool[]
  readonly search?: Fields
  readonly server: readonly PlacedServerTool[]
}

/**
 * A search for tools that OpenAI runs only saves the model from reading the schemas of all tools in the request. Without it,
 * all of them are offered.
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
    if (isCallersTool(tool)) {
      reportCallers(tool, path, reports)
      return [wrappedTool({ ...callersFunction(tool), name: names.callers([tool.type]).name })]
    }
    if (type === 'tool_search') {
      reports.leftOut(
        path,
        'Every tool of the request is offered at once, and none is loaded later',
      )
      return []
    }
    if (type === 'shell')
      reports.unsupported(`${path}.environment`, 'Only OpenAI runs commands in a container')
    else if (responsesTool(tool) === undefined)
      reports.unsupported(`${path}.type`, `Tools of type ${String(type)} are known to OpenAI alone`)
    return []
  })
  const found = request.tools?.[search]
  const server = serverTools(request)
  return found === undefined
    ? { tools: own, server }
    : { tools: own, server, search: searchOptions(found, `tools[${search}]`, reports) }
}

function reportCallers(
  { allowed_callers: callers }: Fields,
  path: string,
  { unsupported }: Reports,
): void {
  if (listOf(callers).some((caller) => caller !== 'direct'))
    unsupported(`${path}.allowed_callers`, 'Only OpenAI itself calls tools from code')
}

/** The path of the web search in the tools of a request. */
export function searchPath({ tools }: Offering): string {
  const at = (tools ?? []).findIndex(isSearch)
  return at === -1 ? 'tools' : `tools[${at}]`
}

/** The tools that OpenAI runs itself, except its web search. */
export function serverTools(request: Offering): readonly PlacedServerTool[] {
  return offeredIn(request).flatMap(({ tool: given, path }) => {
    const tool = responsesTool(given)
    return tool === undefined ? [] : [{ tool, path }]
  })
}

/** The path in the caller's request of the tool at this index of chat's list. */
export function pathOfTool(request: Offering, index: number): string {
  const called = offeredIn(request).filter(
    (one) => isCalled(one) || isCallersSearch(one.tool) || isCallersTool(one.tool),
  )
  return called[index]?.path ?? `tools[${index}]`
}

function isCalled({ tool: { type } }: Offered): boolean {
  return type === 'function' || type === 'custom'
}

/** Each tool once. One that a search finds again, or that is in the list as well, keeps its first path. */
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

/** Functions in the form of chat completions are accepted here, too. */
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

/** Chat completions have no namespaces: there, the name of a namespace is put before the names of its tools. */
export interface FlatNames {
  readonly flat: (name: string, namespace?: string | null) => string
  /** The name of the function that represents the caller's search for tools. */
  readonly search: string
  /**
   * The first of these tools that the request offers, or for earlier calls the first one, and the name of the function that
   * represents it.
   */
  readonly callers: (types: CallersToolTypes) => {
    readonly type: CallersToolType
    readonly name: string
  }
  /** The same for a tool that a choice names; undefined if the request does not offer it. */
  readonly chosen: (type: unknown) => string | undefined
  /** Makes the item of a call of the function that represents such a tool, or the search; undefined for other functions. */
  readonly represented: (flat: string) => ((item: OutputItem) => OutputItem) | undefined
  /** The caller's name of the tool. */
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
  const search = unique('tool_search', taken)
  const items = new Map<string, (item: OutputItem) => OutputItem>()
  if (all.some(({ tool }) => isCallersSearch(tool))) items.set(search, searchItem)
  const byType = new Map<CallersToolType, string>()
  for (const { tool } of all) {
    if (!isCallersTool(tool)) continue
    const name = unique(tool.type, taken)
    byType.set(tool.type, name)
    items.set(name, (item) => callersItem(item, tool))
  }
  const isOffered = (type: CallersToolType) => byType.has(type)
  return {
    flat,
    search,
    callers(types) {
      const type = types.find(isOffered) ?? types[0]
      return { type, name: byType.get(type) ?? unique(type, taken) }
    },
    chosen(type) {
      const found = toolsOfChoice(type).find(isOffered)
      return found && byType.get(found)
    },
    represented: (name) => items.get(name),
    own: (name) => owned.get(name) ?? { name },
  }
}

/** A name that no function of the caller has. */
function unique(name: string, taken: ReadonlySet<string>): string {
  let free = name
  while (taken.has(free)) free += '_'
  return free
}

/**
 * A call under the caller's names: a tool of a namespace by both names, and the search for tools and OpenAI's own tools in items
 * of their own.
 */
export function namedItem(item: OutputItem, names: FlatNames): OutputItem {
  const { name } = item
  if (!item.type.endsWith('_call') || typeof name !== 'string') return item
  const represented = item.type === 'function_call' ? names.represented(name) : undefined
  if (represented) return represented(item)
  const own = names.own(name)
  return own.namespace === undefined ? item : { ...item, ...own }
}
