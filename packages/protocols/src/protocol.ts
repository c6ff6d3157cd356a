import type {
  EventOf,
  Fields,
  GatewayError,
  OperationName,
  PlainBlock,
  PlainForm,
  ReplyOf,
  RequestOf,
  ServerSentEvent,
  Step,
  UploadedFile,
  Usage,
} from '@sluice/contract'
import type { FormatName } from './client-format.ts'
import type { Change, ModelNames, NativeTarget, Reports } from './native-target.ts'

export type FormPart =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly file: UploadedFile }

export type UpstreamBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'form'; readonly parts: readonly FormPart[] }
  | { readonly kind: 'bytes'; readonly contentType: string; readonly bytes: Uint8Array }

/** One HTTP request to an upstream, before credentials are added. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Appended to the provider's base URL. Begins with `/`, or with `/../` to replace the base's last segment. May contain a query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: UpstreamBody
  /**
   * Another origin of the same provider for the path, such as `https://storage.googleapis.com`. The credential is sent there.
   * Never taken from a response. If a base URL is configured, it is used instead.
   */
  readonly origin?: string
  /** A signed https URL on another host, used instead of base URL and path. No credential is sent there. */
  readonly elsewhere?: string
}

/**
 * A small difference between an upstream and its protocol, as a function that changes the outgoing request. It is named after
 * what it does and returns the same object if there is nothing to change. It reports what it cannot keep, with its path in the body.
 */
export type Quirk = (
  request: UpstreamRequest,
  operation: OperationName,
  reports: Pick<Reports, 'leftOut'>,
) => UpstreamRequest

/** A whole response of an upstream, read up to a maximum size. */
export interface Received {
  readonly status: number
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly contentType: string
  readonly bytes: Uint8Array
  /** Throws GatewayError `upstream_garbled` if the body is not JSON. */
  readonly json: () => unknown
  /** As `json`, but long free texts may be replaced (`outlineJson`). Absent where the whole document is at hand. */
  readonly outline?: () => unknown
}

/** What a codec gets besides the request. Codecs are pure functions: clock, ids and downloads are provided by the context. */
export interface CodecContext extends Reports {
  /** The upstream's own name of the model. */
  readonly model: string
  /** The name by which the rules of the model's family are found. It may differ from `model`, such as the name of a deployment. */
  readonly family: string
  /** The name that the caller used and sees in a translated response. */
  readonly publicModel: string
  /** The upstream's id of the job, if the operation reads one. */
  readonly jobId?: string
  /** In milliseconds since the epoch. */
  readonly now: () => number
  /** Returns the prefix, which includes its separator (`call_`, `chatcmpl-`), followed by an unguessable part. */
  readonly newId: (prefix: string) => string
  /** The provider's further settings, such as region, project or apiVersion. */
  readonly settings: Readonly<Record<string, string>>
  /** Whether an effort alone only says how much to write and not whether to think, as in the Messages API. Default false. */
  readonly effortWithoutThinking?: boolean
  /**
   * Whether the upstream is a gateway like this one, which accepts all of this gateway's extensions of a format. Default
   * false.
   */
  readonly isGateway?: boolean
  /** Whether another base URL than the provider's own is configured, such as that of a self-hosted server. Default false. */
  readonly isOtherBase?: boolean
  /** The most tokens that the target writes in one response, if more is known than the name of the model tells. */
  readonly outputTokensMax?: number
  /** The caller's headers, with names in lower case; codecs read those for betas. Absent: none. */
  readonly headers?: Readonly<Record<string, string>>
  /** The downloads that `Codec.media` asked for, by URL. */
  readonly media: ReadonlyMap<string, { readonly bytes: Uint8Array; readonly contentType: string }>
}

/** The content of a whole response. */
export interface Decoded<O extends OperationName> {
  readonly reply: ReplyOf<O>
  /** Absent if the upstream did not report its usage. */
  readonly usage?: Usage
  /** The ids of what the response created in the upstream's account. Default: none. */
  readonly made?: readonly string[]
  /** The upstream's id of a job that continues after the call. */
  readonly jobId?: string
  /** Instead of the reply: the body is sent to the caller unchanged (plain text transcripts). */
  readonly passBytes?: boolean
  /** Instead of the reply: a body made here, such as subtitles. */
  readonly rendered?: { readonly contentType: string; readonly bytes: Uint8Array }
}

/**
 * Translates one operation for one family of upstreams: canonical request to upstream request, and upstream response to
 * canonical response. Pure: no I/O, no clock, no randomness of its own. One file per operation, with the operation's name.
 */
