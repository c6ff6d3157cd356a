import type { ChatRequest, ContentPart, Message } from '@sluice/contract'
import { countTokens } from '../tokens.ts'

/** What a message costs beside its text: its role and its ends. */
const messageTokens = 4
const replyTokens = 3
/** A picture before it is opened counts as one of low detail, another medium as ten seconds of sound. */
const pictureTokens = 85
const mediumTokens = 100

/** The tokens of a chat request as the built-in engine counts them, without opening pictures, sounds and files. */
export function promptTokens(request: ChatRequest): number {
  return (
    textTokens(request, boundedCount()) +
    request.messages.reduce((sum, message) => sum + mediaTokens(message), 0)
  )
}

/** The tokens of all the text of a request: messages, calls, tools and schemas. */
export function textTokens(request: ChatRequest, count = countTokens): number {
  const { tools, response_format: format } = request
  let tokens = replyTokens
  const schema = format?.type === 'json_schema' ? format.json_schema : undefined
  for (const declared of [tools, schema])
    if (declared != null) tokens += count(JSON.stringify(declared))
  for (const message of request.messages)
    tokens += count(messageText(message)) + messageTokens + count(callText(message))
  return tokens
}

/** Counting so many characters takes a tenth of a second: of what is beyond them the length alone tells. */
const countedCharactersMax = 1_000_000
const charactersPerToken = 4

function boundedCount(): (text: string) => number {
  let left = countedCharactersMax
  return (text) => {
    const counted = text.slice(0, left)
    left -= counted.length
    return countTokens(counted) + Math.ceil((text.length - counted.length) / charactersPerToken)
  }
}

/** The text parts of a message, joined by blank lines. */
export function messageText({ content }: Message): string {
  if (typeof content === 'string') return content
  return (content ?? []).flatMap((part) => part.text ?? part.refusal ?? []).join('\n\n')
}

function callText({ tool_calls: calls }: Message): string {
  return calls == null ? '' : JSON.stringify(calls)
}

function mediaTokens({ content }: Message): number {
  const media = (Array.isArray(content) ? content : []).filter(isMedium)
  return media.reduce(
    (sum, { type }) => sum + (type === 'image_url' ? pictureTokens : mediumTokens),
    0,
  )
}

/** Whether a part is a picture, a sound, a film or a file. */
export function isMedium({ type }: ContentPart): boolean {
  return type !== 'text' && type !== 'refusal'
}
