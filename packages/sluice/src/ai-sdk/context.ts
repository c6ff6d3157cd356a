import type { OperationName, RequestOf, ResultOf } from '@sluice/contract'

/** What an operation may know besides its request. */
export interface AiSdkContext {
  /** The name the caller used, and sees in the answer. */
  readonly model: string
  /** The provider's own name for it. */
  readonly upstreamModel: string
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly newId: (prefix: string) => string
  /** As in CodecContext: refuses a field, or notes it as dropped and returns. */
  readonly unsupported: (param: string, reason?: string) => void
  /** As in CodecContext: notes as dropped a field that only advises. */
  readonly leftOut: (param: string, reason?: string) => void
  /** Reads an address that the model cannot read itself, guarded against private networks and sizes. */
  readonly fetchMedia: (
    url: string,
    options: { readonly bytesMax: number; readonly param: string },
  ) => Promise<{ readonly bytes: Uint8Array; readonly contentType: string | undefined }>
}

export type AiSdkOperation<O extends OperationName> = (
  request: RequestOf<O>,
  context: AiSdkContext,
) => Promise<ResultOf<O>>

/** What the package offers of our operations. */
export type AiSdkProvider = { readonly [O in OperationName]?: AiSdkOperation<O> }
