import {
  type ChatRequest,
  type ContentPart,
  GatewayError,
  invalidRequest,
  type Message,
} from '@sluice/contract'
import { countTokens } from '../tokens.ts'
import { tellApart } from './ask/harness.ts'
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
 * Throws context_length_exceeded (param `messages`).
 */
export function readRequest(
  request: ChatRequest,
  opened: readonly (readonly Medium[])[],
): ReadRequest {
  const written = textTokens(request)
  assertFits(written)
  const turns: Turn[] = []
  const calls = new Map<string, PastCall>()
  for (const [index, message] of request.messages.entries()) {
    const own = callsOf(message)
    for (const call of own) calls.set(call.id, call)
    const answers = message.role === 'tool' ? calls.get(message.tool_call_id ?? '') : undefined
    const text = messageText(message)
    turns.push({
      role: message.role === 'developer' ? 'system' : message.role,
      index,
      ...(message.role === 'user' ? tellApart(text) : { text }),
      media: opened[index] ?? [],
      calls: own,
      ...(answers === undefined ? {} : { answers }),
    })
  }
  const { imageTokens, audioTokens, documentTokens } = costsOf(opened.flat())
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

/** Opens all parts that are not text, message by message; `openPart` is told the path of each. */
export async function openMedia(
  messages: readonly Message[],
  openPart: OpenPart,
): Promise<Medium[][]> {
  assertPartsFit(messages)
  const opened: Medium[][] = []
  for (const [index, { content }] of messages.entries()) {
    const media: Medium[] = []
    for (const [place, part] of (Array.isArray(content) ? content : []).entries()) {
      if (!isMedium(part)) continue
      const param = `messages[${index}].content[${place}]`
      media.push(await openPart(part, param))
    }
    opened.push(media)
  }
  return opened
}

function assertPartsFit(messages: readonly Message[]): void {
  const all = messages.flatMap(({ content }, index) =>
    (Array.isArray(content) ? content : []).flatMap((part, place) =>
      isMedium(part) ? [`messages[${index}].content[${place}]`] : [],
    ),
  )
  const param = all[mediaPartsMax]
  if (param !== undefined)
    throw invalidRequest(
      `A request may hold ${mediaPartsMax} pictures, sounds, films and files`,
      param,
    )
}

function isMedium(part: ContentPart): boolean {
  return part.type !== 'text' && part.type !== 'refusal'
}
