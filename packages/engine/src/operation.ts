import type { OperationName, RequestOf, ResultOf } from '@sluice/contract'
import type { EngineContext } from './engine.ts'
import type { WorkerPool } from './workers/pool.ts'

/** What an operation of this engine may use of the world. Everything else is computed from the request. */
export interface OperationContext extends EngineContext {
  readonly workers: Pick<WorkerPool, 'run'>
}

/** One operation as this engine does it. Throws only GatewayError for what a caller can send. */
export type Operation<O extends OperationName> = (
  request: RequestOf<O>,
  context: OperationContext,
) => Promise<ResultOf<O>>

/** What it takes to open a picture, a sound or a file. */
export type MediaContext = Pick<OperationContext, 'fetchMedia' | 'workers' | 'signal'>
