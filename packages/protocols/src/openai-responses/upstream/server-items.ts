import {
  type Fields,
  isObject,
  listOf,
  objectOf,
  type ServerToolCall,
  serverToolCounts,
  someText,
  textOf,
  type Usage,
} from '@sluice/contract'
import { readInput } from '../../server-tools.ts'
import { readUsage, servedAs } from '../../usage.ts'

/** Items that are read elsewhere, or that only a caller can respond to. */
const others: ReadonlySet<unknown> = new Set([
  undefined,
  'message',
  'reasoning',
  'image_generation_call',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
])

/**
 * A call of one of OpenAI's own tools with its result (OpenAI API, OutputItem); undefined for every other item. An item of an
 * unknown kind is passed on unchanged.
 */
export function serverCallOf(item: Fields): ServerToolCall | undefined {
  const { type, id: given, status: _, ...rest } = item
  const id = textOf(given)
  if (isServers(item))
    return { id, type: textOf(item['name']), input: readInput(item['input'] ?? item['arguments']) }
  if (others.has(type)) return undefined
  switch (type) {
    case 'web_search_call':
      return searchCall(id, objectOf(item['action']))
    case 'code_interpreter_call': {
      const { code, container_id: container, outputs } = rest
      return {
        id,
        type: 'code_execution',
        input: { code, container_id: container },
        ...logs(outputs),
      }
    }
    case 'file_search_call': {
      const { queries, results } = rest
      return { id, type: 'file_search', input: { queries }, ...told(results) }
    }
    case 'mcp_call': {
      const { name, server_label: server, arguments: text, output, error } = rest
      const call = { id, type: 'mcp', name: textOf(name), server_label: textOf(server) }
      const failed = error == null ? told(output) : { output: error, is_error: true }
      return { ...call, input: { ...readInput(text) }, ...failed }
    }
    default:
      return { id, type: textOf(type).replace(/_call$/, ''), input: rest }
  }
}

/** The usage of a response. The calls of its items are counted if the response does not count them itself. */
export function responseUsage(response: Fields): Usage | undefined {
  const usage = servedAs(response['service_tier'], readUsage(response['usage']))
  if (usage === undefined) return undefined
  const counts: Record<string, number> = {}
  for (const item of listOf(response['output']).filter(isObject)) {
    const call =
      isServers(item) || textOf(item['type']).endsWith('_call') ? serverCallOf(item) : undefined
    if (call !== undefined) counts[call.type] = (counts[call.type] ?? 0) + 1
  }
  return { ...usage, ...serverToolCounts(counts, usage.serverToolCalls) }
}

/** Whether it is a call of one of xAI's own tools, whose result the server already has. The ids show it. */
export function isServers({ id, call_id: callId }: Fields): boolean {
  return [id, callId].some((one) => typeof one === 'string' && one.startsWith('xs_'))
}

/** A search, or a page that was opened. */
function searchCall(id: string, action: Fields): ServerToolCall {
  const { type, sources, ...input } = action
  const isFetch = type === 'open_page' || type === 'find_in_page' || type === 'find'
  return { id, type: isFetch ? 'web_fetch' : 'web_search', input, ...told(sources) }
}

/** Outputs are present only if the request included them. */
function told(output: unknown): Pick<ServerToolCall, 'output'> {
  return output === undefined || output === null ? {} : { output }
}

function logs(outputs: unknown): Pick<ServerToolCall, 'output'> {
  if (!Array.isArray(outputs)) return {}
  const stdout = listOf(outputs)
    .filter(isObject)
    .flatMap((output) => someText(output['logs']) ?? someText(output['url']) ?? [])
    .join('\n')
  return { output: { stdout } }
}
