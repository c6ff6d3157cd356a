import type {
  DefaultParameters,
  EventOf,
  Fields,
  GatewayError,
  OperationName,
  ReplyOf,
  RequestOf,
  Step,
  Usage,
} from '@sluice/contract'
import type { TSchema } from 'typebox'
import type { FormatHeaders } from './format-headers.ts'
import type { FormatMessages } from './format-messages.ts'
import type { Measured } from './measure.ts'
import type { Reports } from './native-target.ts'
import type { OutputLimit } from './output-limit.ts'
import type { Defaulted } from './placed-defaults.ts'
import type { EventTexts } from './streamed-texts.ts'

/** The client formats, by endpoint. Those with the name of an operation are OpenAI's own. */
export type FormatName =
  | OperationName
  | 'responses'
  | 'responsesCompact'
  | 'responsesInputTokens'
  | 'messages'
  | 'messagesCountTokens'
  | 'generateContent'
  | 'streamGenerateContent'
  | 'countTokens'
  | 'embedContent'
  | 'batchEmbedContents'

/** What a client format gets besides the request. It reports what `toCanonical` cannot express. */
export interface FormatContext extends Reports {
  readonly now: () => number
  readonly newId: (prefix: string) => string
  /** The caller's headers, with names in lower case. Formats read version and beta headers from them. */
  readonly headers: Readonly<Record<string, string>>
  /** The id of the request, for error events. */
  readonly requestId?: string
  /**
   * The usual number of input tokens of such a request, for what a stream says of its usage before the upstream has said it.
   * Absent, or 0: not known.
   */
  readonly expectedInput?: () => number
}

/**
 * The form of an operation that one family of applications uses. Pure, in both directions. Its request schema is checked
 * before `toCanonical` is called. What `toCanonical` of another format returns is checked again with the operation's own
 * schema.
 */
export interface ClientFormat<O extends OperationName = OperationName> {
  readonly id: FormatName
  readonly operation: O
  readonly summary: string
  readonly tag: string
  /** Addresses. `{model}` in a path becomes the request's `model`. A colon begins Gemini's verb. */
  readonly paths: readonly string[]
  readonly request: TSchema
  /** The response, for the OpenAPI document. */
  readonly reply: TSchema
  /** One streamed event, for the OpenAPI document. Absent if the events have different forms. */
  readonly event?: TSchema
  readonly example?: unknown
  /** Whether it is the format of the operation itself, with the operation's own addresses and forms. */
  readonly isOwn?: boolean
  /** Whether it is streamed, if the address (Gemini) and not the field `stream` decides that. */
  readonly streams?: boolean
  /** Whether an effort alone does not switch thinking on. Default false. */
  readonly effortWithoutThinking?: boolean
  /**
   * Whether only `toCanonical`, `fromCanonical` and `prefixOf` read the long texts of a request. All others that get a
   * request, including natives, may then get its outline (`outlineJson`). Default false.
   */
  readonly takesOutline?: boolean
  /** What a request says about its size and price. It may be an outline (`takesOutline`). */
  measure(request: unknown): Measured
  /** How its requests limit the output; `none` if no field of the format does, or there is nothing to limit. */
  readonly outputLimit: OutputLimit | 'none'
  /**
   * The default parameters of a route that a request, possibly an outline, does not give. Absent: no parameter has a meaning in this
   * format.
   */
  defaulted?(request: unknown, defaults: DefaultParameters): Defaulted
  /** The field with the id of the stored response that a request continues; `none` if the format has no such field. */
  readonly continues: string
  /** The id of the conversation that a request, possibly an outline, names in `conversation`. Absent: the format has no conversations. */
  conversation?(request: unknown): string | undefined
  /** The texts in a streamed event, for logs and traces; `none` if the format is not streamed, or its streams have no texts. */
  readonly textsOf: ((event: Fields) => EventTexts) | 'none'
  /** The messages of its requests and responses, for traces; `none` if it has none. */
  readonly messages: FormatMessages | 'none'
  /** Whether a request asks for a stream, if the field `stream` does not decide that. */
  isStreamed?(request: unknown): boolean
  /** Where the name of the model is; default `body`. */
  readonly modelIn?: 'body' | 'path'
  /**
   * Rewrites a body to this format, for variants that other servers with this format accept. Called only for a body that was
   * rejected; the result is tried instead.
   */
  respell?(body: Fields, context: FormatContext): Fields
  /** Rules that the schema cannot express, for a request that matches it. Throws GatewayError with the field's path. */
  check?(request: unknown): void
  toCanonical(request: unknown, context: FormatContext): RequestOf<O>
  fromCanonical(reply: ReplyOf<O>, request: unknown, context: FormatContext): unknown
  /** Only for formats that count tokens instead of responding: the response for a count. */
  readonly counted?: (tokens: number) => unknown
  /**
   * The steps of the stream that the caller asked for, made from a response that came whole. Absent if no stream is possible
   * for an upstream without streams.
   */
  stepsOf?(reply: ReplyOf<O>, usage: Usage | undefined): readonly Step<EventOf<O>>[]
  /** Absent if the format cannot be streamed. */
  writer?(request: unknown, context: FormatContext, query: string): StreamWriter<O>
  /** The error body of this format. */
  error(error: GatewayError, requestId: string): unknown
  /** The headers of the API's own that its clients read. Absent: none. */
  readonly headers?: FormatHeaders
  /**
   * The path in this format for a canonical field, for errors: `max_completion_tokens` → `max_output_tokens`. A path in this
   * format is kept. Undefined for what `toCanonical` added and the caller did not write.
   */
  paramOf?(canonical: string, request: unknown): string | undefined
  /** Whether the caller asked for the event with the usage, for streams that send it only on request. */
  asksForUsage?(request: unknown): boolean
  /** The beginning of the prompt, which providers cache. Default: the whole request. */
  prefixOf?(request: unknown): unknown
  /** The last event, if it is always the same and some upstreams leave it out. */
  readonly terminal?: string
}

/** Writes canonical steps as a client format's stream. Each call returns wire text, or '' for nothing. */
export interface StreamWriter<O extends OperationName> {
  readonly contentType: string
  write(step: Step<EventOf<O>>): string
  /** The format's final event or events. Called once, only after a complete response. */
  end(): string
  /** The format's error event. Nothing follows it. */
  fail(error: GatewayError): string
  /**
   * Large events that follow the text written last. Each of these functions writes one event, in its own turn of the event
   * loop, so that other requests need not wait for all of them. Called after each text. Absent if nothing is written later.
   */
  later?(): readonly (() => string)[]
  /** Called once when an upstream's own bytes are sent to the caller instead, so that `fail` can continue where they stop. */
  passed?(): void
  /** What to send while nothing happens: a comment, unless the format has its own event for it. */
  readonly keepAlive: string
  /** The response as one document, after its last event was written. Absent if the format has none. */
  whole?(): unknown
}
