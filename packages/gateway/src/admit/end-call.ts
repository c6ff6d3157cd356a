import type { CallEnd } from '../call/call.ts'
import type { ContentLog, Observers } from '../observe/observers.ts'
import type { Admission } from './admission.ts'
import type { LearnedSizes } from './call-size.ts'

/** What hears of the end of a call. */
interface EndParts {
  readonly learnedSizes: LearnedSizes
  readonly observers: Pick<Observers, 'ofRequests' | 'ofFailures'>
  readonly contents: Pick<ContentLog, 'ended'>
}

/** What a request holds until it is over; absent if it did not get so far. */
interface Holding {
  readonly admission?: Admission
  readonly held?: { release(): void }
}

/**
 * Ends a call, however it came, or a request that never became one, when everything about it is over: releases what it holds, settles
 * its reservations with its actual usage, and tells the observers.
 */
export function endCall(
  { learnedSizes, observers, contents }: EndParts,
  { admission, held }: Holding,
  end: CallEnd,
): void {
  const { call, failure } = end
  held?.release()
  admission?.end(end)
  const { usage, outcome, choices = 1 } = call?.trail ?? {}
  if (call && usage && outcome === 'completed')
    learnedSizes.learn(call.request.model, Math.ceil(usage.outputTokens / choices))
  for (const observer of observers.ofRequests) observer.ended(end)
  if (call?.content) contents.ended(end)
  if (failure !== undefined) for (const observer of observers.ofFailures) observer.ended(end)
}
