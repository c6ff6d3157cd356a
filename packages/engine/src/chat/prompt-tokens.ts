import type { ChatRequest, ContentPart, Message } from '@sluice/contract'
import { countTokens, countTokensInTurns } from '../tokens.ts'
import { createPause } from './pause.ts'

/** What a message costs beside its text: its role and its ends. */
const messageTokens = 4
const replyTokens = 3
/** A picture before it is opened counts as one of low detail, another medium as ten seconds of sound. */
const pictureTokens = 85
const mediumTokens = 100

/** The tokens of a chat request as the built-in engine counts them, without opening pictures, sounds and files. */
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

/** The tokens of all the text of a request: messages, calls, tools and schemas. */
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

/** Counting so many characters takes up to two tenths of a second: of what is beyond them the length alone tells. */
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

/** Whether a part is a picture, a sound, a film or a file. */
export function isMedium({ type }: ContentPart): boolean {
  return type !== 'text' && type !== 'refusal'
}
