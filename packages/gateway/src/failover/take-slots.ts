import { GatewayError } from '@sluice/contract'
import { mostOfOneKey, type SlotTicket } from '../ports/slot-queue.ts'
import type { Cancellation } from '../call/cancellation.ts'
import { type HeldRoom, TakenSlots } from '../attempt/taken-slots.ts'
import type { CallParts } from '../attempt/call-parts.ts'
import type { Target } from '../route/routing.ts'
import { asWritten, type CallRun } from '../attempt/call-run.ts'
import { takeRates, tokensOf } from './take-rates.ts'

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
 * Takes the room for one try at a target that has limits. If no slot is free, waits in turn with other keys. Rejects with
 * `overloaded` if none becomes free in time, as `takeRates` if the target is at a limit per minute, and with the error of the
 * cancellation if the call is cancelled.
 */
export async function takeSlots(
  run: CallRun,
  target: Target,
  wanted: Wanted,
  cancellation: Cancellation,
): Promise<TakenSlots> {
  const { gateway, call } = run
  const { slots, rates, countedAs } = target
  const most = Math.min(...slots.map((bounds) => mostOfOneKey(bounds)))
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
  const tickets: SlotTicket[] = []
  const held: HeldRoom[] = []
  const leaving = { cancelled: () => leaveAll(tickets) }
  cancellation.add(leaving)
  try {
    // First, so that calls which wait here count as well.
    if (countedAs !== undefined) held.push(gateway.health.loads.begin(countedAs, tokensOf(run)))
    const entering = { key: call.key.id, count, mayWait: wanted.mayWait }
    if (slots.length > 0) await enterAll(gateway, slots, entering, tickets)
    // Last, because it is not given back while slots are waited for.
    if (rates.length > 0) held.push(await takeRates(run, target, count))
    if (cancellation.isCancelled) throw cancellation.error
    return new TakenSlots(tickets, held, count)
  } catch (thrown) {
    leaveAll(tickets)
    for (const one of held) one.leave({ requests: 0, tokens: 0 })
    if (cancellation.isCancelled) throw cancellation.error
    throw GatewayError.from(thrown)
  } finally {
    cancellation.remove(leaving)
  }
}

interface Entering {
  readonly key: string
  readonly count: number
  readonly mayWait: boolean
}

/** Takes slots one by one, in the same order for all callers, which prevents deadlocks. `tickets` are those that have been asked for. */
async function enterAll(
  { upstreamSlots }: Pick<CallParts, 'upstreamSlots'>,
  slots: Target['slots'],
  { key, count, mayWait }: Entering,
  tickets: SlotTicket[],
): Promise<void> {
  try {
    for (const { name, ...bounds } of slots) {
      const patience = mayWait ? bounds : { ...bounds, waitMs: 0 }
      const ticket = upstreamSlots(name).enter(key, patience, count)
      tickets.push(ticket)
      if (ticket.entered) await ticket.entered
    }
  } catch (thrown) {
    throw full(slots, thrown)
  }
}

function leaveAll(tickets: readonly SlotTicket[]): void {
  for (const ticket of tickets) ticket.leave()
}

function full(slots: Target['slots'], thrown: unknown): GatewayError {
  const { code } = GatewayError.from(thrown)
  if (code !== 'overloaded' && code !== 'rate_limited') return GatewayError.from(thrown)
  const names = slots.map(({ name, inside }) => `${name} (${inside})`).join(' and ')
  return new GatewayError('overloaded', `The concurrency limit is reached at ${names}`, {
    retryAfterMs,
    cause: thrown,
  })
}
