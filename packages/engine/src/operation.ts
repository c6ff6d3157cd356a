import type { OperationName } from '@sluice/contract'
import type { EngineContext, EngineOperation } from './engine.ts'
import type { RunOptions, WorkerPool } from './workers/pool.ts'

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
