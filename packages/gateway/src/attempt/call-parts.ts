import type { BuiltinEngine, EngineContext } from '@sluice/engine'
import type { LearnedSizes } from '../admit/call-size.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { SlotQueue } from '../ports/slot-queue.ts'
import type { Store } from '../ports/store.ts'
import type { Concealer } from '../call/concealer.ts'
import type { Log } from '../call/log.ts'
import type { Fetching } from '../call/named-files.ts'
import type { Send } from '../call/send.ts'
import type { LiveCalls } from '../observe/live-calls.ts'
import type { Observers } from '../observe/observers.ts'
import type { Health } from '../route/health.ts'
import type { LearnedMaxima } from '../route/learned-maxima.ts'

/** What an admitted call needs of the gateway, from its first attempt to its answer. */
export interface CallParts {
  readonly store: Pick<Store, 'beginUsage' | 'findUpstreamIds' | 'addUpstreamIds'>
  readonly send: Send
  /** Observations per target: failures, latency, refused keys. */
  readonly health: Health
  readonly learnedMaxima: LearnedMaxima
  /** The concurrency slots of a provider or target that takes a limited number of calls at a time, by name. */
  readonly upstreamSlots: (name: string) => SlotQueue
  /** Counts the limits of targets, which all processes share. */
  readonly limiter: Limiter
  readonly learnedSizes: LearnedSizes
  readonly engine: BuiltinEngine
  readonly engineContext: Pick<EngineContext, 'publish'> & Fetching
  /** Masks configured secrets in upstream messages. */
  readonly concealer: Concealer
  /** Subscribers that watch calls in progress. */
  readonly live: LiveCalls
  readonly observers: Observers
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly newId: (prefix: string) => string
  /** From 0 up to 1. */
  readonly random: () => number
  readonly log: Log
}
