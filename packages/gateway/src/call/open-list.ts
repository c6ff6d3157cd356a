/** An item of an OpenList. It can be in one list at a time. */
export interface Listed {
  /** Its index in the list; negative if in none. Only the list changes it. */
  place: number
}

/**
 * An unordered list of open items; adding and removing take constant time. Not a Set: V8 links each outgrown hash
 * table to its successor, so one outgrown table in old space keeps all later ones and their items alive until the
 * next full collection.
 */
export class OpenList<Item extends Listed> {
  readonly #items: Item[] = []
  /** Only the list changes it. */
  size = 0

  /** A snapshot of the current items. */
  all(): readonly Item[] {
    return [...this.#items]
  }

  add(item: Item): void {
    item.place = this.size
    this.size = this.#items.push(item)
  }

  /** Does nothing if the item is not in the list. */
  remove(item: Item): void {
    if (item.place < 0) return
    const last = this.#items.pop()
    if (last && last !== item) {
      this.#items[item.place] = last
      last.place = item.place
    }
    item.place = -1
    this.size = this.#items.length
  }
}
