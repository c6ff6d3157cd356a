import {
  type Fields,
  isObject,
  listOf,
  objectOf,
  type ServerToolCall,
  someText,
  textOf,
} from '@sluice/contract'
import { readInput } from '../../server-tools.ts'

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
      return { id, type: 'file_search', input: { queries }, ...outputField(results) }
    }
    case 'mcp_call': {
      const { name, server_label: server, arguments: text, output, error } = rest
      const call = { id, type: 'mcp', name: textOf(name), server_label: textOf(server) }
      const failed = error == null ? outputField(output) : { output: error, is_error: true }
      return { ...call, input: { ...readInput(text) }, ...failed }
    }
    default:
      return { id, type: textOf(type).replace(/_call$/, ''), input: rest }
  }
}

/** Whether it is a call of one of xAI's own tools, whose result the server already has. The ids show it. */
export function isServers({ id, call_id: callId }: Fields): boolean {
  return [id, callId].some((one) => typeof one === 'string' && one.startsWith('xs_'))
}

/** A search, or a page that was opened. */
function searchCall(id: string, action: Fields): ServerToolCall {
  const { type: _, sources, ...input } = action
  return { id, type: isVisit(action) ? 'web_fetch' : 'web_search', input, ...outputField(sources) }
}

/** Whether the action of a search only looks into a page. */
export function isVisit({ type }: Fields): boolean {
  return type === 'open_page' || type === 'find_in_page' || type === 'find'
}

/** Outputs are present only if the request included them. */
function outputField(output: unknown): Pick<ServerToolCall, 'output'> {
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
