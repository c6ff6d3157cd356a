import type { ChatRequest, OperationName, RequestOf, ResultOf } from '@sluice/contract'
import type { EngineCard } from './models.ts'
import type { EngineJobs } from './video/jobs.ts'

/** What an engine gets with each call. */
export interface EngineContext {
  /** The model name to answer under, as the caller wrote it. */
  readonly model: string
  /** Whose call it is. What is scarce is shared between keys. */
  readonly key: string
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal
  /** Fetches or decodes a data:, http: or https: address, guarded against private addresses and sizes. */
  readonly fetchMedia: (
    url: string,
    options: { readonly bytesMax: number; readonly param: string },
  ) => Promise<{ readonly bytes: Uint8Array; readonly contentType: string | undefined }>
  /** Keeps bytes for a while under an unguessable address and returns that address. */
  readonly publish: (bytes: Uint8Array, contentType: string) => string | Promise<string>
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
  /** Notes as dropped a field that the engine lacks though it only advises. */
  readonly leftOut?: (param: string, reason?: string) => void
}

/** One operation, answered in this process. Throws only GatewayError for what a caller can send. */
export type EngineOperation<O extends OperationName, Context = EngineContext> = (
  request: RequestOf<O>,
  context: Context,
) => Promise<ResultOf<O>>

/** What an engine in this process offers. Video tasks are jobs of their own and are run beside it. */
export type Engine = { readonly [O in OperationName]?: EngineOperation<O> }

/**
 * The built-in engine: classical algorithms, no network; the files of its video jobs are kept by others. Nothing is started
 * before it is needed. Disposing stops the running video job, waits for it, and ends the worker processes.
 */
export interface BuiltinEngine extends EngineCard, AsyncDisposable {
  /** One function per operation; its code is loaded when it is first called. */
  readonly operations: Engine
  /** The tokens of a chat request in the engine's own count, without opening its pictures, sounds and files. */
  countTokens(request: ChatRequest): Promise<number>
  /** The tokens of a text of some thousand characters at most, at once. */
  readonly tokensOf: (text: string) => number
  readonly jobs: EngineJobs
  /** How much work waits for a process, by the name of the queue. */
  waiting(): Readonly<Record<'engine' | 'engine_videos', number>>
}
