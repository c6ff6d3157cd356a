import type { ChatRequest, ContentPart, Message } from '@sluice/contract'
import { countTokens, countTokensInTurns } from '../tokens.ts'
import { createPause } from './pause.ts'

/** Tokens of a message besides its text: its role and its delimiters. */
const messageTokens = 4
const replyTokens = 3
/** An image that was not opened counts as one of low detail, other media as ten seconds of audio. */
const pictureTokens = 85
const mediumTokens = 100

/** The tokens of a chat request as the built-in engine counts them, without opening images, audio and files. */
export async function promptTokens(request: ChatRequest): Promise<number> {
  const pause = createPause()
  let tokens = frameTokens(request)
  let left = countedCharactersMax
  for (const text of textsOf(request)) {
    const counted = text.slice(0, left)
    left -= counted.length
    tokens += await countTokensInTurns(counted, pause)
    tokens += Math.ceil((text.length - counted.length) / charactersPerToken)
  }
  return request.messages.reduce((sum, message) => sum + mediaTokens(message), tokens)
}

/** The tokens of all texts of a request: messages, calls, tools and schemas. */
export function textTokens(request: ChatRequest): number {
  return textsOf(request).reduce((sum, text) => sum + countTokens(text), frameTokens(request))
}

function frameTokens({ messages }: ChatRequest): number {
  return replyTokens + messages.length * messageTokens
}

function textsOf({ tools, response_format: format, messages }: ChatRequest): readonly string[] {
  const schema = format?.type === 'json_schema' ? format.json_schema : undefined
  return [
    ...[tools, schema].flatMap((declared) => (declared == null ? [] : JSON.stringify(declared))),
    ...messages.flatMap((message) => [messageText(message), callText(message)]),
  ]
}

/** Counting this many characters takes up to 0.2 seconds. For the rest, the number is estimated from the length. */
const countedCharactersMax = 1_000_000
const charactersPerToken = 4

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

/** Whether a part is an image, audio, a video or a file. */
export function isMedium({ type }: ContentPart): boolean {
  return type !== 'text' && type !== 'refusal'
}
