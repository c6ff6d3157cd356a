import { isObject } from '@sluice/contract'
import type { Fields } from '@sluice/contract'

/**
 * A part of a message as traces show it (OpenTelemetry, semantic conventions for generative AI, recording content on
 * attributes). What is neither text nor a call is reduced to its type: images and audio are not shown.
 */
export interface MessagePart {
  readonly type: 'text' | 'reasoning' | 'tool_call' | 'tool_call_response' | (string & {})
  readonly [field: string]: unknown
}

export interface PlainMessage {
  readonly role: string
  readonly parts: readonly MessagePart[]
  readonly finish_reason?: string
}

/** The messages of requests and responses of one client format, whose bodies may have been cut, masked or left unchecked. */
export interface FormatMessages {
  /** The messages and the system instructions of a request. Both are empty if there are none. */
  asked(request: Fields): {
    readonly messages: readonly PlainMessage[]
    readonly system: readonly MessagePart[]
  }
  /** The messages of a whole response, one for each choice. Empty if it is none. */
  answered(response: Fields): readonly PlainMessage[]
  /** The messages of the joined texts of a stream, by their places as in `textsOf`. */
  streamed(texts: Fields): readonly PlainMessage[]
  /** The field of a streamed event that says why the response ended; `none` if only a whole response says it. */
  readonly endField: string
}

export function textPart(content: string): MessagePart {
  return { type: 'text', content }
}

/** The list's objects, each as a message. */
export function messagesIn(
  list: unknown,
  messageOf: (item: Fields) => PlainMessage,
): readonly PlainMessage[] {
  return Array.isArray(list) ? list.filter(isObject).map(messageOf) : []
}

/** The parts of a content, which may be one text. */
export function partsIn(
  content: unknown,
  partOf: (part: Fields) => MessagePart | undefined,
): readonly MessagePart[] {
  const part = (one: Fields) => partOf(one) ?? plainPart(one)
  if (typeof content === 'string') return content === '' ? [] : [textPart(content)]
  if (!Array.isArray(content)) return isObject(content) ? [part(content)] : []
  return content.map((one) => (isObject(one) ? part(one) : textPart(String(one))))
}

/** A part with a text, or with nothing to show. */
function plainPart({ type, text }: Fields): MessagePart {
  if (typeof text === 'string') return textPart(text)
  return { type: typeof type === 'string' ? type : 'unknown' }
}

/** A call with its arguments as JSON text, as OpenAI's formats have it. */
export function callPart({ id, name, arguments: written }: Fields): MessagePart {
  const given = typeof written === 'string' ? parsedFields(written) : written
  return { type: 'tool_call', id, name, arguments: given }
}

export function endReason(reason: unknown): Pick<PlainMessage, 'finish_reason'> {
  return typeof reason === 'string' ? { finish_reason: reason } : {}
}

/** The object in a JSON text; empty if it is none. */
export function parsedFields(json: string): Fields {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** Where the texts of a format's streams are: patterns of places as in `textsOf`. */
interface StreamPlaces {
  /** Begins the places of each choice, with its index; absent if there is only one choice. */
  readonly choice?: RegExp
  readonly reasoning: RegExp
  /** The arguments of calls. Their names are not shown. */
  readonly calls: RegExp
}

/** Makes one message for each choice of a stream. */
export function streamedMessages(
  texts: Fields,
  { choice: choicePlace, reasoning, calls }: StreamPlaces,
): readonly PlainMessage[] {
  const choices = new Map<number, MessagePart[]>()
  for (const [place, value] of Object.entries(texts)) {
    if (typeof value !== 'string' || value === '') continue
    const [, index = '0'] = choicePlace?.exec(place) ?? []
    const parts = choices.get(Number(index)) ?? []
    choices.set(Number(index), parts)
    if (reasoning.test(place)) parts.push({ type: 'reasoning', content: value })
    else if (calls.test(place)) parts.push({ type: 'tool_call', arguments: parsedFields(value) })
    else if (!/\bname$/.test(place)) parts.push(textPart(value))
  }
  return [...choices.values()].map((parts) => ({ role: 'assistant', parts }))
}
