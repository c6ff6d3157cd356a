/** How one address of an upstream says "Hello", whole and streamed, cut where faults are put in. */
export interface Words {
  /** The names of exceptions in the table of faults. */
  readonly id: WordsId
  readonly contentType: string
  /** Before any content. A whole answer has none. */
  readonly preamble: readonly Uint8Array[]
  /** "Hel" and "lo"; of a whole answer its first part and its second. */
  readonly content: readonly [Uint8Array, Uint8Array]
  /** What ends the answer; the last of them is the terminal event. */
  readonly ending: readonly Uint8Array[]
  /** Something without meaning, which may come at any time. */
  readonly idle: Uint8Array
  /** A comment, where the framing has one. */
  readonly comment: Uint8Array
  /** One event that nobody can read. */
  readonly broken: Uint8Array
  /** An event of a type that nobody knows. */
  readonly unknown: Uint8Array
  /** An event of content with this text. */
  readonly said: (text: string) => Uint8Array
  /** The upstream's own error in the middle of a stream. */
  readonly error: Uint8Array
  /** The same answer, unframed and whole, as JSON. */
  readonly whole: Uint8Array
  /** The JSON of an error answer. */
  readonly refusal: Uint8Array
}

export type WordsId =
  | 'chat'
  | 'completions'
  | 'responses'
  | 'messages'
  | 'gemini'
  | 'gemini-array'
  | 'converse'
  | 'cohere'

export const bytes = (text: string): Uint8Array => Buffer.from(text)
/** A server-sent event without a name. */
export const data = (value: unknown) => bytes(`data: ${JSON.stringify(value)}\n\n`)
/** A server-sent event named for its type. */
export const named = (value: { readonly type: string; readonly [field: string]: unknown }) =>
  bytes(`event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`)

/** What a stream in server-sent events has alike. */
export const sse = {
  contentType: 'text/event-stream; charset=utf-8',
  comment: bytes(': still here\n\n'),
  broken: bytes('data: {"broken": tru\n\n'),
}
