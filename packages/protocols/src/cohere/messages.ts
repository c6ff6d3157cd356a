import type { ChatRequest, ContentPart, Fields, Message } from '@sluice/contract'
import { lackDetail } from '../decisions.ts'
import type { CodecContext } from '../protocol.ts'

/**
 * A conversation as Cohere takes it, nearly OpenAI's: developers are systems, names go before the text, and what a model
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
      return [{ role: 'user', content: named(message, contentOf(message, path, context)) }]
    case 'tool':
      return [
        {
          role: 'tool',
          tool_call_id: message.tool_call_id,
          content: contentOf(message, path, context),
        },
      ]
    case 'assistant':
      return encodeAssistant(message, path, context)
  }
}

function encodeAssistant(message: Message, path: string, context: CodecContext): readonly Fields[] {
  if (message.audio != null) context.unsupported(`${path}.audio`)
  const calls = (message.tool_calls ?? []).flatMap((call, index) => {
    if (call.function === undefined) {
      context.unsupported(`${path}.tool_calls[${index}]`, 'Cohere takes function calls only')
      return []
    }
    const { name, arguments: text } = call.function
    return [
      {
        id: call.id,
        type: 'function',
        function: { name, arguments: text.trim() === '' ? '{}' : text },
      },
    ]
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

/** Who of several users speaks; Cohere has no field for it. */
function named(
  { name }: Message,
  content: string | readonly Fields[] | undefined,
): string | readonly Fields[] | undefined {
  if (name == null || name === '' || content === undefined) return content
  if (typeof content === 'string') return `${name}: ${content}`
  return [{ type: 'text', text: `${name}:` }, ...content]
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
    if (detail === 'original') lackDetail(part, path, context)
    const known = detail != null && detail !== 'original' ? { detail } : {}
    return [{ type: 'image_url', image_url: { url, ...known } }]
  }
  context.unsupported(`${path}.type`, `Cohere does not take ${part.type}`)
  return []
}
