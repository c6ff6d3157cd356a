import type {
  EventOf,
  Fields,
  GatewayError,
  OperationName,
  ReplyOf,
  RequestOf,
  ServerSentEvent,
  Step,
  UploadedFile,
  Usage,
} from '@sluice/contract'
import type { TSchema } from 'typebox'

export type FormPart =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly file: UploadedFile }

export type UpstreamBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'form'; readonly parts: readonly FormPart[] }
  | { readonly kind: 'bytes'; readonly contentType: string; readonly bytes: Uint8Array }

/** One HTTP request to an upstream, before credentials. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Appended to the provider's base URL; begins with `/`, may carry a query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: UpstreamBody
  /**
   * Another origin of the same provider that the path is at, such as `https://storage.googleapis.com`; the credential goes
   * there. Never taken from an answer. Where a base URL is configured, all goes there instead.
   */
  readonly origin?: string
  /** A signed https address on another host, used instead of base URL and path. No credential goes there. */
  readonly elsewhere?: string
}

/**
 * A small difference between an upstream and its protocol, as a function over the outgoing request, named for what it
 * does. It returns the same object where there is nothing to change.
 */
export type Quirk = (request: UpstreamRequest, operation: OperationName) => UpstreamRequest

/** A whole answer of an upstream, read and bounded. */
export interface Received {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly contentType: string
  readonly bytes: Uint8Array
  /** Throws GatewayError `upstream_garbled` when the body is not JSON. */
  readonly json: () => unknown
}

/** What a codec may know besides the request. Codecs are pure: clock, ids and downloads are handed in. */
export interface CodecContext {
  /** The upstream's own name for the model. */
  readonly model: string
  /** The name the caller used, and sees in a translated answer. */
  readonly publicModel: string
  /** The upstream's id of the job, where the operation reads one. */
  readonly jobId?: string
  /**
   * Says that the target cannot express a field without which the answer means something else. Throws
   * `unsupported_parameter` with this path, or, in the mode `report`, notes it as dropped and returns. Never called for
   * values that equal the upstream's own behaviour (n 1, penalties 0, logprobs false, null …).
   */
  readonly unsupported: (param: string, reason?: string) => void
  /**
   * Says that the target lacks a field which only advises, such as `user` or one that no schema lists: it is left out,
   * and named in `x-sluice-dropped`. Throws `unsupported_parameter` in the mode `refuse` alone.
   */
  readonly leftOut: (param: string, reason?: string) => void
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** The prefix, its separator included (`call_`, `chatcmpl-`), and an unguessable rest. */
  readonly newId: (prefix: string) => string
  /** The provider's further settings, such as region, project or apiVersion. */
  readonly settings: Readonly<Record<string, string>>
  /**
   * True where an effort alone says how much to write and not whether to think, as in the Messages API. Default false.
   */
  readonly effortWithoutThinking?: boolean
  /** The upstream is a gateway like this one, and takes all that this one adds to a format. Default false. */
  readonly isGateway?: boolean
  /** What `Codec.media` asked for, by URL. */
  readonly media: ReadonlyMap<string, { readonly bytes: Uint8Array; readonly contentType: string }>
}

/** What a whole answer says. */
export interface Decoded<O extends OperationName> {
  readonly reply: ReplyOf<O>
  /** Absent where the upstream did not say what was used. */
  readonly usage?: Usage
  /** The upstream's id of a job that goes on after the call. */
  readonly jobId?: string
  /** Instead of the reply: the body goes to the caller as it came (plain text transcripts). */
  readonly passBytes?: boolean
  /** Instead of the reply: a body made here, such as subtitles. */
  readonly rendered?: { readonly contentType: string; readonly bytes: Uint8Array }
}

/**
 * How one family of upstreams says one operation: canonical request to upstream request, upstream answer to canonical
 * answer. Pure: no I/O, no clock, no randomness of its own. One file per operation, named like it.
 */
