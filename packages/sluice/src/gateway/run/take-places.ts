import { GatewayError } from '@sluice/contract'
import { type EntranceBounds, mostOfOneKey, type Ticket } from '../../ports/entrance.ts'
import type { Cancellation } from '../attempt/cancellation.ts'
import { HeldPlaces } from '../attempt/held-places.ts'
import type { Gateway } from '../gateway.ts'
import type { Target } from '../route/routing.ts'
import { asWritten, type Run } from './run.ts'

/** Suggested retry delay: a slot may be free by then. */
const retryAfterMs = 1_000

export interface Wanted {
  /** The number of concurrent attempts. */
  readonly count: number
  /** Whether fewer slots are enough: the parts of a response can be requested one after the other. */
  readonly isDivisible: boolean
  /** False if another target may be tried instead of waiting. */
  readonly mayWait: boolean
}

/**
 * Takes the slots for one try at a target with a concurrency limit. If none is free, waits in turn with other keys.
 * Rejects with `overloaded` if none becomes free in time, and with the error of the cancellation if the call is
 * cancelled.
 */
export async function takePlaces(
  { gateway, call }: Run,
  { places }: Target,
  wanted: Wanted,
  cancellation: Cancellation,
): Promise<HeldPlaces> {
  const most = Math.min(...places.map((bounds) => mostOfOneKey(bounds)))
  const count = wanted.isDivisible ? Math.min(wanted.count, most) : wanted.count
  if (count > most)
    throw asWritten(
      call,
      new GatewayError(
        'unsupported_value',
        `'n' asks for ${count} answers at once, and one key may have ${most} calls there`,
        { param: 'n' },
      ),
    )
  const tickets: Ticket[] = []
  const leaving = { cancelled: () => leaveAll(tickets) }
  cancellation.add(leaving)
  try {
    for (const { name, ...bounds } of places) {
      const patience = wanted.mayWait ? bounds : { ...bounds, waitMs: 0 }
      const ticket = enter(gateway, { name, key: call.key.id, bounds: patience, count })
      tickets.push(ticket)
      // Taken one by one in the same order by all callers, which prevents deadlocks.
      if (ticket.entered) await ticket.entered
    }
    return new HeldPlaces(tickets, count)
  } catch (thrown) {
    leaveAll(tickets)
    if (cancellation.isCancelled) throw cancellation.error
    throw full(places, thrown)
  } finally {
    cancellation.remove(leaving)
  }
}

interface Entering {
  readonly name: string
  readonly key: string
  readonly bounds: EntranceBounds
  readonly count: number
}

function enter({ upstreamPlaces }: Gateway, { name, key, bounds, count }: Entering): Ticket {
  return upstreamPlaces(name).enter(key, bounds, count)
}

function leaveAll(tickets: readonly Ticket[]): void {
  for (const ticket of tickets) ticket.leave()
}

function full(places: Target['places'], thrown: unknown): GatewayError {
  const { code } = GatewayError.from(thrown)
  if (code !== 'overloaded' && code !== 'rate_limited') return GatewayError.from(thrown)
  const names = places.map(({ name, inside }) => `${name} (${inside})`).join(' and ')
  return new GatewayError('overloaded', `The concurrency limit is reached at ${names}`, {
    retryAfterMs,
    cause: thrown,
  })
}
