import type { CallOutcome, ErrorCode, GatewayError, OperationName, Usage } from '@sluice/contract'
import type { ClientFormat, StreamWriter } from '@sluice/protocols'
import type { UnsupportedMode } from '../config/unsupported-mode.ts'
import type { Caller } from '../ports/api-key.ts'
import type { RefusingLimit } from '../ports/limiter.ts'
import type { Cancellation } from './attempt/cancellation.ts'
import type { ContentCapture } from './content.ts'
import type { NamedFiles } from './attempt/named-files.ts'
import type { Source } from './attempt/source.ts'
import type { CallRequest } from './call-request.ts'
import type { HeldBytes } from './held-bytes.ts'
import type { CallTrace } from './trace.ts'

/** One call after its key, body and schema were checked. */
export interface Call {
  /** The gateway's own id of the request, also the call id of its usage records. */
  readonly id: string
  /** What the caller calls it (`x-request-id`), which need not be unique. */
  readonly givenId?: string
  readonly key: Caller
  /** The network address that the request came from; absent where its connection is gone already. */
  readonly clientAddress?: string
  /** What it is billed by besides its key: the request's own tags, and those of all levels of the key. */
  readonly tags: readonly string[]
  /** How the caller says the operation and reads its answer. */
  readonly format: ClientFormat
  readonly operation: OperationName
  readonly request: CallRequest
  /**
   * The request as the caller wrote it, where `request` is another: a conversation continued from what was kept has what
   * came before in front. Answers echo this one.
   */
  readonly written?: Readonly<Record<string, unknown>>
  /** Lower-case names, credentials left out. */
  readonly headers: Readonly<Record<string, string>>
  /** What shall happen to fields that a target cannot express, where the caller says it. */
  readonly unsupported?: UnsupportedMode
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
  /** Counts what is fetched for it, as its body was counted. */
  readonly held: HeldBytes
  /** What the request was let in with. */
  readonly admission: {
    readonly isGranted: boolean
    readonly isPriced: boolean
    /** What budgets have put aside for each of its attempts, in millionths of a dollar; 0 where none counts it. */
    readonly reservedMicroUsd?: number
    /** Where it goes instead of where it asked to, and the id of the budget that had no money for that. */
    readonly elsewhere?: Elsewhere | undefined
  }
  /** Absent where its prompt and answer are not kept. */
  readonly content?: ContentCapture
  /** The trace it belongs to; absent where nothing is traced. */
  readonly trace?: CallTrace
  /** Filled as the call goes on, and shown in the answer's headers even when it fails. */
  readonly trail: Trail
}

export interface Elsewhere {
  readonly route: string
  readonly budget: string
}

/** What an attempt has cost, or what was put aside for it where nobody knows. */
export interface Spending {
  readonly provider: string
  readonly model: string
  /** Millionths of a dollar. */
  readonly microUsd: number
}

/** What a call has been through. */
export interface Trail {
  /** Attempts begun so far; the last one's number. */
  attempts: number
  provider: string | undefined
  model: string | undefined
  /** Paths of fields that were left out of the upstream request, and names of what was left out of the answer. */
  readonly dropped: Set<string>
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** From the start of the winning attempt to its first content, in milliseconds. */
  upstreamMs: number | undefined
  /** From the start of the call to the first content of its answer, in milliseconds. */
  firstContentMs: number | undefined
  /** What ended a stream that had begun. */
  failure: GatewayError | undefined
  /** What the answer that the caller got has used, and how it ended; undefined while nobody knows. */
  usage: Usage | undefined
  outcome: CallOutcome | undefined
  /** Of all attempts together, in millionths of a dollar, and how many there were whose cost nobody knows. */
  costMicroUsd: number
  unknownCosts: number
  /** The same attempt by attempt, as budgets count it; empty where none counts the call. */
  readonly spent: Spending[]
  /** What was fetched for it; made when the first file is. */
  files?: NamedFiles
}

export function openTrail(startedAt: number): Trail {
  return {
    attempts: 0,
    provider: undefined,
    model: undefined,
    dropped: new Set(),
    startedAt,
    upstreamMs: undefined,
    firstContentMs: undefined,
    failure: undefined,
    usage: undefined,
    outcome: undefined,
    costMicroUsd: 0,
    unknownCosts: 0,
    spent: [],
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
  /** What the caller calls it. */
  readonly givenId?: string
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** What the caller saw; 499 where it left before any status was written. */
  readonly status: number
  /** From the request to the end of the answer, in milliseconds. */
  readonly durationMs: number
  /** True where the caller left before it had taken the whole answer. */
  readonly left: boolean
  /** The code of the error that the caller was told. */
  readonly code?: string
  /** Its row in the table of errors. */
  readonly failure?: ErrorCode
  /** What that error says. */
  readonly reason?: string
  /** Which limit has refused the request. */
  readonly refusedBy?: RefusingLimit
  /** Of an address that models are called at; known where the request never became a call, too. */
  readonly format?: ClientFormat
  readonly trace?: CallTrace
  /** Absent where nobody was let in. */
  readonly key?: Caller
  /** Absent where the request never became a call. */
  readonly call?: Call
}

/** The name of the model that answers: as the caller wrote it, or where a budget sends the call; undefined where nobody says. */
export function modelOf({
  request,
  admission,
}: Pick<Call, 'request' | 'admission'>): string | undefined {
  const model = admission.elsewhere?.route ?? request.model
  return typeof model === 'string' ? model : undefined
}
