import type { OperationName, RequestOf, ResultOf } from '@sluice/contract'
import type { WorkerPool } from './workers/pool.ts'

/** What the built-in engine may use of the world. Everything else about an answer is computed from the request. */
export interface EngineContext {
  /** The model name to answer under, as the caller wrote it. */
  readonly model: string
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal
  readonly workers: WorkerPool
  /** Fetches or decodes a data:, http: or https: address, guarded against private addresses and sizes. */
  readonly fetchMedia: (
    url: string,
    options: { readonly bytesMax: number; readonly param: string },
  ) => Promise<{ readonly bytes: Uint8Array; readonly contentType: string | undefined }>
  /** Keeps bytes for a while under an unguessable address and returns that address. */
  readonly publish: (bytes: Uint8Array, contentType: string) => string
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** The prefix, its separator included (`chatcmpl-`), and an unguessable rest. */
  readonly newId: (prefix: string) => string
  /** A number from 0 up to 1, for choices that no seed decides. */
  readonly random: () => number
  /** The name by which the engine itself knows the model, for engines with models of other names. */
  readonly target?: string
  /** Refuses a field that the engine cannot express, or notes it as dropped and returns. */
  readonly unsupported?: (param: string, reason?: string) => void
}

/** One operation, answered by computation. Throws only GatewayError for what a caller can send. */
export type EngineOperation<O extends OperationName> = (
  request: RequestOf<O>,
  context: EngineContext,
) => Promise<ResultOf<O>>

/** What a local engine offers. Video tasks are jobs of their own and are run beside it. */
export type Engine = { readonly [O in OperationName]?: EngineOperation<O> }
