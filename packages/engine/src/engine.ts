import type { ChatRequest, OperationName, RequestOf, ResultOf } from '@sluice/contract'
import type { EngineCard } from './models.ts'
import type { EngineJobs } from './video/jobs.ts'
import type { RunOptions, WorkerPool } from './workers/pool.ts'

/** What an engine gets with each call. */
export interface EngineContext {
  /** The model's name in the response, as the caller wrote it. */
  readonly model: string
  /** The caller's key. Scarce resources are shared between keys. */
  readonly key: string
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal
  /** Fetches or decodes a data:, http: or https: URL, with protection against private addresses and excessive size. */
  readonly fetchMedia: (
    url: string,
    options: { readonly bytesMax: number; readonly param: string },
  ) => Promise<{ readonly bytes: Uint8Array; readonly contentType: string | undefined }>
  /** Stores bytes for a while under an unguessable URL and returns that URL. */
  readonly publish: (bytes: Uint8Array, contentType: string) => string | Promise<string>
  /** In milliseconds since the epoch. */
  readonly now: () => number
  /** Returns the prefix, which includes its separator (`chatcmpl-`), followed by an unguessable part. */
  readonly newId: (prefix: string) => string
  /** A number from 0 (inclusive) to 1 (exclusive), for choices without a seed. */
  readonly random: () => number
  /** The engine's own name of the model, for engines whose models have other names. */
  readonly target?: string
  /** Rejects a field that the engine does not support, or records it as dropped and returns. */
  readonly unsupported?: (param: string, reason?: string) => void
  /** Records an advisory field that the engine does not support as dropped. */
  readonly leftOut?: (param: string, reason?: string) => void
}

/** One operation in this process. Throws only GatewayError for anything that a caller can send. */
export type EngineOperation<O extends OperationName, Context = EngineContext> = (
  request: RequestOf<O>,
  context: Context,
) => Promise<ResultOf<O>>

/** The operations of an engine in this process. Videos are jobs of their own and are handled separately. */
export type Engine<Context = EngineContext> = {
  readonly [O in OperationName]?: EngineOperation<O, Context>
}

/** An engine to which the gateway routes: it may need every field of the context. */
export type RoutedEngine = Engine<Required<EngineContext>>

/**
 * The built-in engine: classical algorithms, no network. The files of its video jobs are stored by others. Nothing is started
 * before it is needed. Disposing stops the running video job, waits for it, and ends the worker processes.
 */
export interface BuiltinEngine extends EngineCard, AsyncDisposable {
  /** One function per operation; its code is loaded on the first call. */
  readonly operations: Engine
  /** The tokens of a chat request as the engine counts them, without opening its images, audio and files. */
  countTokens(request: ChatRequest): Promise<number>
  /** The tokens of a text of at most a few thousand characters, counted synchronously. */
  readonly tokensOf: (text: string) => number
  readonly jobs: EngineJobs
  /** How many jobs wait for a process, by the name of the queue. */
  waiting(): Readonly<Record<'engine' | 'engine_videos', number>>
}

/** What an operation of this engine may use besides the request, from which everything else is computed. */
export interface OperationContext extends EngineContext {
  readonly workers: Pick<WorkerPool, 'run'>
}

/** The pool for one call: its jobs count for the call's key and end with the call. */
export function operationContext(context: EngineContext, workers: WorkerPool): OperationContext {
  const { key, signal } = context
  return {
    ...context,
    workers: {
      run: (task, input, options: RunOptions) =>
        workers.run(task, input, { ...options, key, signal }),
    },
  }
}

/** One operation of this engine. Throws only GatewayError for anything that a caller can send. */
export type Operation<O extends OperationName> = EngineOperation<O, OperationContext>

/** What is needed to open an image, audio or a file. */
export type MediaContext = Pick<OperationContext, 'fetchMedia' | 'workers'>
