import type { ChatRequest } from '../../operations/chat.ts'
import type { ContentPart, Message } from '../../operations/chat-message.ts'
import type { CodecContext } from '../protocol.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * A conversation as Cohere takes it, nearly OpenAI's: developers are systems, names are left out, and what a model
 * thought before its calls is the `tool_plan`.
 */
export function encodeMessages(
  { messages }: ChatRequest,
  context: CodecContext,
): readonly Fields[] {
  return messages.flatMap((message, index) => encodeMessage(message, `messages[${index}]`, context))
}

function encodeMessage(message: Message, path: string, context: CodecContext): readonly Fields[] {
  switch (message.role) {
    case 'system':
    case 'developer':
      return [{ role: 'system', content: contentOf(message, path, context) }]
    case 'user':
      return [{ role: 'user', content: contentOf(message, path, context) }]
    case 'tool':
      return [
        {
          role: 'tool',
          tool_call_id: message.tool_call_id,
          content: contentOf(message, path, context),
        },
      ]
    case 'function':
      context.unsupported(`${path}.role`, 'use tools instead of functions')
      return []
    case 'assistant':
      return encodeAssistant(message, path, context)
  }
}

function encodeAssistant(message: Message, path: string, context: CodecContext): readonly Fields[] {
  if (message.function_call != null)
    context.unsupported(`${path}.function_call`, 'use tools instead of functions')
  if (message.audio != null) context.unsupported(`${path}.audio`)
  const calls = (message.tool_calls ?? []).flatMap((call, index) => {
    if (call.function === undefined) {
      context.unsupported(`${path}.tool_calls[${index}]`, 'Cohere takes function calls only')
      return []
    }
    const { name, arguments: text } = call.function
    return [{ id: call.id, type: 'function', function: { name, arguments: text || '{}' } }]
  })
  const said = contentOf(message, path, context) ?? message.refusal
  const content = said == null || said.length === 0 ? undefined : said
  if (content === undefined && calls.length === 0) return []
  const plan = calls.length > 0 ? message.reasoning_content : undefined
  return [
    {
      role: 'assistant',
      ...(content === undefined ? {} : { content }),
      ...(plan ? { tool_plan: plan } : {}),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
  ]
}

function contentOf(
  { content }: Message,
  path: string,
  context: CodecContext,
): string | readonly Fields[] | undefined {
  if (content == null) return undefined
  if (typeof content === 'string') return content
  return content.flatMap((part, index) => partOf(part, `${path}.content[${index}]`, context))
}

function partOf(part: ContentPart, path: string, context: CodecContext): readonly Fields[] {
  if (part.type === 'text') return [{ type: 'text', text: part.text ?? '' }]
  if (part.type === 'refusal') return [{ type: 'text', text: part.refusal ?? '' }]
  if (part.type === 'image_url' && part.image_url !== undefined) {
    const { url, detail } = part.image_url
    const known = detail != null && detail !== 'original' ? { detail } : {}
    return [{ type: 'image_url', image_url: { url, ...known } }]
  }
  context.unsupported(`${path}.type`, `Cohere does not take ${part.type}`)
  return []
}
