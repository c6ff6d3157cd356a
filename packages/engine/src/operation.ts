import type { OperationName } from '@sluice/contract'
import type { EngineContext, EngineOperation } from './engine.ts'
import type { RunOptions, WorkerPool } from './workers/pool.ts'

/** What an operation of this engine may use of the world. Everything else is computed from the request. */
export interface OperationContext extends EngineContext {
  readonly workers: Pick<WorkerPool, 'run'>
}

/** The pool as one call uses it: its jobs count for the call's key, and end with the call. */
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

/** One operation as this engine does it. Throws only GatewayError for what a caller can send. */
export type Operation<O extends OperationName> = EngineOperation<O, OperationContext>

/** What it takes to open a picture, a sound or a file. */
export type MediaContext = Pick<OperationContext, 'fetchMedia' | 'workers'>
