import type { OperationName, RequestOf, ResultOf } from '@sluice/contract'

/** What an operation gets besides its request. */
export interface AiSdkContext {
  /** The model name that the caller used and sees in the response. */
  readonly model: string
  /** The provider's own name for it. */
  readonly upstreamModel: string
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly newId: (prefix: string) => string
  /** As in CodecContext: refuses a field, or notes it as dropped and returns. */
  readonly unsupported: (param: string, reason?: string) => void
  /** As in CodecContext: notes as dropped a field that only advises. */
  readonly leftOut: (param: string, reason?: string) => void
  /** Fetches a URL that the model cannot read itself, with checks against private networks and large sizes. */
  readonly fetchMedia: (
    url: string,
    options: { readonly bytesMax: number; readonly param: string },
  ) => Promise<{ readonly bytes: Uint8Array; readonly contentType: string | undefined }>
}

export type AiSdkOperation<O extends OperationName> = (
  request: RequestOf<O>,
  context: AiSdkContext,
) => Promise<ResultOf<O>>

/** The operations that the package offers. */
export type AiSdkProvider = { readonly [O in OperationName]?: AiSdkOperation<O> }
