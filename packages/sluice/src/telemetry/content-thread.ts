import type { StoredContent } from '@sluice/gateway/ports/content.ts'
import { openThread } from '@sluice/store/threads/call-thread.ts'
import type { GatheredBody } from './masked-content.ts'

/** A call whose prompt and response are to be stored. */
export interface GatheredCall {
  readonly facts: Omit<StoredContent, 'request' | 'answer' | 'requestCut' | 'answerCut' | 'masked'>
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
  /** Each a `StoredContent` as JSON text. */
  readonly documents: readonly string[]
  /** For traced calls that have messages. */
  readonly spans: readonly SpanContent[]
}

export interface MaskMethods {
  mask(calls: readonly GatheredCall[]): MaskedBatch
}

/** Masks in a separate thread, one batch at a time. */
export interface ContentThread extends AsyncDisposable {
  mask(calls: readonly GatheredCall[]): Promise<MaskedBatch>
}

/** A batch is a few megabytes; without limits the thread's heap would grow with garbage. */
const resourceLimits = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 }

/** The thread starts when it is first needed. */
export function openContentThread(): ContentThread {
  const thread = openThread<MaskMethods>(new URL('./content-thread-entry.ts', import.meta.url), {
    task: 'masks prompts and answers',
    resourceLimits,
  })
  return {
    mask: (calls) => thread.call('mask', calls),
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}
