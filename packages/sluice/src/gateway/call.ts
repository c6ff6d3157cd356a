import type { CallOutcome, OperationName, Usage } from '@sluice/contract'
import type { ApiKey } from '../ports/api-key.ts'
import type { ClientFormat, StreamWriter } from '@sluice/protocols'
import type { Cancellation } from './attempt/cancellation.ts'
import type { Source } from './attempt/source.ts'

/** One call after its key, body and schema were checked. */
export interface Call {
  /** The request id, also the call id of its usage records. */
  readonly id: string
  readonly key: ApiKey
  /** How the caller says the operation and reads its answer. */
  readonly format: ClientFormat
  readonly operation: OperationName
  /** The validated request in the client's own format, path parameters included. */
  readonly request: Readonly<Record<string, unknown>>
  /**
   * The request as the caller wrote it, where `request` is another: a conversation continued from what was kept has what
   * came before in front. Answers echo this one.
   */
  readonly written?: Readonly<Record<string, unknown>>
  /** The JSON body as it came, where there was one. */
  readonly raw?: Uint8Array
  /** What `raw` was parsed to. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** Lower-case names, credentials left out. */
  readonly headers: Readonly<Record<string, string>>
  /** The query without credentials and without its question mark. */
  readonly query: string
  /** The upstream's id of the job the operation reads. */
  readonly jobId?: string
  /** Where the caller reaches the gateway, without a trailing slash: for links in answers. */
  readonly publicAddress: string
  /** Whether the caller wants a stream. */
  readonly stream: boolean
  /** What its stream is written with, and an error once the status is gone. Set where the caller wants a stream. */
  readonly writer?: StreamWriter<OperationName>
  /**
   * Cancelled when the caller goes away. It reaches every upstream socket of the call: nothing else can wake a wait for a
   * silent upstream.
   */
  readonly cancellation: Cancellation
  /** Filled as the call goes on, and shown in the answer's headers even when it fails. */
  readonly trail: Trail
}

/** What a call has been through. */
export interface Trail {
  /** Attempts begun so far; the last one's number. */
  attempts: number
  provider: string | undefined
  model: string | undefined
  /** Paths of fields that were left out of the upstream request. */
  readonly dropped: Set<string>
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** From the start of the winning attempt to its first content, in milliseconds. */
  upstreamMs: number | undefined
  /** What the answer that the caller got has used, and how it ended; undefined while nobody knows. */
  usage: Usage | undefined
  outcome: CallOutcome | undefined
}

export function openTrail(startedAt: number): Trail {
  return {
    attempts: 0,
    provider: undefined,
    model: undefined,
    dropped: new Set(),
    startedAt,
    upstreamMs: undefined,
    usage: undefined,
    outcome: undefined,
  }
}

/** What goes back to the caller; http/ is the only reader. Headers name the provider, the target and the attempts. */
export type Answer = { readonly headers: Readonly<Record<string, string>> } & (
  | { readonly kind: 'json'; readonly body: unknown }
  | { readonly kind: 'bytes'; readonly contentType: string; readonly bytes: Uint8Array }
  | {
      readonly kind: 'stream'
      readonly contentType: string
      readonly length?: number
      /** Pieces as they leave. It fails only for media: other failures are said in the format's own words. */
      readonly pieces: Source<string | Uint8Array>
    }
)

/** The end of a request, seen once everything of it is over: where logs, metrics and limits hang on. */
export interface CallEnd {
  readonly id: string
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** What the caller saw; 499 where it left before any status was written. */
  readonly status: number
  /** From the request to the end of the answer, in milliseconds. */
  readonly durationMs: number
  /** True where the caller left before it had taken the whole answer. */
  readonly left: boolean
  /** Absent where nobody was let in. */
  readonly key?: ApiKey
  /** Absent where the request never became a call. */
  readonly call?: Call
}
