import type { ChatRequest, Fields, Tool } from '@sluice/contract'
import type { CodecContext } from '../protocol.ts'
import { allowedTools } from '../tools/allowed-tools.ts'

/**
 * Tools and the tool choice. Cohere supports "must call" and "must not call"; a particular function is forced by offering only
 * that one.
 */
export function encodeTools(request: ChatRequest, context: CodecContext): Fields {
  const { tools: declared = [], tool_choice: choice } = request
  const only = chosenNames(choice)
  const tools = (declared ?? []).flatMap((tool) => {
    if (tool.function === undefined) return []
    return only === undefined || only.has(tool.function.name) ? [encodeTool(tool.function)] : []
  })
  if (tools.length === 0) return {}
  return { tools, ...strictTools(declared ?? [], context), ...toolChoice(choice) }
}

function encodeTool({ name, description, parameters }: NonNullable<Tool['function']>): Fields {
  return {
    type: 'function',
    function: {
      name,
      ...(description == null ? {} : { description }),
      // Cohere rejects a schema without a type.
      parameters: { type: 'object', ...(parameters ?? { properties: {} }) },
    },
  }
}

/** Strictness is a single switch for all tools. */
function strictTools(tools: readonly Tool[], context: CodecContext): Fields {
  const strict = tools.map((tool) => tool.function?.strict === true)
  if (!strict.includes(true)) return {}
  if (!strict.includes(false)) return { strict_tools: true }
  context.leftOut(
    `tools[${strict.indexOf(true)}].function.strict`,
    'at Cohere all tools are strict or none',
  )
  return {}
}

function toolChoice(choice: ChatRequest['tool_choice']): Fields {
  if (choice == null || choice === 'auto') return {}
  if (choice === 'none') return { tool_choice: 'NONE' }
  if (choice === 'required' || choice.type !== 'allowed_tools') return { tool_choice: 'REQUIRED' }
  return choice.allowed_tools?.mode === 'required' ? { tool_choice: 'REQUIRED' } : {}
}

function chosenNames(choice: ChatRequest['tool_choice']): ReadonlySet<string> | undefined {
  if (choice == null || typeof choice === 'string' || choice.type === 'allowed_tools')
    return allowedTools(choice)
  return new Set([choice.function?.name ?? ''])
}
