import { type ChatRequest, type ContentPart, GatewayError, type Message } from '@sluice/contract'
import { countTokens } from '../tokens.ts'
import type { Conversation, Medium, PastCall, Turn } from './ask/conversation.ts'
import { messageText, textTokens } from './prompt-tokens.ts'

/** Opens a part that is not text; `param` is the path of the part. */
export type OpenPart = (part: ContentPart, param: string) => Promise<Medium>

export interface ReadRequest {
  readonly conversation: Conversation
  readonly textTokens: number
  readonly imageTokens: number
  readonly audioTokens: number
}

export const contextTokensMax = 128_000

/** One answer is at most this long, whatever the request allows. */
const outputTokensMax = 16_384
/** All choices of a request together. */
const outputTokensTotalMax = 262_144

/** How long one of several choices may be. */
export function choiceTokensMax(choices: number): number {
  return Math.min(
    outputTokensMax,
    Math.max(16, Math.floor(outputTokensTotalMax / Math.max(1, choices))),
  )
}

const mediaPartsMax = 64

/**
 * Reads the messages of a request: texts, calls, tool results and opened media.
 * Throws context_length_exceeded (param `messages`), invalid_request for media that cannot be read.
 */
export async function readRequest(request: ChatRequest, openPart: OpenPart): Promise<ReadRequest> {
  const written = textTokens(request)
  assertFits(written)
  assertPartsFit(request.messages)
  const turns: Turn[] = []
  const calls = new Map<string, PastCall>()
  for (const [index, message] of request.messages.entries()) {
    const media = await openMedia(message, index, openPart)
    const own = callsOf(message)
    for (const call of own) calls.set(call.id, call)
    const answers = message.role === 'tool' ? calls.get(message.tool_call_id ?? '') : undefined
    turns.push({
      role: roleOf(message),
      index,
      text: messageText(message),
      media,
      calls: own,
      ...(answers === undefined ? {} : { answers }),
    })
  }
  const { imageTokens, audioTokens, documentTokens } = costsOf(turns.flatMap((turn) => turn.media))
  assertFits(written + documentTokens + imageTokens + audioTokens)
  return { conversation: { turns }, textTokens: written + documentTokens, imageTokens, audioTokens }
}

function assertFits(tokens: number): void {
  if (tokens <= contextTokensMax) return
  throw new GatewayError(
    'context_length_exceeded',
    `This model's maximum context length is ${contextTokensMax} tokens, but the messages come to ${tokens}`,
    { param: 'messages' },
  )
}

function roleOf({ role }: Message): Turn['role'] {
  return role === 'developer' ? 'system' : role
}

function callsOf(message: Message): PastCall[] {
  return (message.tool_calls ?? []).flatMap((call): PastCall[] => {
    if (call.function !== undefined)
      return [{ id: call.id, name: call.function.name, input: call.function.arguments }]
    return call.custom === undefined
      ? []
      : [{ id: call.id, name: call.custom.name, input: call.custom.input }]
  })
}

interface Costs {
  readonly imageTokens: number
  readonly audioTokens: number
  readonly documentTokens: number
}

function costsOf(media: readonly Medium[]): Costs {
  const sum = (cost: (medium: Medium) => number): number =>
    media.reduce((total, medium) => total + cost(medium), 0)
  return {
    imageTokens: sum((medium) => medium.imageTokens),
    audioTokens: sum((medium) => medium.audioTokens),
    documentTokens: sum((medium) =>
      medium.kind === 'document' ? countTokens(medium.description) : 0,
    ),
  }
}

function assertPartsFit(messages: readonly Message[]): void {
  let parts = 0
  for (const [index, { content }] of messages.entries()) {
    if (content == null || typeof content === 'string') continue
    for (const [place, part] of content.entries()) {
      if (!isMedium(part)) continue
      parts += 1
      if (parts > mediaPartsMax)
        throw new GatewayError(
          'invalid_request',
          `A request may hold ${mediaPartsMax} pictures, sounds, films and files`,
          { param: `messages[${index}].content[${place}]` },
        )
    }
  }
}

function isMedium(part: ContentPart): boolean {
  return part.type !== 'text' && part.type !== 'refusal'
}

async function openMedia(
  { content }: Message,
  index: number,
  openPart: OpenPart,
): Promise<Medium[]> {
  if (content == null || typeof content === 'string') return []
  const media: Medium[] = []
  for (const [place, part] of content.entries())
    if (isMedium(part)) media.push(await openPart(part, `messages[${index}].content[${place}]`))
  return media
}