export interface Codec<O extends OperationName> {
  encode(request: RequestOf<O>, context: CodecContext): UpstreamRequest
  /** Reads responses leniently: only the fields that it uses. Throws `upstream_garbled`. */
  decode(received: Received, context: CodecContext, request: RequestOf<O>): Decoded<O>
  /** Absent if the operation cannot be streamed from this upstream. */
  readonly stream?: StreamCodec<O>
  /**
   * The codec for another address of the upstream, for a request that it refuses at the usual one. If the upstream lacks that address,
   * this codec is used after all. Absent: never.
   */
  elsewhere?(request: RequestOf<O>, context: Pick<CodecContext, 'family'>): Elsewhere<O> | undefined
  /** Whether the upstream gives only one choice: the gateway sends `n` requests and merges the responses. */
  readonly singleChoice?: boolean
  /**
   * The requests that this one is split into if the upstream accepts less at a time. The gateway sends each of them and joins
   * the responses in order.
   */
  parts?(request: RequestOf<O>, context: Pick<CodecContext, 'model'>): readonly RequestOf<O>[]
  /** Whether the response is media that is forwarded as it arrives, such as speech or a video. */
  readonly bytes?: boolean
  /** Addresses in the request that this upstream cannot fetch itself; the gateway downloads them first. */
  media?(request: RequestOf<O>): readonly { readonly url: string; readonly param: string }[]
}

export interface Elsewhere<O extends OperationName> {
  readonly codec: Codec<O>
  /** The client format that has the address. */
  readonly format: FormatName
}

export interface StreamCodec<O extends OperationName> {
  /** Default `sse`. `json-array` is a JSON array written element by element; each element becomes one event. */
  readonly framing?: 'sse' | 'aws-event-stream' | 'json-array'
  /** Creates the reader for one stream. */
  reader(context: CodecContext, request: RequestOf<O>): StreamReader<O>
  /** Creates the watcher for one stream, which tells the gateway what it must know of every event before it is read. */
  watcher(): StreamWatcher
}

/** Translates an upstream's events into canonical steps, one at a time and synchronously. */
export interface StreamReader<O extends OperationName> {
  /** Never called with an event that the watcher reported as garbage or as an error. */
  read(event: ServerSentEvent): readonly Step<EventOf<O>>[]
  /** Called once, after a stream that ended regularly. */
  end(): readonly Step<EventOf<O>>[]
}

/**
 * What an event means for the stream. `content`: something that a caller would see (text, reasoning, a tool call). `finish`:
 * the response is complete, though the stream may continue; it may now end at any point. `terminal`: the format's last event.
 * `garbage`: unreadable; skipped and counted. A GatewayError: the upstream reported a failure.
 */
export type Verdict = 'content' | 'finish' | 'terminal' | 'garbage' | 'other' | GatewayError

export interface StreamWatcher {
  see(event: ServerSentEvent): Verdict
  /** What the format's plain events look like: they are content and have nothing to see but text. Absent: all are seen. */
  readonly plain?: PlainForm
  /** Called instead of `see` for plain events; false if they must be seen after all. Absent if they change nothing. */
  pass?(events: PlainBlock): boolean
  /** The usage that the stream has reported so far; undefined if none. */
  usage(): Usage | undefined
  /**
   * The bytes of text, reasoning and arguments in an event's data, to estimate the usage if the upstream never reports it. Takes
   * no longer than finding the texts, because it is called for a sample of all events with content.
   */
  readonly textBytes: (data: string) => number
  /** Whether the event just seen exists only because the gateway, and not the caller, asked for the usage. */
  readonly usageOnly?: boolean
  /** The corrected data of the event just seen, with what the model left out, if it is not sent unchanged. */
  readonly repaired?: string | undefined
  /** The response as one document, after the event that contains it. Absent if the format has none. */
  whole?(): unknown
  /** The ids of what the response created in the upstream's account so far. */
  made?(): readonly string[]
}

/** The content of an upstream's error response. The gateway decides what the caller sees. */
export interface UpstreamFailure {
  readonly message: string
  readonly code?: string
  readonly param?: string
  /** What a program can read in it (`error.details` of the Messages API). */
  readonly readable?: Fields
  /** In milliseconds, if the body contains it (google.rpc.RetryInfo). Headers are read by the gateway. */
  readonly retryAfterMs?: number
}

type Headers = Readonly<Record<string, string>>

/**
 * What is in a request of a client format that decides how it is sent to upstreams that use the format themselves, and how their
 * responses are read. It is kept with the call, for all attempts, and keeps nothing else of the request.
 */