export interface Codec<O extends OperationName> {
  encode(request: RequestOf<O>, context: CodecContext): UpstreamRequest
  /** Reads what upstreams send with a lenient eye: only the fields it uses. Throws `upstream_garbled`. */
  decode(received: Received, context: CodecContext, request: RequestOf<O>): Decoded<O>
  /** Absent: the operation cannot be streamed from this upstream. */
  readonly stream?: StreamCodec<O>
  /** True where the upstream gives one choice at most: the gateway fans `n` out and merges the answers. */
  readonly singleChoice?: boolean
  /**
   * The requests that this one is made of, where the upstream takes less at a time: the gateway sends each and puts the
   * answers together in their order.
   */
  parts?(request: RequestOf<O>, context: Pick<CodecContext, 'model'>): readonly RequestOf<O>[]
  /** True where the answer is media that goes through as it comes, such as speech or a video. */
  readonly bytes?: boolean
  /** Addresses in the request that this upstream cannot fetch itself; the gateway downloads them first. */
  media?(request: RequestOf<O>): readonly { readonly url: string; readonly param: string }[]
}

export interface StreamCodec<O extends OperationName> {
  /** Default `sse`. `json-array` is a JSON array written element by element; each element becomes one event. */
  readonly framing?: 'sse' | 'aws-event-stream' | 'json-array'
  /** A fresh reader for one stream. */
  reader(context: CodecContext, request: RequestOf<O>): StreamReader<O>
  /** A fresh watcher for one stream: what the gateway needs to know of every event before it is read. */
  watcher(): StreamWatcher
}

/** Turns an upstream's events into canonical steps, one at a time and without waiting. */
export interface StreamReader<O extends OperationName> {
  /** Never called with an event that the watcher called garbage or an error. */
  read(event: ServerSentEvent): readonly Step<EventOf<O>>[]
  /** Called once, after a stream that ended as its format says. */
  end(): readonly Step<EventOf<O>>[]
}

/**
 * What an event means for the life of the stream. `content`: something a caller would see (text, reasoning, a tool
 * call). `finish`: the answer is whole, though the stream may go on; a regular end after it is honest.
 * `terminal`: the format's last event. `garbage`: unreadable; skipped and counted. A GatewayError: the upstream says
 * that it failed.
 */
export type Verdict = 'content' | 'finish' | 'terminal' | 'garbage' | 'other' | GatewayError

export interface StreamWatcher {
  see(event: ServerSentEvent): Verdict
  /**
   * Whether a block of a stream of events, its blank line included and with one character for each byte, is the event seen
   * before with other texts. Then it is content, and need not be seen. Absent where the format has no such events.
   */
  repeats?(block: string): boolean
  /** What the stream has said of usage so far; undefined when it said nothing. */
  usage(): Usage | undefined
  /** True for the event just seen if it exists only because the gateway asked for usage, not the caller. */
  readonly usageOnly?: boolean
  /** The data of the event just seen where it does not go on as it came, with what the model left out. */
  readonly mended?: string | undefined
  /** The answer as one document, once the event that carries it was seen; absent where the format has none. */
  whole?(): unknown
  /** What the answer has made in the upstream's account so far, by its ids. */
  made?(): readonly string[]
}

/** What an upstream's error answer says; the gateway decides what the caller sees. */
export interface UpstreamFailure {
  readonly message: string
  readonly code?: string
  readonly param?: string
  /** Milliseconds, where the body says it (google.rpc.RetryInfo). Headers are read by the gateway. */
  readonly retryAfterMs?: number
}

/** The client formats, by endpoint. Those named like an operation are OpenAI's own. */
export type FormatName =
  | OperationName
  | 'responses'
  | 'responsesCompact'
  | 'messages'
  | 'messagesCountTokens'
  | 'generateContent'
  | 'streamGenerateContent'
  | 'countTokens'
  | 'embedContent'
  | 'batchEmbedContents'

