/** Something that can be in one list of what is open. */
export interface Listed {
  /** Where it stands there; negative when it is in none. Only the list changes it. */
  place: number
}

/**
 * What is open now, in no order; adding and removing take the same time however many there are. Not a Set, since V8's
 * points from each table that it outgrew to the next one: one such table among old objects keeps all later ones, with
 * what was in them, until the next full collection.
 */
export class OpenList<Item extends Listed> {
  readonly #items: Item[] = []

  get size(): number {
    return this.#items.length
  }

  /** Those that are in it now; what changes the list meanwhile does not change these. */
  all(): readonly Item[] {
    return [...this.#items]
  }

  add(item: Item): void {
    item.place = this.#items.push(item) - 1
  }

  /** Does nothing for one that is not in it. */
  remove(item: Item): void {
    if (item.place < 0) return
    const last = this.#items.pop()
    if (last && last !== item) {
      this.#items[item.place] = last
      last.place = item.place
    }
    item.place = -1
  }
}
