import { FairQueue, GatewayError } from '@sluice/contract'
import {
  mostOfOneKey,
  type SlotLimits,
  type SlotQueue,
  type SlotTicket,
  type SlotUsage,
} from '@sluice/gateway/ports/slot-queue.ts'

/** The number of keys whose count is kept while it is 0. */
const keysMax = 10_000
const retryAfterMs = 1_000

/** The slot queue of a single process. Idle keys are not kept for long. */
export function createSlotQueue(): SlotQueue {
  return new MemorySlotQueue()
}

class MemorySlotQueue implements SlotQueue {
  /** A count of 0 is kept for a while: a Map that shrinks and grows with each request leaves garbage in old space. */
  readonly #slotsByKey = new Map<string, number>()
  #inside = 0
  #limits: SlotLimits = { inside: 0, waiting: 0, waitMs: 0 }
  #queue = queueOf(this.#limits)

  enter(key: string, limits: SlotLimits, count = 1): SlotTicket {
    this.#apply(limits)
    const slot = new Slot(this, key, count)
    if (this.hasRoom(slot)) this.#admit(slot)
    else {
      if (limits.waitMs === 0) throw tooMany()
      this.#queue.assertRoom(key)
      this.#queue.add(key, slot)
      slot.wait(limits.waitMs)
    }
    return slot
  }

  look(): SlotUsage {
    return { inside: this.#inside, waiting: this.#queue.size }
  }

  hasRoom({ key, count }: Slot): boolean {
    if (this.#inside + count > this.#limits.inside) return false
    return (this.#slotsByKey.get(key) ?? 0) + count <= mostOfOneKey(this.#limits)
  }

  /** Releases the slots of a request that was admitted. */
  free({ key, count }: Slot): void {
    this.#inside -= count
    const rest = (this.#slotsByKey.get(key) ?? count) - count
    if (rest === 0 && this.#slotsByKey.size > keysMax) this.#slotsByKey.delete(key)
    else this.#slotsByKey.set(key, rest)
    this.#admitNext()
  }

  forget(slot: Slot): void {
    this.#queue.remove(slot)
    // The next request of the same key may need fewer slots.
    if (slot.count > 1) this.#admitNext()
  }

  #admit(slot: Slot): void {
    this.#inside += slot.count
    this.#slotsByKey.set(slot.key, (this.#slotsByKey.get(slot.key) ?? 0) + slot.count)
    slot.isIn = true
  }

  #admitNext(): void {
    for (;;) {
      const next = this.#queue.take((_key, slot) => this.hasRoom(slot))
      if (!next) return
      this.#admit(next)
      next.enter()
    }
  }

  /** Applies the limits, which may have changed with the configuration. */
  #apply(limits: SlotLimits): void {
    const { inside, waiting } = this.#limits
    if (inside === limits.inside && waiting === limits.waiting) return
    this.#limits = limits
    const before = this.#queue.clear()
    this.#queue = queueOf(limits)
    for (const slot of before) this.#queue.add(slot.key, slot)
    this.#admitNext()
  }
}

function queueOf({ waiting }: SlotLimits): FairQueue<Slot> {
  const waitingPerKeyMax = Math.ceil(waiting / 2)
  return new FairQueue({ of: 'requests', waitingMax: waiting, waitingPerKeyMax })
}

class Slot implements SlotTicket {
  readonly key: string
  readonly count: number
  readonly #queue: MemorySlotQueue
  isIn = false
  #isOver = false
  #waited: PromiseWithResolvers<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(queue: MemorySlotQueue, key: string, count: number) {
    this.#queue = queue
    this.key = key
    this.count = count
  }

  get entered(): Promise<void> | undefined {
    return this.#waited?.promise
  }

  wait(ms: number): void {
    this.#waited = Promise.withResolvers()
    this.#timer = setTimeout(() => this.#giveUp(tooMany()), ms)
  }

  enter(): void {
    clearTimeout(this.#timer)
    this.#waited?.resolve()
  }

  leave(): void {
    if (this.isIn && !this.#isOver) this.#queue.free(this)
    else if (!this.#isOver) this.#giveUp(new GatewayError('cancelled', 'The caller went away'))
    this.#isOver = true
  }

  #giveUp(why: GatewayError): void {
    clearTimeout(this.#timer)
    this.#isOver = true
    this.#queue.forget(this)
    this.#waited?.reject(why)
  }
}

function tooMany(): GatewayError {
  const text = 'The gateway has reached its limit of concurrent requests'
  return new GatewayError('overloaded', text, { retryAfterMs })
}
