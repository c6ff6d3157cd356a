import { type Fields, isObject, listOf, type Tool, textOf } from '@sluice/contract'
import type { FormatContext } from '../../protocol.ts'
import { type PlacedServerTool, responsesTool } from '../../tools/offered-server-tools.ts'
import { isSearch, searchOptions, wrappedTool } from '../tools.ts'

type Reports = Pick<FormatContext, 'leftOut' | 'unsupported'>

/** A tool that the caller runs, and where it stands in the request. */
interface Offered {
  readonly tool: Fields
  readonly path: string
  /** The namespace it belongs to. */
  readonly namespace?: string
}

/** The tools of a request as chat has them: all in one list, web search beside it. */
export interface OfferedTools {
  readonly tools: readonly Tool[]
  readonly search?: Fields
  readonly server: readonly PlacedServerTool[]
}

/**
 * A search for tools that are loaded when they are needed (OpenAI, Tool search) only spares the model their schemas:
 * without it, which codex sends to the models it knows, those of the request are all there.
 */
export function offeredTools(tools: readonly Fields[], reports: Reports): OfferedTools {
  const names = createFlatNames(tools)
  const search = tools.findIndex(isSearch)
  const own = offeredIn(tools).flatMap(({ tool, path, namespace }) => {
    if (isSearch(tool)) return []
    const { type, name } = tool
    if (type === 'function' || type === 'custom')
      return [wrappedTool({ ...tool, name: names.flat(textOf(name), namespace) })]
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
  const found = tools[search]
  const server = serverTools(tools)
  return found === undefined
    ? { tools: own, server }
    : { tools: own, server, search: searchOptions(found, `tools[${search}]`, reports) }
}

/** What OpenAI runs itself, but its search. */
export function serverTools(tools: readonly Fields[]): readonly PlacedServerTool[] {
  return offeredIn(tools).flatMap(({ tool: given, path }) => {
    const tool = responsesTool(given)
    return tool === undefined ? [] : [{ tool, path }]
  })
}

/** Where the caller wrote the tool that is at this place of chat's list. */
export function pathOfTool(tools: readonly Fields[], index: number): string {
  return offeredIn(tools).filter(isCalled)[index]?.path ?? `tools[${index}]`
}

function isCalled({ tool: { type } }: Offered): boolean {
  return type === 'function' || type === 'custom'
}

function offeredIn(tools: readonly Fields[]): readonly Offered[] {
  return tools.flatMap((tool, index): readonly Offered[] => {
    const path = `tools[${index}]`
    if (tool['type'] !== 'namespace') return [{ tool, path }]
    return listOf(tool['tools'])
      .filter(isObject)
      .map((inner, place) => ({
        tool: inner,
        path: `${path}.tools[${place}]`,
        namespace: textOf(tool['name']),
      }))
  })
}

/** Chat has no namespaces: there the tools of one have its name before theirs. */
export interface FlatNames {
  readonly flat: (name: string, namespace?: string | null) => string
  /** What the caller calls the tool. */
  readonly own: (flat: string) => { readonly name: string; readonly namespace?: string }
}

export function createFlatNames(tools: readonly Fields[]): FlatNames {
  const offered = offeredIn(tools).filter(isCalled)
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
  return { flat, own: (name) => owned.get(name) ?? { name } }
}
