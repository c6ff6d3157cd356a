import {
  type CallOutcome,
  type ErrorCode,
  formatUsd,
  type GatewayError,
  type Money,
  type OperationName,
  type Usage,
} from '@sluice/contract'
import type { ClientFormat, FormatContext, StreamWriter } from '@sluice/protocols/client-format.ts'
import type { Defaulted } from '@sluice/protocols/placed-defaults.ts'
import type { UnsupportedMode } from '../settings/unsupported-mode.ts'
import type { Caller } from '../ports/api-key.ts'
import type { RefusingLimit } from '../ports/limiter.ts'
import type { BudgetReservation, OpenUsage } from '../ports/store.ts'
import type { Cancellation } from './cancellation.ts'
import type { ContentCapture } from './content.ts'
import type { NamedFiles } from './named-files.ts'
import type { Source } from './source.ts'
import type { CallRequest } from './call-request.ts'
import type { HeldBytes } from './held-bytes.ts'
import type { CallTrace } from './trace.ts'

/** A call whose key, body and schema have been checked. */
export interface Call {
  /** The gateway's own request id, which is also the call id of its usage records. */
  readonly id: string
  /** The caller's request id (`x-request-id`), which need not be unique. */
  readonly givenId?: string
  readonly key: Caller
  /** The client's network address; absent if the connection is already closed. */
  readonly clientAddress?: string
  /** Tags it is billed by besides the key: those of the request and of all levels of the key. */
  readonly tags: readonly string[]
  /** The format of the request and response. */
  readonly format: ClientFormat
  readonly operation: OperationName
  readonly request: CallRequest
  /**
   * The caller's own request, if `request` differs from it: a continued conversation has the earlier turns prepended.
   * Responses echo this one.
   */
  readonly written?: Readonly<Record<string, unknown>>
  /** The request as it came, if `request` has default parameters of the route: whoever did not ask for thinking is not shown it. */
  readonly asked?: CallRequest
  /** The default parameters of its route that the caller does not give; absent if there are none. The request has those for which its format  has a field. */
  readonly defaults?: Defaulted
  /** Lower-case names, without credentials. */
  readonly headers: Readonly<Record<string, string>>
  /** The caller's choice for fields that a target cannot express. */
  readonly unsupported?: UnsupportedMode
  /** The query without credentials and without the question mark. */
  readonly query: string
  /** The upstream's id of the job that the operation reads. */
  readonly jobId?: string
  /** Where it came from: the gateway's address as the caller sees it, without a trailing slash. Used for links in responses. */
  readonly origin: { readonly publicAddress: string }
  /** Whether the caller wants a stream. */
  readonly stream: boolean
  /** Writes the stream, and errors once the status has been sent. Set if the caller wants a stream. */
  readonly writer?: StreamWriter<OperationName>
  /**
   * Cancelled when the caller disconnects. It closes every upstream socket of the call; nothing else can end a wait
   * for a silent upstream.
   */
  readonly cancellation: Cancellation
  /** Counts the bytes fetched for the call, as its body was counted. */
  readonly held: HeldBytes
  /** What admission has granted the request. */
  readonly admission: {
    /** Budget reservation for each attempt; 0 if no budget counts the call. */
    readonly reservedNanoUsd?: number
    /** What the record of a beginning attempt has to name of its reservations while they are not settled. */
    readonly reservationToName?: () => BudgetReservation | undefined
    /** Called for each try once earlier ones were charged. Throws `quota_exceeded` if a budget lacks room for it. */
    readonly makeRoom?: (call: Call) => Promise<void>
    /** Called with each record that names one. */
    readonly namedBy?: (record: Pick<OpenUsage, 'reservationSettled'>) => void
    /** The limit that the gateway sets to the output of each choice, because a budget counts a call without one. */
    readonly outputLimit?: number | undefined
    /** Set if an exhausted budget redirects the call. */
    readonly elsewhere?: Elsewhere | undefined
  }
  /** Absent if prompt and response are not stored. */
  readonly content?: ContentCapture
  /** Absent if tracing is off. */
  readonly trace?: CallTrace
  /** Updated during the call and reported in the response headers, even if the call fails. */
  readonly trail: Trail
}

export interface Elsewhere {
  readonly route: string
  readonly budget: string
}

/** The cost of an attempt, or its reservation if the cost is unknown. */
export interface AttemptCost {
  readonly provider: string
  readonly model: string
  readonly money: Money
}

