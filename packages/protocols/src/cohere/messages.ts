import {
  type ChatRequest,
  type ContentPart,
  type Fields,
  type Message,
  registeredDataUrl,
} from '@sluice/contract'
import { argumentsText } from '../call-arguments.ts'
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
  // The last message is to be a user's or a tool's.
  const last = messages.findLastIndex(({ role }) => role !== 'system' && role !== 'developer')
  return messages.flatMap((message, index) => {
    const isLate = index > last && index === messages.length - 1
    return encodeMessage(
      isLate ? { ...message, role: 'user' } : message,
      `messages[${index}]`,
      context,
    )
  })
}

function encodeMessage(message: Message, path: string, context: CodecContext): readonly Fields[] {
  switch (message.role) {
    case 'system':
    case 'developer': {
      const content = contentOf(message, path, context)
      return content === undefined || content.length === 0 ? [] : [{ role: 'system', content }]
    }
    case 'user':
      return [{ role: 'user', content: spoken(named(message, contentOf(message, path, context))) }]
    case 'tool':
      return [
        {
          role: 'tool',
          tool_call_id: message.tool_call_id,
          content: spoken(contentOf(textOnly(message, path, context), path, context)),
        },
      ]
    case 'assistant':
      return encodeAssistant(message, path, context)
  }
}

function encodeAssistant(message: Message, path: string, context: CodecContext): readonly Fields[] {
  if (message.audio != null) context.unsupported(`${path}.audio`)
  const calls = (message.tool_calls ?? []).map(({ id, function: called }) => {
    const { name = '', arguments: text = '' } = called ?? {}
    return {
      id,
      type: 'function',
      function: { name, arguments: argumentsText(text) },
    }
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

/** A message and a result have at least one token. */
function spoken(
  content: string | readonly Fields[] | undefined,
): string | readonly Fields[] | undefined {
  return content === undefined || content.length === 0 ? '.' : content
}

/** Results of tools are texts at Cohere. */
function textOnly(message: Message, path: string, context: CodecContext): Message {
  const { content } = message
  if (!Array.isArray(content)) return message
  const texts = content.filter(({ type }, index) => {
    if (type !== 'text') context.unsupported(`${path}.content[${index}].type`, 'a result is text')
    return type === 'text'
  })
  return { ...message, content: texts }
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
    return [{ type: 'image_url', image_url: { url: registeredDataUrl(url), ...known } }]
  }
  context.unsupported(`${path}.type`, `Cohere does not take ${part.type}`)
  return []
}
