import { FairQueue, GatewayError } from '@sluice/contract'
import {
  type Entrance,
  type EntranceBounds,
  type EntranceLevel,
  mostOfOneKey,
  type Ticket,
} from '../ports/entrance.ts'

/** The number of keys whose count is kept while it is 0. */
const keysMax = 10_000
const retryAfterMs = 1_000

/** The entrance of a single process. Idle keys are not kept for long. */
export function createEntrance(): Entrance {
  return new MemoryEntrance()
}

class MemoryEntrance implements Entrance {
  /** A count of 0 is kept for a while: a Map that shrinks and grows with each request leaves garbage in old space. */
  readonly #held = new Map<string, number>()
  #inside = 0
  #most: EntranceBounds = { inside: 0, waiting: 0, waitMs: 0 }
  #queue = queueOf(this.#most)

  enter(key: string, bounds: EntranceBounds, count = 1): Ticket {
    this.#take(bounds)
    const place = new Place(this, key, count)
    if (this.mayEnter(place)) this.#letIn(place)
    else {
      if (bounds.waitMs === 0) throw tooMany()
      this.#queue.assertRoom(key)
      this.#queue.add(key, place)
      place.wait(bounds.waitMs)
    }
    return place
  }

  look(): EntranceLevel {
    return { inside: this.#inside, waiting: this.#queue.size }
  }

  mayEnter({ key, count }: Place): boolean {
    if (this.#inside + count > this.#most.inside) return false
    return (this.#held.get(key) ?? 0) + count <= mostOfOneKey(this.#most)
  }

  /** Releases the slots of a request that was admitted. */
  free({ key, count }: Place): void {
    this.#inside -= count
    const held = (this.#held.get(key) ?? count) - count
    if (held === 0 && this.#held.size > keysMax) this.#held.delete(key)
    else this.#held.set(key, held)
    this.#letNextIn()
  }

  forget(place: Place): void {
    this.#queue.remove(place)
    // The next request of the same key may need fewer slots.
    if (place.count > 1) this.#letNextIn()
  }

  #letIn(place: Place): void {
    this.#inside += place.count
    this.#held.set(place.key, (this.#held.get(place.key) ?? 0) + place.count)
    place.isIn = true
  }

  #letNextIn(): void {
    for (;;) {
      const next = this.#queue.take((_key, place) => this.mayEnter(place))
      if (!next) return
      this.#letIn(next)
      next.enter()
    }
  }

  /** Applies the bounds, which may have changed with the configuration. */
  #take(bounds: EntranceBounds): void {
    const { inside, waiting } = this.#most
    if (inside === bounds.inside && waiting === bounds.waiting) return
    this.#most = bounds
    const before = this.#queue.clear()
    this.#queue = queueOf(bounds)
    for (const place of before) this.#queue.add(place.key, place)
    this.#letNextIn()
  }
}

function queueOf({ waiting }: EntranceBounds): FairQueue<Place> {
  const waitingPerKeyMax = Math.ceil(waiting / 2)
  return new FairQueue({ of: 'requests', waitingMax: waiting, waitingPerKeyMax })
}

class Place implements Ticket {
  readonly key: string
  readonly count: number
  readonly #entrance: MemoryEntrance
  isIn = false
  #isOver = false
  #waited: PromiseWithResolvers<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(entrance: MemoryEntrance, key: string, count: number) {
    this.#entrance = entrance
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
    if (this.isIn && !this.#isOver) this.#entrance.free(this)
    else if (!this.#isOver) this.#giveUp(new GatewayError('cancelled', 'The caller went away'))
    this.#isOver = true
  }

  #giveUp(why: GatewayError): void {
    clearTimeout(this.#timer)
    this.#isOver = true
    this.#entrance.forget(this)
    this.#waited?.reject(why)
  }
}

function tooMany(): GatewayError {
  const text = 'The gateway has reached its limit of concurrent requests'
  return new GatewayError('overloaded', text, { retryAfterMs })
}