/** The progress of a call. */
export interface Trail {
  /** Attempts begun so far; also the number of the last one. */
  attempts: number
  provider: string | undefined
  model: string | undefined
  /** Paths of fields left out of the upstream request, and names of those left out of the response. */
  readonly dropped: Set<string>
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** From the start of the winning attempt to its first content, in milliseconds. */
  upstreamMs: number | undefined
  /** From the start of the call to the first content of its answer, in milliseconds. */
  firstContentMs: number | undefined
  /** The error that ended a stream after it had begun. */
  failure: GatewayError | undefined
  /** Usage of the response the caller received, and how it ended; undefined until known. */
  usage: Usage | undefined
  outcome: CallOutcome | undefined
  /** Cost of all attempts, and the number of attempts whose cost is unknown. */
  cost: Money
  unknownCosts: number
  /** The cost of each attempt, as budgets count it; empty if no budget counts the call. */
  readonly spent: AttemptCost[]
  /** The number of targets that are being tried now; two while a hedge waits for the first content. */
  activeTargets: number
  /** The files fetched for the call; created with the first file. */
  files?: NamedFiles
  /** Targets that are left out because a budget counts the call and their price is unknown. */
  unpriced?: ReadonlySet<string> | undefined
  /** Why targets were not asked in their turn, by their ids; undefined if all were. */
  skipped?: Map<string, string>
  /** Targets at a limit of their route, with the time when that has room again, in milliseconds since the epoch. */
  limitedTargets?: Map<string, number>
  /** The number of answers asked for, where a limit depends on the size of the call. */
  choices?: number
  /** The usual number of input tokens of such a request, where its stream has to tell it before the upstream does. */
  expectedInput?: number
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
    cost: 0n,
    unknownCosts: 0,
    spent: [],
    activeTargets: 0,
  }
}

/**
 * The context a client format gets. Fields of the response that the format cannot express are recorded in `dropped`;
 * they are never an error.
 */
export function formatContext(
  { now, newId }: Pick<FormatContext, 'now' | 'newId'>,
  headers: Call['headers'],
  trail: Pick<Trail, 'dropped' | 'expectedInput'>,
  requestId?: string,
): FormatContext {
  const note = (name: string): void => void trail.dropped.add(name)
  const expectedInput = (): number => trail.expectedInput ?? 0
  const given = requestId === undefined ? {} : { requestId }
  return { now, newId, headers, unsupported: note, leftOut: note, expectedInput, ...given }
}

/** The response to the caller; only http/ reads it. Headers name the provider, the model and the number of attempts. */
export type Answer = { readonly headers: Readonly<Record<string, string>> } & (
  | { readonly kind: 'json'; readonly body: unknown }
  | { readonly kind: 'bytes'; readonly contentType: string; readonly bytes: Uint8Array }
  | {
      readonly kind: 'stream'
      readonly contentType: string
      readonly length?: number
      /** The response in pieces. It fails only for media; other formats report errors inside the stream. */
      readonly pieces: Source<string | Uint8Array>
    }
)

/** Node and undici reject responses whose headers exceed 16 KiB in total. */
const headerTextMax = 2_000

const visible = /^[\x20-\x7e]*$/

/** Header values may only hold visible ASCII. Other characters are percent-encoded, and very long values are cut. */
export function headerText(text: string): string {
  if (text.length <= headerTextMax && visible.test(text)) return text
  const encoded = text
    .slice(0, headerTextMax)
    .toWellFormed()
    .replace(/[^\x20-\x7e]/gu, (character) => encodeURIComponent(character))
  const isCut = text.length > headerTextMax || encoded.length > headerTextMax
  return isCut ? `${encoded.slice(0, headerTextMax)}...` : encoded
}

/** The end of a request, reported once everything about it is over. Logs, metrics and limits use it. */
export interface CallEnd {
  readonly id: string
  /** The caller's request id. */
  readonly givenId?: string
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** The status the caller saw; 499 if it disconnected before a status was written. */
  readonly status: number
  /** From the request to the end of the response, in milliseconds. */
  readonly durationMs: number
  /** Whether the caller disconnected before it had received the whole response. */
  readonly disconnected: boolean
  /** The error code sent to the caller. */
  readonly code?: string
  /** The error's entry in the table of errors. */
  readonly failure?: ErrorCode
  /** The error's message. */
  readonly reason?: string
  /** The limit that refused the request. */
  readonly refusedBy?: RefusingLimit
  /** The format of the requested endpoint; also set if the request never became a call. */
  readonly format?: ClientFormat
  readonly trace?: CallTrace
  /** Absent if the request was not authenticated. */
  readonly key?: Caller
  /** Absent where the request never became a call. */
  readonly call?: Call
}

/** The requested model, or the route an exhausted budget redirects to; undefined if neither is given. */
export function modelOf({
  request,
  admission,
}: Pick<Call, 'request' | 'admission'>): string | undefined {
  const model = admission.elsewhere?.route ?? request.model
  return typeof model === 'string' ? model : undefined
}

/** The header names that `costFields` may set, for the `trailer` header. */
export const costFieldNames = 'x-sluice-cost, x-sluice-cost-unknown'

/** The cost of all attempts of a call, in dollars. Reported as unknown if the cost of any attempt is unknown. */
export function costFields({ cost, unknownCosts }: Trail): Readonly<Record<string, string>> {
  return unknownCosts > 0
    ? { 'x-sluice-cost-unknown': 'true' }
    : { 'x-sluice-cost': formatUsd(cost) }
}

/** The request as the caller wrote it, which responses echo. */
export function writtenBy({ written, asked, request }: Call): Readonly<Record<string, unknown>> {
  return written ?? (asked ?? request).value
}

const writes: ReadonlySet<string> = new Set(['chat', 'complete'])

/** Whether a call is answered with text whose length is not known before. */
export function isWriting({ operation }: Pick<Call, 'operation'>): boolean {
  return writes.has(operation)
}
