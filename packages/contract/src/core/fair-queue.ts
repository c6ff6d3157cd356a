import { GatewayError } from './errors.ts'

export interface FairQueueOptions {
  /** The name of the waiting items in the plural, for messages: `videos`. */
  readonly of: string
  /** Maximum waiting items of all keys together. Further ones are rejected as `overloaded`. */
  readonly waitingMax: number
  /** Maximum waiting items of one key. Further ones are rejected as `rate_limited`, even if there is room for other keys. */
  readonly waitingPerKeyMax: number
}

/** A queue with one line per key. The keys take turns, so that nobody waits for everything that another key has sent. */
export class FairQueue<Item> {
  readonly #options: FairQueueOptions
  /** The key whose turn is next comes first. No line is empty. */
  readonly #lines = new Map<string, Item[]>()
  #size = 0

  constructor(options: FairQueueOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#size
  }

  /** Throws rate_limited if the key has its maximum waiting already, and overloaded if the queue is full. */
  assertRoom(key: string): void {
    const { of, waitingMax, waitingPerKeyMax } = this.#options
    const own = this.#lines.get(key)?.length ?? 0
    if (own >= waitingPerKeyMax)
      throw new GatewayError(
        'rate_limited',
        `${own} ${of} of this key are waiting already; try again when one is done`,
      )
    if (this.#size >= waitingMax)
      throw new GatewayError('overloaded', `Too many ${of} are waiting; try again later`)
  }

  add(key: string, item: Item): void {
    const line = this.#lines.get(key)
    if (line === undefined) this.#lines.set(key, [item])
    else line.push(item)
    this.#size += 1
  }

  /** Takes the oldest item of the next key that may have a turn. That key then becomes the last in turn. */
  take(may: (key: string, item: Item) => boolean): Item | undefined {
    for (const [key, line] of this.#lines) {
      const [first] = line
      if (first === undefined || !may(key, first)) continue
      const item = line.shift()
      this.#size -= 1
      this.#lines.delete(key)
      if (line.length > 0) this.#lines.set(key, line)
      return item
    }
    return undefined
  }

  find(is: (item: Item) => boolean): Item | undefined {
    return [...this.#lines.values()].flat().find(is)
  }

  /** Removes an item; false if it is not waiting. */
  remove(item: Item): boolean {
    for (const [key, line] of this.#lines) {
      const at = line.indexOf(item)
      if (at < 0) continue
      line.splice(at, 1)
      if (line.length === 0) this.#lines.delete(key)
      this.#size -= 1
      return true
    }
    return false
  }

  /** Removes everything. */
  clear(): readonly Item[] {
    const items = [...this.#lines.values()].flat()
    this.#lines.clear()
    this.#size = 0
    return items
  }
}
