import type { Timeouts } from '../../packages/gateway/src/route/timeouts.ts'
import type { Step } from './steps.ts'
import type { Words, WordsId } from './words-form.ts'

/**
 * What is to come of a fault. `answer`: the good answer, from the target that has the fault. `retry`: an error after
 * the route's two tries; another target answers, if there is one. `limited`: the same, and if there is another target, after one
 * try. `next`: the same after one try. `stop`: an error at
 * once, and no other target is asked. `error event`: a stream that ends in its format's own error, and no other target
 * is asked, as the caller has seen content.
 */
export type Expected =
  | { readonly outcome: 'answer' }
  | { readonly outcome: 'error event' }
  | {
      readonly outcome: 'retry' | 'limited' | 'next' | 'stop'
      readonly status: number
      /** The error's code, where the caller's format has one. */
      readonly code: string | null
      /** What Retry-After says; absent: there is none. */
      readonly retryAfter?: RegExp
    }

export interface Limits {
  readonly whole?: Partial<Timeouts>
  readonly stream?: Partial<Timeouts>
}

export interface Exception {
  /** In whose words; absent: all. */
  readonly words?: readonly WordsId[]
  /** Client formats in front of protocols, such as `chat openai`; absent: all. */
  readonly pairs?: readonly string[]
  readonly whole?: Expected
  readonly stream?: Expected
  readonly why: string
}

/** One way in which an upstream misbehaves, and what callers of every format are to see of it. */
export interface Fault {
  readonly name: string
  readonly steps?: (words: Words) => readonly Step[]
  /** Instead: a place that never answers a request. */
  readonly place?: 'closed' | 'mute' | 'resetting' | 'ending'
  /** The limits that the target has towards whole answers and streams; others are far away. */
  readonly limits?: Limits
  /** Absent: whole answers, or streams, cannot have it. */
  readonly whole?: Expected
  readonly stream?: Expected
  readonly except?: readonly Exception[]
  /** So many bytes that it is asked once for each kind of words and not for each client format. */
  readonly isHeavy?: boolean
}

export interface FaultGroup {
  readonly title: string
  readonly faults: readonly Fault[]
}

export const answer: Expected = { outcome: 'answer' }
export const errorEvent: Expected = { outcome: 'error event' }
export const retry = (status: number, code: string | null): Expected => ({
  outcome: 'retry',
  status,
  code,
})
export const next = (status: number, code: string | null): Expected => ({
  outcome: 'next',
  status,
  code,
})
export const stop = (status: number, code: string | null): Expected => ({
  outcome: 'stop',
  status,
  code,
})

export const unreachable = retry(503, 'upstream_unavailable')
export const cut = retry(502, 'stream_interrupted')
export const garbled = next(502, 'bad_response')
export const timeout = next(504, 'upstream_timeout')

/** For what a server may answer that has no such address. */
export const missingAt = (expected: Expected): Exception => ({
  pairs: ['responses openai'],
  whole: expected,
  stream: expected,
  why: 'The address may be missing: the request is sent once more, as a chat',
})

/** Short, and long enough for a request to be seen where nothing else happens. */
const shortMs = 150

export const soon = (...names: readonly (keyof Timeouts)[]): Partial<Timeouts> =>
  Object.fromEntries(names.map((name) => [name, shortMs]))
