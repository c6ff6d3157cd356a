import {
  type ChatRequest,
  type ContentPart,
  GatewayError,
  invalidRequest,
  type Message,
} from '@sluice/contract'
import { countSent, tokenCharactersMax } from '../tokens.ts'
import type { Conversation, Medium, PastCall, Turn } from './ask/ask.ts'
import { tellApart } from './ask/harness.ts'
import { readPrompted } from './prompted/prompted-schema.ts'
import { holdsMore, isMedium, textTokens } from './request-size.ts'
import type { JsonSchema } from './schema/json-schema.ts'

/** Opens a part that is not text. `param` is the path of the part. */
export type OpenPart = (part: ContentPart, param: string) => Promise<Medium>

export interface ReadRequest {
  readonly conversation: Conversation
  /** The schema in the prompt that the response must match. */
  readonly schema: JsonSchema | undefined
  readonly textTokens: number
  readonly imageTokens: number
  readonly audioTokens: number
}

const contextTokensMax = 128_000

/** Maximum tokens of one choice, whatever the request allows. */
const outputTokensMax = 16_384
/** Maximum tokens of all choices of a request together. */
const outputTokensTotalMax = 262_144

/** Maximum tokens of each choice, if there are several. */
export function choiceTokensMax(choices: number): number {
  return Math.min(
    outputTokensMax,
    Math.max(16, Math.floor(outputTokensTotalMax / Math.max(1, choices))),
  )
}

const mediaPartsMax = 64

/** Reads texts, calls, tool results and opened media. Throws context_length_exceeded (param `messages`). */
export function readRequest(
  request: ChatRequest,
  opened: readonly (readonly Medium[])[],
): ReadRequest {
  const written = textTokens(request)
  assertFits(written)
  const { texts, schema } = readPrompted(request)
  const calls = new Map<string, PastCall>()
  const turns = request.messages.map((message, index): Turn => {
    const own = callsOf(message)
    for (const call of own) calls.set(call.id, call)
    const answers = message.role === 'tool' ? calls.get(message.tool_call_id ?? '') : undefined
    const text = texts[index] ?? ''
    return {
      role: message.role === 'developer' ? 'system' : message.role,
      index,
      ...(message.role === 'user' ? tellApart(text) : { text }),
      media: opened[index] ?? [],
      calls: own,
      ...(answers && { answers }),
    }
  })
  const media = opened.flat()
  const sum = (cost: (medium: Medium) => number | undefined): number =>
    media.reduce((total, medium) => total + (cost(medium) ?? 0), 0)
  const imageTokens = sum((medium) => medium.imageTokens)
  const audioTokens = sum((medium) => medium.audioTokens)
  const documentTokens = sum(({ kind, description }) =>
    kind === 'document' ? countSent(description) : 0,
  )
  assertFits(written + documentTokens + imageTokens + audioTokens)
  return {
    conversation: { turns },
    schema,
    textTokens: written + documentTokens,
    imageTokens,
    audioTokens,
  }
}

/** Throws context_length_exceeded (param `field`) if there are more tokens than a request may have. */
export function assertFits(tokens: number, field = 'messages'): void {
  if (tokens > contextTokensMax) throw contextExceeded(field, String(tokens))
}

/** The same without counting, for megabytes of text, which are rejected before they are sent to a worker. */
export function assertMayFit(texts: unknown, field: string): void {
  if (holdsMore(texts, contextTokensMax * tokenCharactersMax, ({ length }) => length))
    throw contextExceeded(field, 'more')
}

function contextExceeded(field: string, tokens: string): GatewayError {
  return new GatewayError(
    'context_length_exceeded',
    `This model's maximum context length is ${contextTokensMax} tokens, but '${field}' comes to ${tokens}`,
    { param: field },
  )
}

function callsOf(message: Message): PastCall[] {
  return (message.tool_calls ?? []).flatMap(({ id, function: declared, custom }): PastCall[] => {
    if (declared !== undefined) return [{ id, name: declared.name, input: declared.arguments }]
    return custom === undefined ? [] : [{ id, name: custom.name, input: custom.input }]
  })
}

/** Opens all parts that are not text, message by message. `openPart` gets the path of each. */
export async function openMedia(
  messages: readonly Message[],
  openPart: OpenPart,
): Promise<Medium[][]> {
  const parts = messages.map(({ content }, index) =>
    (Array.isArray(content) ? content : []).flatMap((part, place) =>
      isMedium(part) ? [{ part, param: `messages[${index}].content[${place}]` }] : [],
    ),
  )
  const beyond = parts.flat()[mediaPartsMax]
  if (beyond !== undefined)
    throw invalidRequest(
      `A request may hold ${mediaPartsMax} images, sounds, videos and files`,
      beyond.param,
    )
  const opened: Medium[][] = []
  for (const own of parts) {
    const media: Medium[] = []
    for (const { part, param } of own) media.push(await openPart(part, param))
    opened.push(media)
  }
  return opened
}