/** A client format that a protocol speaks itself, so that bytes pass untouched but for the model name. */
export interface Native {
  /**
   * Whether this request may go as it came to a model: false where it uses something that only the gateway's form of the
   * format has, or that this model knows under another name, so that the codec must say it. Absent: always.
   */
  fits?(request: unknown, model?: string): boolean
  /**
   * Top-level fields of this request that only advise and that the model is known to refuse: they are left out and named,
   * and the rest goes as it came. Absent: none.
   */
  refused?(request: unknown, model: string): readonly string[]
  /**
   * Top-level fields of this request that the model knows in other words only, in these: they replace the caller's. Absent:
   * none.
   */
  reworded?(request: unknown, model: string): Fields
  /**
   * What mends the bytes of this request where a model has left something out of the history; undefined where nothing is.
   * Absent: never.
   */
  mends?(request: unknown): ((body: Uint8Array) => Uint8Array) | undefined
  /** A whole answer with what the model left out of it; undefined where it goes on as it came. Absent: always. */
  mended?(body: Fields): Fields | undefined
  /** `body` is the caller's JSON with the model name already replaced (where the format carries it in the body). */
  request(call: {
    readonly body: Uint8Array
    readonly model: string
    readonly stream: boolean
    /** The caller's headers that this format gives a meaning, lower-case. */
    readonly headers: Readonly<Record<string, string>>
    /** The caller's query, without credentials, such as `alt=sse`. */
    readonly query: string
    /** The provider's further settings, as in CodecContext. */
    readonly settings: Readonly<Record<string, string>>
  }): UpstreamRequest
  /** Names of the caller's headers that go on to the upstream, such as `anthropic-beta`. */
  readonly headers?: readonly string[]
  /** How the upstream cuts its stream; default `sse`. Gemini decides it by the query (`alt=sse`). */
  readonly framing?: 'sse' | 'json-array' | ((query: string) => 'sse' | 'json-array')
  watcher(): StreamWatcher
  /** What a whole answer says of usage. */
  usage(body: unknown): Usage | undefined
  /** What a whole answer has made in the upstream's account, by its ids. */
  made?(body: unknown): readonly string[]
  /** True where a streamed request must ask for usage (`stream_options.include_usage`); the chunk is then hidden. */
  readonly asksForUsage?: boolean
}

/** An id of something that is kept in an upstream's account, such as a file: whoever knows it gets what it stands for. */
export interface NamedId {
  readonly id: string
  /** Where in the body. */
  readonly param: string
}

/** One wire protocol: a set of codecs and the client formats it speaks itself. */
export interface Protocol {
  readonly id: string
  readonly codecs: { readonly [O in OperationName]?: Codec<O> }
  readonly native: { readonly [F in FormatName]?: Native }
  /** The header in which its answers name the request, beside `x-request-id` and `request-id`. */
  readonly requestIdHeader?: string
  /** Reads the body of an error answer; never throws. */
  failure(received: Received): UpstreamFailure
  /** Reads the upstream's list of models; absent where it has none. */
  readonly models?: ModelList
  /** What the body of a chat request, as this protocol has it, names of what is kept in the upstream's account. */
  named?(body: unknown): readonly NamedId[]
  /** Deletes what a finished video job has made; undefined where the upstream keeps nothing that could be. */
  deleteVideo?(jobId: string): UpstreamRequest | undefined
}

export interface ModelCard {
  readonly id: string
  readonly inputTokenLimit?: number
  readonly outputTokenLimit?: number
  readonly displayName?: string
  readonly description?: string
}

export interface ModelList {
  readonly path: string
  decode(body: unknown): readonly ModelCard[]
}

/** What a client format may know besides the request. */
export interface FormatContext {
  readonly now: () => number
  readonly newId: (prefix: string) => string
  /** The caller's headers, lower-case names; formats read version and beta headers from them. */
  readonly headers: Readonly<Record<string, string>>
  /** As in CodecContext, of what `toCanonical` has no word for, by its path in this format. */
  readonly unsupported: (param: string, reason?: string) => void
  readonly leftOut: (param: string, reason?: string) => void
}

/**
 * How applications of one family say an operation. Pure, both directions. Its request schema validates before
 * `toCanonical` is called; what the `toCanonical` of a foreign format returns is checked by the operation's own schema
 * again.
 */
