import {
  type Fields,
  isObject,
  listOf,
  objectOf,
  serverToolCounts,
  someText,
  textOf,
  type Usage,
} from '@sluice/contract'
import { readUsage, servedAs } from '../../usage.ts'
import { isServers, isVisit } from './server-items.ts'

/**
 * What an item of a response costs beside its tokens (OpenAI API, OutputItem): the tool of which it is a call, by its name in
 * prices, or null for nothing. A kind that is not here counts as a call of a tool with the name of the kind: without a price
 * for it the cost of the response is unknown.
 */
export const itemTools: Readonly<Record<string, string | null>> = {
  message: null,
  reasoning: null,
  compaction: null,
  additional_tools: null,
  // Run by the caller.
  function_call: null,
  function_call_output: null,
  custom_tool_call: null,
  custom_tool_call_output: null,
  computer_call: null,
  computer_call_output: null,
  local_shell_call: null,
  local_shell_call_output: null,
  apply_patch_call: null,
  apply_patch_call_output: null,
  // Results of calls, and what surrounds them.
  mcp_list_tools: null,
  mcp_approval_request: null,
  mcp_approval_response: null,
  tool_search_output: null,
  shell_call_output: null,
  program_output: null,
  // Run by the provider.
  web_search_call: 'web_search',
  file_search_call: 'file_search',
  code_interpreter_call: 'code_execution',
  image_generation_call: 'image_generation',
  mcp_call: 'mcp',
  tool_search_call: 'tool_search',
  shell_call: 'shell',
  program: 'program',
}

/** The usage of a response. The calls of its items are counted if the response does not count them itself. */
export function responseUsage(response: Fields): Usage | undefined {
  const usage = servedAs(response['service_tier'], readUsage(response['usage']))
  if (usage === undefined) return undefined
  const counts: Record<string, number> = {}
  for (const item of listOf(response['output']).filter(isObject)) {
    const tool = toolOf(item, response)
    if (tool !== null) counts[tool] = (counts[tool] ?? 0) + 1
  }
  countUsed(counts, objectOf(response['tool_usage']))
  return { ...usage, ...serverToolCounts(counts, usage.serverToolCalls) }
}

/**
 * Adds what the response itself says that its tools used: its searches are those that are paid for (OpenAI's SDK,
 * `Response.ToolUsage`), anything else is known to have been used even if no item tells of it.
 */
function countUsed(counts: Record<string, number>, used: Fields): void {
  for (const [name, told] of Object.entries(used)) {
    const numbers = objectOf(told)
    if (name === 'web_search') {
      const requests = Number(numbers['num_requests'])
      const tool = counts['web_search_preview'] === undefined ? name : 'web_search_preview'
      if (requests > 0) counts[tool] = requests
    } else if (Object.values(numbers).some((value) => Number(value) > 0)) {
      const tool = name === 'image_gen' ? 'image_generation' : name
      counts[tool] ??= 1
    }
  }
}

function toolOf(item: Fields, response: Fields): string | null {
  if (isServers(item)) return someText(item['name']) ?? null
  const kind = textOf(item['type'])
  if (kind === '') return null
  const tool = Object.hasOwn(itemTools, kind) ? itemTools[kind] : kind.replace(/_call$/, '')
  // A shell that the caller runs. The provider's own ones are in a container, which is paid for.
  if (tool === 'shell' && objectOf(item['environment'])['type'] === 'local') return null
  if (tool !== 'web_search') return tool ?? null
  if (isVisit(objectOf(item['action']))) return 'web_fetch'
  return offersPreview(response) ? 'web_search_preview' : tool
}

/** The earlier version of the search has another price. The items of both have one kind; the response repeats its tools. */
function offersPreview({ tools }: Fields): boolean {
  return listOf(tools).some((tool) =>
    textOf(objectOf(tool)['type']).startsWith('web_search_preview'),
  )
}