export interface Inspected {
  /** Whether it has something that only the gateway's version of the format has, so that the codec must translate it. */
  readonly isForeign: boolean
  /** The extensions in it, by names of the format's own, that not every upstream with the format understands. */
  readonly extensions: ReadonlySet<string>
  /** Whether it has only what every model takes, apart from its limits. */
  readonly isPlain: boolean
  /** Whether it is plain and has no limits either: every upstream and model takes it, and nothing is adapted. */
  readonly isTakenByAll: boolean
  /** The ids in it of what is stored in the upstream's account. */
  readonly named: readonly NamedId[]
  /** Corrects its bytes, if a client or a model has written something that upstreams reject; undefined if it is right. */
  readonly repaired: ((body: Uint8Array) => Uint8Array) | undefined
  /** Creates the watcher for one stream in response to it. */
  readonly watcher: () => StreamWatcher
  /** Reads a whole response to it. Throws `upstream_garbled`. */
  readonly read: (body: Fields) => NativeReading
}

/** What the gateway must know of a whole response that is sent to the caller unchanged. */
export interface NativeReading {
  readonly usage: Usage | undefined
  /** The ids of what it created in the upstream's account. Default: none. */
  readonly made?: readonly string[]
  /** The response with what the upstream left out, and in the form that the caller can read. Absent: it is right as it is. */
  readonly repaired?: Fields | undefined
}

/** A client format that a protocol uses itself, so that bytes are sent unchanged except for the model's name. */
export interface Native {
  /** Walks through a request, once for each call. It may be an outline. The natives of a format share this function. */
  readonly inspect: (request: unknown) => Inspected
  /**
   * Whether this upstream and a model of it understand a request that is not foreign. If not, the codec translates it. Absent:
   * always.
   */
  takes?(request: unknown, found: Inspected, target: ModelNames): boolean
  /**
   * What must be changed in this request so that the model accepts it: fields that it lacks or knows only in another form, and
   * limits above its maxima. Every other byte is sent unchanged. What is left out or lowered is reported to the target, with
   * its path. Absent: nothing.
   */
  adapted?(request: unknown, found: Inspected, target: NativeTarget): readonly Change[]
  /** `body` is the caller's JSON with the model's name already replaced (if the format has it in the body). */
  request(call: {
    readonly body: Uint8Array
    readonly model: string
    readonly stream: boolean
    /** The caller's headers that have a meaning in this format, in lower case. */
    readonly headers: Headers
    /** The caller's query without credentials, such as `alt=sse`. */
    readonly query: string
    /** The provider's further settings, as in CodecContext. */
    readonly settings: Readonly<Record<string, string>>
  }): UpstreamRequest
  /** Names of the caller's headers that are sent on to the upstream, such as `anthropic-beta`. */
  readonly headers?: readonly string[]
  /** Names of the caller's headers that have a meaning in this format but concern the gateway's account. Reported as left out. */
  readonly heldHeaders?: readonly string[]
  /** These headers as the upstream takes them with this request. Absent: as they are. */
  fitHeaders?(given: Headers, request: unknown, leftOut: (name: string) => void): Headers
  /** How the upstream frames its stream; default `sse`. For Gemini it depends on the query (`alt=sse`). */
  readonly framing?: 'sse' | 'json-array' | ((query: string) => 'sse' | 'json-array')
  /** The change by which a streamed request asks for the usage. Its chunk is then hidden from the caller. Absent: it need not. */
  readonly askForUsage?: (request: unknown) => Change
}

/** An id of something stored in an upstream's account, such as a file. Whoever knows the id can use what it refers to. */
export interface NamedId {
  readonly id: string
  /** Its path in the body. */
  readonly param: string
  /** The API's own error for an unknown id, if its clients recover from it. Default: `invalid_request`. */
  readonly unknown?: () => GatewayError
}

/** One wire protocol: a set of codecs and the client formats that it uses itself. */
export interface Protocol {
  readonly id: string
  /** The path that servers have below their host, which users leave out of a base URL: `/v1`. Absent: none. */
  readonly versionPath?: string
  readonly codecs: { readonly [O in OperationName]?: Codec<O> }
  readonly native: { readonly [F in FormatName]?: Native }
  /** The response header with the id of the request, besides `x-request-id` and `request-id`. */
  readonly requestIdHeader?: string
  /** Reads the body of an error response. Never throws. */
  failure(received: Received): UpstreamFailure
  /**
   * The most tokens that a model writes in one response, by its name; undefined if that is not certain. At another base URL
   * than the provider's own, a name may stand for another model or for other settings.
   */
  outputTokensMax?(model: string, isOtherBase: boolean): number | undefined
  /** Reads the upstream's list of models. Absent if it has none. */
  readonly models?: ModelList
  /** The ids in the body of a chat request, in this protocol's form, of what is stored in the upstream's account. */
  named?(body: unknown): readonly NamedId[]
  /** The request to delete what a finished video job created; undefined if the upstream stores nothing that could be deleted. */
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