export interface ClientFormat<O extends OperationName = OperationName> {
  readonly id: FormatName
  readonly operation: O
  readonly summary: string
  readonly tag: string
  /** Addresses; `{model}` in a path becomes the request's `model`. A colon begins Gemini's verb. */
  readonly paths: readonly string[]
  readonly request: TSchema
  /** The answer, for the OpenAPI document. */
  readonly reply: TSchema
  /** One streamed event, for the OpenAPI document; absent where each event has a shape of its own. */
  readonly event?: TSchema
  readonly example?: unknown
  /** True for the format of the operation itself, whose addresses and forms are the operation's. */
  readonly isOwn?: boolean
  /** Streamed or not, when the address decides it (Gemini) and not the field `stream`. */
  readonly streams?: boolean
  /** True where an effort alone does not switch thinking on; default false. */
  readonly effortWithoutThinking?: boolean
  /**
   * True where nothing but `toCanonical`, `fromCanonical` and `prefixOf` reads the long texts of a request: whatever else is
   * given one, natives included, may get its outline (`outlineJson`). Default false.
   */
  readonly takesOutline?: boolean
  /** Fields that name what the provider keeps of a prompt, and counts as if it stood in the request; default none. */
  readonly kept?: readonly string[]
  /** Whether a request asks for a stream, where that is not the field `stream`. */
  isStreamed?(request: unknown): boolean
  /** Where the model's name stands; default `body`. */
  readonly modelIn?: 'body' | 'path'
  /**
   * The body in the words of this format, where other servers of it read further ones. Asked only for a body that was refused,
   * and tried in its place.
   */
  respell?(body: Fields, context: FormatContext): Fields
  toCanonical(request: unknown, context: FormatContext): RequestOf<O>
  fromCanonical(reply: ReplyOf<O>, request: unknown, context: FormatContext): unknown
  /** Only on formats that count tokens instead of answering: the answer for a count. */
  readonly counted?: (tokens: number) => unknown
  /**
   * The steps of a stream that was asked for, of an answer that came whole; absent where a stream cannot be had from an
   * upstream that has none.
   */
  told?(reply: ReplyOf<O>, usage: Usage | undefined): readonly Step<EventOf<O>>[]
  /** Absent: the format cannot be streamed. */
  writer?(request: unknown, context: FormatContext, query: string): StreamWriter<O>
  /** The error body of this format. */
  error(error: GatewayError, requestId: string): unknown
  /**
   * The path in this format of a canonical field, for errors: `max_completion_tokens` → `max_output_tokens`. A path
   * that is the format's own already stays. Undefined for what `toCanonical` added and the caller did not write.
   */
  paramOf?(canonical: string, request: unknown): string | undefined
  /** Whether the caller wants an event that says what was used, where a stream has one only if it is asked for. */
  asksForUsage?(request: unknown): boolean
  /** The beginning of the prompt, by which providers cache; default the whole request. */
  prefixOf?(request: unknown): unknown
  /** The last event, where it always is the same and some upstreams leave it out. */
  readonly terminal?: string
}

/** Writes canonical steps as a client format's stream. Each call returns wire text, '' for nothing. */
export interface StreamWriter<O extends OperationName> {
  readonly contentType: string
  write(step: Step<EventOf<O>>): string
  /** The format's terminal event or events; called once, only after a whole answer. */
  end(): string
  /** The format's error event; nothing follows it. */
  fail(error: GatewayError): string
  /**
   * What comes behind the text that was written last and is large: each of these writes one event, in a turn of its own, so
   * that others need not wait for all of them. Asked for after each text; absent where nothing is written later.
   */
  later?(): readonly (() => string)[]
  /** Told once when an upstream's own bytes go to the caller instead, so that `fail` can go on where they stop. */
  passed?(): void
  /** What to send while nothing happens; a comment unless the format has its own. */
  readonly keepAlive: string
  /** The answer as one document, once its last event was written; absent where the format has none. */
  whole?(): unknown
}
