import type { OperationName } from '@sluice/contract'
import { promptTokens } from './chat/prompt-tokens.ts'
import type { BuiltinEngine, Engine, EngineOperation } from './engine.ts'
import { engineCard } from './models.ts'
import { type Operation, operationContext } from './operation.ts'
import { countTokens } from './tokens.ts'
import { EngineJobs, type JobChange, type JobFiles } from './video/jobs.ts'
import { WorkerPool } from './workers/pool.ts'

export interface EngineOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** The prefix, its separator included (`video_`), and an unguessable rest. */
  readonly newId: (prefix: string) => string
  /** Where the files of video jobs are kept. */
  readonly jobFiles: JobFiles
  /**
   * Told of each change of a video job, one at a time for each job. Resolves to whether the change was kept: false
   * means that the job is gone or over, and the engine drops it.
   */
  readonly onJobChange: (id: string, change: JobChange) => Promise<boolean>
  /** Told of failures inside, which callers do not see. */
  readonly log?: { warn(fields: object, message: string): void }
  /** Processes for everything but videos, each started when first needed. Default 3. */
  readonly processes?: number
}

/** Makes the built-in engine. Costs nothing until it is used: no process, timer or file is there before. */
export function createEngine(options: EngineOptions): BuiltinEngine {
  const { jobFiles: files, onJobChange: onChange, processes } = options
  const workers = new WorkerPool(processes === undefined ? {} : { size: processes })
  // Videos take minutes: they hold up each other, and nothing else.
  const renderers = new WorkerPool({ size: 1 })
  const jobs = new EngineJobs({ ...options, workers: renderers, files, onChange })
  return {
    ...engineCard,
    operations: operationsWith(workers),
    countTokens: promptTokens,
    tokensOf: countTokens,
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
    createImage: loaded(async () => (await import('./images/create-image.ts')).createImage),
    editImage: loaded(async () => (await import('./images/edit-image.ts')).editImage),
  }
}
