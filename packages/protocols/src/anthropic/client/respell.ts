import { type Fields, isObject } from '@sluice/contract'
import { readArguments } from '../../call-arguments.ts'

/**
 * Converts variants that other servers of this format accept to Anthropic's form: a single object or text instead of a list of
 * blocks, a call without input, OpenAI's values of the tool choice.
 */
export function respellMessages(request: Fields): Fields {
  const { messages, system, tool_choice: choice, thinking } = request
  const isOff = isObject(thinking) && thinking['type'] === 'disabled'
  return {
    ...request,
    ...(Array.isArray(messages) ? { messages: messages.map(respelledMessage) } : {}),
    ...(isObject(system) ? { system: [system] } : {}),
    ...(Array.isArray(system) ? { system: system.map(asBlock) } : {}),
    ...(choice == null ? {} : { tool_choice: respelledChoice(choice) }),
    ...(isOff ? { thinking: { type: 'disabled' } } : {}),
  }
}

function respelledMessage(message: unknown, index: number): unknown {
  if (!isObject(message)) return message
  const { content, role } = message
  if (content === null && role === 'assistant') return { ...message, content: [] }
  if (isObject(content)) return { ...message, content: [content] }
  if (!Array.isArray(content)) return message
  const blocks = content.map((block, place) =>
    respelledBlock(asBlock(block), `messages[${index}].content[${place}]`),
  )
  return { ...message, content: blocks }
}

function asBlock(block: unknown): unknown {
  return typeof block === 'string' ? { type: 'text', text: block } : block
}

function respelledBlock(block: unknown, path: string): unknown {
  if (!isObject(block)) return block
  const { type, input, content, ...rest } = block
  if (type === 'tool_use' && input === null) return { ...block, input: {} }
  if (type === 'tool_use' && typeof input === 'string')
    return { ...block, input: readArguments(input, `${path}.input`) }
  return type === 'tool_result' && content === null ? { type, ...rest } : block
}

function respelledChoice(choice: unknown): unknown {
  const given = typeof choice === 'string' ? { type: choice } : choice
  if (!isObject(given)) return choice
  const { type, function: called, ...rest } = given
  if (type === 'required') return { ...rest, type: 'any' }
  if (type === 'function' && isObject(called))
    return { ...rest, type: 'tool', name: called['name'] }
  return given
}
