import type { ChatRequest, ContentPart, Message } from '@sluice/contract'
import { countSent, countTokensInTurns } from '../tokens.ts'
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
  let [tokens, characters, uncounted] = [0, 0, 0]
  for (const text of textsOf(request)) {
    const counted = text.slice(0, countedCharactersMax - characters)
    characters += counted.length
    uncounted += text.length - counted.length
    tokens += await countTokensInTurns(counted, pause)
  }
  const rest = Math.ceil((uncounted * tokens) / Math.max(1, characters))
  const frame = frameTokens(request) + tokens + rest
  return request.messages.reduce((sum, message) => sum + mediaTokens(message), frame)
}

/** The tokens of all texts of a request: messages, calls, tools and schemas. */
export function textTokens(request: ChatRequest): number {
  return textsOf(request).reduce((sum, text) => sum + countSent(text), frameTokens(request))
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

/** Counting this many characters takes up to 0.2 seconds. The rest counts as the same number of tokens per character. */
const countedCharactersMax = 1_000_000

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
