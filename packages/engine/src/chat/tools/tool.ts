import type { ChatRequest } from '@sluice/contract'
import { asSchema, isRecord, type JsonSchema, textIn } from '../schema/json-schema.ts'

/** A tool in the engine's form, however the request declared it. */
export interface EngineTool {
  readonly kind: 'function' | 'custom'
  readonly name: string
  readonly description: string
  /** Schema of the arguments; true for custom tools. */
  readonly parameters: JsonSchema
  /** A regular expression that a custom tool's input must match. */
  readonly inputPattern?: string
}

/** Whether a tool must, may or must not be called. */
export interface ToolUse {
  readonly mode: 'none' | 'auto' | 'required'
  readonly tools: readonly EngineTool[]
  readonly parallel: boolean
}

/** What a request says about tools: which ones may be called, and whether one must be. */
export function toolUseOf(request: ChatRequest): ToolUse {
  const parallel = request.parallel_tool_calls !== false
  const tools = (request.tools ?? []).flatMap((tool) => readTool(tool) ?? [])
  const choice = request.tool_choice ?? 'auto'
  if (tools.length === 0 || choice === 'none') return { parallel, mode: 'none', tools }
  if (typeof choice === 'string') return { parallel, mode: choice, tools }
  const allowed = choice.type === 'allowed_tools' ? choice.allowed_tools : undefined
  const names = allowed?.tools?.map(nameIn) ?? [
    choice.type === 'allowed_tools' ? undefined : choice[choice.type]?.name,
  ]
  const kept = tools.filter((tool) => names.includes(tool.name))
  if (choice.type === 'allowed_tools')
    return { parallel, mode: kept.length === 0 ? 'none' : (allowed?.mode ?? 'auto'), tools: kept }
  return kept.length === 0
    ? { parallel, mode: 'auto', tools }
    : { parallel, mode: 'required', tools: kept }
}

function nameIn(tool: unknown): string | undefined {
  if (!isRecord(tool)) return undefined
  const inner = tool['function'] ?? tool['custom'] ?? tool
  return isRecord(inner) ? textIn(inner, 'name') : undefined
}

function readTool(tool: NonNullable<ChatRequest['tools']>[number]): EngineTool | undefined {
  const declared: unknown = tool.type === 'function' ? tool.function : tool.custom
  const name = isRecord(declared) ? textIn(declared, 'name') : undefined
  if (!isRecord(declared) || name === undefined) return undefined
  const description = textIn(declared, 'description') ?? ''
  if (tool.type === 'function') {
    const parameters = asSchema(declared['parameters'] ?? { type: 'object', properties: {} })
    return { kind: 'function', name, description, parameters }
  }
  // A custom tool's format may contain a grammar; only regular expressions are respected.
  const format = isRecord(declared['format']) ? declared['format'] : {}
  const grammar = isRecord(format['grammar']) ? format['grammar'] : format
  const pattern = grammar['syntax'] === 'regex' ? textIn(grammar, 'definition') : undefined
  const custom = { kind: 'custom', name, description, parameters: true } as const
  return pattern === undefined ? custom : { ...custom, inputPattern: pattern }
}
