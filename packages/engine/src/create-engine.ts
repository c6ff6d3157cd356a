import type { OperationName } from '@sluice/contract'
import { promptTokens } from './chat/request-size.ts'
import {
  type BuiltinEngine,
  type Engine,
  type EngineOperation,
  type Operation,
  operationContext,
} from './engine.ts'
import { engineCard } from './models.ts'
import { countSent } from './tokens.ts'
import { EngineJobs, type JobChange, type JobFiles } from './video/jobs.ts'
import { WorkerPool } from './workers/pool.ts'

export interface EngineOptions {
  /** In milliseconds since the epoch. */
  readonly now: () => number
  /** Returns the prefix, which includes its separator (`video_`), followed by an unguessable part. */
  readonly newId: (prefix: string) => string
  /** Where the files of video jobs are stored. */
  readonly jobFiles: JobFiles
  /**
   * Called for each change of a video job, one at a time per job. Resolves to whether the change was stored: false means that
   * the job is gone or over, and the engine drops it.
   */
  readonly onJobChange: (id: string, change: JobChange) => Promise<boolean>
  /** Logs internal failures that callers do not see. */
  readonly log?: { warn(fields: object, message: string): void }
  /** Maximum processes for everything but videos; each one is started when first needed. Default 3. */
  readonly processes?: number
}

/** Creates the built-in engine. It uses no process, timer or file until it is used. */
export function createEngine(options: EngineOptions): BuiltinEngine {
  const { jobFiles: files, onJobChange: onChange, processes } = options
  const workers = new WorkerPool(processes === undefined ? {} : { size: processes })
  // Videos take minutes. They delay each other, but nothing else.
  const renderers = new WorkerPool({ size: 1 })
  const jobs = new EngineJobs({ ...options, workers: renderers, files, onChange })
  return {
    ...engineCard,
    operations: operationsWith(workers),
    countTokens: promptTokens,
    tokensOf: countSent,
    jobs,
    waiting: () => ({ engine: workers.waiting, engine_videos: renderers.waiting }),
    async [Symbol.asyncDispose]() {
      await jobs[Symbol.asyncDispose]()
      await workers[Symbol.asyncDispose]()
      await renderers[Symbol.asyncDispose]()
    },
  }
}

function operationsWith(workers: WorkerPool): Engine {
  const loaded =
    <O extends OperationName>(load: () => Promise<Operation<O>>): EngineOperation<O> =>
    async (request, context) =>
      (await load())(request, operationContext(context, workers))
  return {
    chat: loaded(async () => (await import('./chat/chat.ts')).chat),
    complete: loaded(async () => (await import('./complete/complete.ts')).complete),
    embed: loaded(async () => (await import('./embed/embed.ts')).embed),
    rerank: loaded(async () => (await import('./rerank/rerank.ts')).rerank),
    moderate: loaded(async () => (await import('./moderate/moderate.ts')).moderate),
    transcribe: loaded(async () => (await import('./audio/transcribe.ts')).transcribe),
    translate: loaded(async () => (await import('./audio/transcribe.ts')).translate),
    speak: loaded(async () => (await import('./audio/speak.ts')).speak),
    createImage: loaded(async () => (await import('./images/image-operations.ts')).createImage),
    editImage: loaded(async () => (await import('./images/image-operations.ts')).editImage),
  }
}
