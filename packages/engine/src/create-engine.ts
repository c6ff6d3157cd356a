import { promptTokens } from './chat/prompt-tokens.ts'
import type { BuiltinEngine, Engine } from './engine.ts'
import { openImageLinks } from './images/image-links.ts'
import { engineCard } from './models.ts'
import { operationContext } from './operation.ts'
import { createJobs, type JobChange } from './video/jobs.ts'
import { openWorkerPool, type WorkerPool } from './workers/pool.ts'

export interface EngineOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** The prefix, its separator included (`video_`), and an unguessable rest. */
  readonly newId: (prefix: string) => string
  /** Where the clips of video jobs are kept; made when the first one is. */
  readonly jobFolder: string
  /**
   * Told of each change of a video job, one at a time for each job. Resolves to whether the change was kept: false
   * means that the job is gone or over, and the engine drops it.
   */
  readonly onJobChange: (id: string, change: JobChange) => Promise<boolean>
  /** Told of failures inside, which callers do not see. */
  readonly log?: { warn(fields: object, message: string): void }
}

/** Makes the built-in engine. Costs nothing until it is used: no process, timer or file is there before. */
export function createEngine(options: EngineOptions): BuiltinEngine {
  const { now, newId, jobFolder, onJobChange, log } = options
  const workers = openWorkerPool()
  // Videos take minutes: they hold up each other, and nothing else.
  const renderers = openWorkerPool({ size: 1 })
  const jobs = createJobs({
    now,
    newId,
    workers: renderers,
    folder: jobFolder,
    onChange: onJobChange,
    ...(log && { log }),
  })
  return {
    ...engineCard,
    operations: operationsWith(workers),
    countTokens: promptTokens,
    images: openImageLinks({ now }),
    jobs,
    async [Symbol.asyncDispose]() {
      await jobs[Symbol.asyncDispose]()
      await workers[Symbol.asyncDispose]()
      await renderers[Symbol.asyncDispose]()
    },
  }
}

function operationsWith(workers: WorkerPool): Engine {
  return {
    chat: async (request, context) =>
      (await import('./chat/chat.ts')).chat(request, operationContext(context, workers)),
    complete: async (request, context) =>
      (await import('./complete/complete.ts')).complete(
        request,
        operationContext(context, workers),
      ),
    embed: async (request, context) =>
      (await import('./embed/embed.ts')).embed(request, operationContext(context, workers)),
    rerank: async (request, context) =>
      (await import('./rerank/rerank.ts')).rerank(request, operationContext(context, workers)),
    moderate: async (request, context) =>
      (await import('./moderate/moderate.ts')).moderate(
        request,
        operationContext(context, workers),
      ),
    transcribe: async (request, context) =>
      (await import('./audio/transcribe.ts')).transcribe(
        request,
        operationContext(context, workers),
      ),
    translate: async (request, context) =>
      (await import('./audio/translate.ts')).translate(request, operationContext(context, workers)),
    speak: async (request, context) =>
      (await import('./audio/speak.ts')).speak(request, operationContext(context, workers)),
    createImage: async (request, context) =>
      (await import('./images/create-image.ts')).createImage(
        request,
        operationContext(context, workers),
      ),
    editImage: async (request, context) =>
      (await import('./images/edit-image.ts')).editImage(
        request,
        operationContext(context, workers),
      ),
  }
}
