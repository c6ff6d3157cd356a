import {
  type ChatRequest,
  isObject,
  listOf,
  objectOf,
  type ServerTool,
  type Tool,
} from '@sluice/contract'
import { callersFunction, isAnthropicsTool, untoldFields } from '../anthropic/callers-tools.ts'
import { memberFunctions, toolsetName } from '../anthropic/toolsets.ts'
import { computerFunctions, isComputerUse, untoldProtection } from '../gemini/computer-use.ts'
import type { Reports } from '../native-target.ts'
import { sentAsFunction } from './offered-server-tools.ts'

/** Whether a tool in the form of its provider is one that the caller runs. */
export function isCallersTool(tool: unknown): boolean {
  const fields = objectOf(tool)
  const { type } = fields
  return isAnthropicsTool(type) || toolsetName(type) !== undefined || isComputerUse(fields)
}

/**
 * A tool that a provider defined and the caller runs, as functions; none for one that the provider runs. `model` is what the
 * caller calls the model.
 */
function functionsOf({ api, tool }: ServerTool, model: string): readonly Tool[] {
  const functions =
    api === 'gemini'
      ? computerFunctions(tool, model)
      : api === 'anthropic'
        ? [callersFunction(tool) ?? memberFunctions(tool)].flat()
        : []
  const { cache_control: cache } = tool
  return functions.map((one, index) => ({
    type: 'function',
    // Both have the form of chat.
    function: one as NonNullable<Tool['function']>,
    ...(isObject(cache) && index === functions.length - 1 ? { cache_control: { ...cache } } : {}),
  }))
}

/**
 * The request with a function, behind the caller's own, for each tool that a provider defined and the caller runs. `takes` says
 * whether the target knows the tools of an API itself. Fields of the tools that a function cannot tell are reported.
 */
export function withCallersFunctions(
  request: ChatRequest,
  takes: (api: ServerTool['api']) => boolean,
  reports?: Reports,
): ChatRequest {
  const { server_tools: server, model } = request
  if (!server?.length) return request
  const isSent = (one: ServerTool) => !takes(one.api) && functionsOf(one, model).length > 0
  const functions = server.flatMap((one, index) => {
    const made = takes(one.api) ? [] : functionsOf(one, model)
    if (reports && made.length > 0) reportUntold(one, `server_tools[${index}]`, reports)
    return made
  })
  const own =
    functions.length === 0
      ? request
      : {
          ...request,
          tools: [...(request.tools ?? []), ...functions],
          server_tools: server.map((one) => (isSent(one) ? { ...one, type: sentAsFunction } : one)),
        }
  const { tool_choice: choice } = request
  const chosen = isObject(choice) && choice.type === 'function' ? choice.function?.name : undefined
  const isRun = (one: ServerTool) => one.tool['name'] === chosen && !takes(one.api) && !isSent(one)
  if (chosen === undefined || !server.some(isRun)) return own
  reports?.unsupported('tool_choice', 'No other model can be made to call a tool of a provider')
  return { ...own, tool_choice: null }
}

/**
 * The paths of those among these tools that the caller runs, in the order of their functions. `model` is what the caller calls the
 * model, on which only the functions of Gemini's depend.
 */
export function pathsOfCallersTools(
  placed: readonly { readonly tool: ServerTool; readonly path: string }[],
  model = '',
): readonly string[] {
  return placed.flatMap(({ tool, path }) => functionsOf(tool, model).map(() => path))
}

function reportUntold({ api, tool }: ServerTool, path: string, reports: Reports): void {
  if (api === 'gemini') {
    const field = untoldProtection(tool)
    if (field !== undefined)
      reports.unsupported(`${path}.${field}`, 'Only Google looks for instructions in screenshots')
    return
  }
  for (const field of untoldFields(tool)) {
    const place = `${path}.${field}`
    if (field !== 'allowed_callers') reports.leftOut(place)
    else if (listOf(tool[field]).some((caller) => caller !== 'direct'))
      reports.unsupported(place, 'Only Anthropic itself calls tools from code')
  }
}
