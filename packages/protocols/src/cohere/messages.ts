import {
  type ChatRequest,
  type ContentPart,
  type Fields,
  type Message,
  registeredDataUrl,
} from '@sluice/contract'
import { argumentsText } from '../call-arguments.ts'
import { reportUnsupportedDetail } from '../neutral-values.ts'
import { textOfFile } from '../file-types.ts'
import { type KeptReasoning, noReasoning } from '../lost-reasoning.ts'
import type { CodecContext } from '../protocol.ts'

/**
 * A conversation in Cohere's form, which is close to OpenAI's: developer messages become system messages, names are written
 * before the text, and the reasoning of a model before its calls becomes the `tool_plan`.
 */
export function encodeMessages(
  { messages }: ChatRequest,
  context: CodecContext,
): readonly Fields[] {
  // With system messages only, the last one is sent as the user's message.
  const isSystemsAlone = messages.every(({ role }) => role === 'system' || role === 'developer')
  const last = messages.length - 1
  return messages.flatMap((message, index) => {
    const sent = isSystemsAlone && index === last ? { ...message, role: 'user' as const } : message
    const encoded = encodeMessage(sent, `messages[${index}]`, context)
    const endsResults = message.role === 'tool' && messages[index + 1]?.role !== 'tool'
    return endsResults ? [...encoded, ...shownByTools(messages, index, context)] : encoded
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
          content: spoken(contentOf(textOnly(message), path, context)),
        },
      ]
    case 'assistant':
      return encodeAssistant(message, path, context)
  }
}

/** The reasoning before calls is the plan of them. */
export const keptReasoning: KeptReasoning = {
  ...noReasoning,
  text: ({ tool_calls: calls }) => calls != null && calls.length > 0,
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
  const spoken = contentOf(message, path, context) ?? message.refusal
  const content = spoken == null || spoken.length === 0 ? undefined : spoken
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

/** A message and a result need at least one token. */
function spoken(
  content: string | readonly Fields[] | undefined,
): string | readonly Fields[] | undefined {
  return content === undefined || content.length === 0 ? '.' : content
}

/** Cohere accepts only text in tool results. The other parts are sent in a user message. */
function textOnly(message: Message): Message {
  const { content } = message
  if (!Array.isArray(content)) return message
  return { ...message, content: content.filter(({ type }) => type === 'text') }
}

/** The parts of the results up to this one that are not text, in order, as a user message. */
function shownByTools(
  messages: readonly Message[],
  end: number,
  context: CodecContext,
): readonly Fields[] {
  const before = messages.slice(0, end).findLastIndex(({ role }) => role !== 'tool')
  const shown = messages.slice(before + 1, end + 1).flatMap(({ content }, offset) =>
    (Array.isArray(content) ? content : []).flatMap((part, index) => {
      const path = `messages[${before + 1 + offset}].content[${index}]`
      return part.type === 'text' ? [] : partOf(part, path, context)
    }),
  )
  return shown.length === 0 ? [] : [{ role: 'user', content: shown }]
}

/** Writes the name of the speaking user before the text, because Cohere has no field for it. */
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
    if (detail === 'original') reportUnsupportedDetail(part, path, context)
    const known = detail != null && detail !== 'original' ? { detail } : {}
    return [{ type: 'image_url', image_url: { url: registeredDataUrl(url), ...known } }]
  }
  const text = textOfFile(part)
  if (text !== undefined) return [{ type: 'text', text }]
  context.unsupported(`${path}.type`, `Cohere does not take ${part.type}`)
  return []
}
