import type { ChatRequest } from '@sluice/contract'
import { asSchema, isRecord, type JsonSchema, textIn } from '../schema/json-schema.ts'

/** A tool as the engine uses it, whichever way the request declared it. */
export interface EngineTool {
  readonly kind: 'function' | 'custom'
  readonly name: string
  readonly description: string
  /** Schema of the arguments; true for custom tools. */
  readonly parameters: JsonSchema
  /** A regular expression that a custom tool's input must match. */
  readonly inputPattern?: string
}

/** Whether a tool must be called, may be, or must not be. */
export interface ToolUse {
  readonly mode: 'none' | 'auto' | 'required'
  readonly tools: readonly EngineTool[]
  readonly parallel: boolean
}

const noParameters: JsonSchema = { type: 'object', properties: {} }

/** What a request says of tools: those that may be called, and how freely. */
export function toolUseOf(request: ChatRequest): ToolUse {
  const parallel = request.parallel_tool_calls !== false
  const tools = (request.tools ?? []).flatMap(readTool)
  const choice = request.tool_choice
  if (tools.length === 0 || choice === 'none') return { parallel, mode: 'none', tools }
  if (choice == null || typeof choice === 'string')
    return { parallel, mode: choice ?? 'auto', tools }
  if (choice.type === 'allowed_tools') {
    const allowed = new Set((choice.allowed_tools?.tools ?? []).map(nameIn))
    const kept = tools.filter((tool) => allowed.has(tool.name))
    return {
      parallel,
      mode: kept.length === 0 ? 'none' : (choice.allowed_tools?.mode ?? 'auto'),
      tools: kept,
    }
  }
  const name = choice[choice.type]?.name
  const named = tools.filter((tool) => tool.name === name)
  return {
    parallel,
    mode: named.length === 0 ? 'auto' : 'required',
    tools: named.length === 0 ? tools : named,
  }
}

function nameIn(tool: unknown): string | undefined {
  if (!isRecord(tool)) return undefined
  const inner = tool['function'] ?? tool['custom'] ?? tool
  return isRecord(inner) ? textIn(inner, 'name') : undefined
}

function readTool(tool: NonNullable<ChatRequest['tools']>[number]): EngineTool[] {
  if (tool.type === 'function') return readFunction(tool.function)
  const { custom } = tool
  if (custom === undefined) return []
  const pattern = patternIn(custom.format)
  return [
    {
      kind: 'custom',
      name: custom.name,
      description: custom.description ?? '',
      parameters: true,
      ...(pattern === undefined ? {} : { inputPattern: pattern }),
    },
  ]
}

/** A custom tool's format may hold a grammar; regular expressions are honoured. */
function patternIn(format: unknown): string | undefined {
  if (!isRecord(format)) return undefined
  const grammar = isRecord(format['grammar']) ? format['grammar'] : format
  return grammar['syntax'] === 'regex' ? textIn(grammar, 'definition') : undefined
}

function readFunction(declared: unknown): EngineTool[] {
  if (!isRecord(declared)) return []
  const name = textIn(declared, 'name')
  if (name === undefined) return []
  const parameters =
    declared['parameters'] == null ? noParameters : asSchema(declared['parameters'])
  return [
    { kind: 'function', name, description: textIn(declared, 'description') ?? '', parameters },
  ]
}
