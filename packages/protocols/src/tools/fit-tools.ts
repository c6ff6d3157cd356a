import {
  type ChatRequest,
  type Fields,
  type Message,
  type ServerTool,
  type Tool,
  type ToolCall,
  type ToolChoice,
  objectOf,
} from '@sluice/contract'
import type { CodecContext } from '../protocol.ts'
import { customAsFunction, customCallAsFunction, hasFormat } from './custom-tools.ts'
import { createToolNames, type NameRule, type ToolNames } from './tool-names.ts'

/** What a target accepts of tools. */
export interface ToolRule extends NameRule {
  /** Whether a model accepts free-form tools. Default: none does. */
  readonly takesCustom?: (model: string) => boolean
  /** Whether the target knows the tools that the provider with this API defined for the caller to run. Default: it does not. */
  readonly takesCallersTools?: (
    api: ServerTool['api'],
    context: Pick<CodecContext, 'isGateway'>,
  ) => boolean
}

/** A request that the target accepts, and the changes by which its response must be read. */
export interface FittedTools {
  readonly request: ChatRequest
  /** Absent if nothing had to be changed. */
  readonly changes?: ToolChanges
}

export interface ToolChanges {
  /** The caller's own name of a tool that the target calls. */
  readonly original: (name: string) => string
  /** The names, as sent, of free-form tools that were sent as functions. */
  readonly customs: ReadonlySet<string>
}

/**
 * The request with tool names that the target accepts and, if it supports only functions, with free-form tools as functions.
 * The history and the tool choice are changed as well. Reports to `leftOut` the grammars that are then not enforced.
 */
export function fitTools(
  request: ChatRequest,
  rule: ToolRule,
  { family, leftOut }: Pick<CodecContext, 'family' | 'leftOut'>,
): FittedTools {
  const wraps = rule.takesCustom?.(family) !== true
  if (fitsAlready(request, rule, wraps)) return { request }
  const names = createToolNames(
    rule,
    declaredNames(request).filter((name) => rule.fits.test(name)),
  )
  const fitting: Fitting = { names, wraps, customs: new Set() }
  const { tools, messages, tool_choice: choice } = request
  for (const [index, tool] of (tools ?? []).entries())
    if (wraps && hasFormat(tool)) leftOut(`tools[${index}].custom.format`)
  return {
    request: {
      ...request,
      ...(tools == null ? {} : { tools: tools.map((tool) => fittedTool(tool, fitting)) }),
      ...(choice == null ? {} : { tool_choice: fittedChoice(choice, fitting) }),
      messages: messages.map((message) => fittedMessage(message, fitting)),
    },
    changes: { original: (name) => names.original(name), customs: fitting.customs },
  }
}

interface Fitting {
  readonly names: ToolNames
  readonly wraps: boolean
  readonly customs: Set<string>
}

function declaredNames({ tools }: ChatRequest): readonly string[] {
  return (tools ?? []).flatMap((tool) => (tool.function ?? tool.custom)?.name ?? [])
}

function fitsAlready(request: ChatRequest, { fits }: NameRule, wraps: boolean): boolean {
  const isFitting = ({ function: called, custom }: Pick<ToolCall, 'custom' | 'function'>) =>
    fits.test((called ?? custom)?.name ?? '') && (custom == null || !wraps)
  return (
    (request.tools ?? []).every((tool) => isFitting(tool as never)) &&
    request.messages.every(({ tool_calls: calls }) => calls?.every(isFitting) !== false)
  )
}

/** A tool or a call with a name that fits; a free-form one as a function, if the target supports only these. */
function fitted<T extends Tool | ToolCall>(
  one: T,
  { names, wraps }: Fitting,
  asFunction: (one: T, name: string) => T,
): T {
  const { function: called, custom } = one
  if (called !== undefined)
    return { ...one, function: { ...called, name: names.fitted(called.name) } }
  const name = names.fitted(custom?.name ?? '')
  if (wraps) return asFunction(one, name)
  return { ...one, ...(custom && { custom: { ...custom, name } }) }
}

function fittedTool(tool: Tool, fitting: Fitting): Tool {
  return fitted(tool, fitting, (custom, name) => {
    fitting.customs.add(name)
    return customAsFunction(custom, name)
  })
}

function fittedMessage(message: Message, fitting: Fitting): Message {
  const { tool_calls: calls, name } = message
  if (message.role === 'tool' && name != null)
    return { ...message, name: fitting.names.fitted(name) }
  if (!calls?.length) return message
  const sent = calls.map((call) => fitted(call, fitting, customCallAsFunction))
  return { ...message, tool_calls: sent }
}

function fittedChoice(choice: ToolChoice, fitting: Fitting): ToolChoice {
  if (typeof choice === 'string') return choice
  const { allowed_tools: allowed } = choice
  if (choice.type === 'allowed_tools') {
    if (allowed === undefined) return choice
    const tools = allowed.tools.map((tool) => fittedReference(tool, fitting))
    return { ...choice, allowed_tools: { ...allowed, tools } }
  }
  return fittedReference(choice, fitting) as ToolChoice
}

/** `{type, [type]: {name}}`, the form in which a choice and the entries of `allowed_tools` name a tool. */
function fittedReference<T extends Fields>(reference: T, { names, wraps }: Fitting): T {
  const { type } = reference
  if (type !== 'function' && type !== 'custom') return reference
  const { [type]: named, ...rest } = reference as Fields
  const { name, ...others } = objectOf(named)
  if (typeof name !== 'string') return reference
  const as = type === 'custom' && wraps ? 'function' : type
  // The same form with another type.
  return { ...rest, type: as, [as]: { ...others, name: names.fitted(name) } } as unknown as T
}
