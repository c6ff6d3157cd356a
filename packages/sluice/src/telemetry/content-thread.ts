import { Worker } from 'node:worker_threads'
import type { KeptContent } from '../ports/content.ts'
import type { GatheredBody } from './masked-content.ts'

/** A call whose prompt and response are to be stored. */
export interface GatheredCall {
  readonly facts: Omit<KeptContent, 'request' | 'answer' | 'requestCut' | 'answerCut' | 'masked'>
  readonly request: GatheredBody
  readonly answer: GatheredBody
  /** How much of each is stored. */
  readonly charactersMax: number
  /** Whether its span contains them as well. */
  readonly isTraced: boolean
}

/** The masked prompt and response for a call's span, each as JSON text. */
export interface SpanContent {
  readonly callId: string
  readonly input: string
  readonly output: string
  readonly system?: string
}

/** Masked calls. */
export interface MaskedBatch {
  /** Each a `KeptContent` as JSON text. */
  readonly documents: readonly string[]
  /** For traced calls that have messages. */
  readonly spans: readonly SpanContent[]
}

/** Masks in a separate thread, one batch at a time. */
export interface ContentThread extends AsyncDisposable {
  mask(calls: readonly GatheredCall[]): Promise<MaskedBatch>
}

/** A batch is a few megabytes; without limits the thread's heap would grow with garbage. */
const heapLimits = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 }

/** The thread starts when it is first needed. */
export function openContentThread(): ContentThread {
  let worker: Worker | undefined
  let caller: PromiseWithResolvers<MaskedBatch> | undefined

  function start(): Worker {
    const started = new Worker(new URL('./content-thread-entry.ts', import.meta.url), {
      resourceLimits: heapLimits,
    })
    let failure = new Error('The thread that masks prompts and answers has ended')
    started.on('error', (error) => {
      failure = new Error(failure.message, { cause: error })
    })
    started.on('exit', () => {
      worker = undefined
      caller?.reject(failure)
    })
    started.on('message', (masked: MaskedBatch) => {
      started.unref()
      caller?.resolve(masked)
    })
    return started
  }

  return {
    async mask(calls) {
      worker ??= start()
      caller = Promise.withResolvers()
      worker.ref()
      worker.postMessage(calls)
      return caller.promise
    },
    async [Symbol.asyncDispose]() {
      await worker?.terminate()
    },
  }
}
