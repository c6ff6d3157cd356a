import type { BudgetClaim, Limiter, Recall } from '../ports/limiter.ts'

/** Reads what was spent of budgets that a limiter does not know: of many who ask for one at once, one reads it. */
export class Recalls {
  readonly #recall: Recall
  readonly #seed: Limiter['seed']
  /** By window and bucket. */
  readonly #reading = new Map<string, Promise<void>>()

  constructor(recall: Recall, seed: Limiter['seed']) {
    this.#recall = recall
    this.#seed = seed
  }

  /** Another one's reading may fail for a reason of its own, such as the end of its process: then it is read once more. */
  read(claim: BudgetClaim, isAgain = false): Promise<void> {
    const name = `${claim.window}:${claim.bucket}`
    const reading = this.#reading.get(name)
    if (reading) return isAgain ? reading : reading.catch(() => this.read(claim, true))
    const own = this.#read(claim).finally(() => this.#reading.delete(name))
    this.#reading.set(name, own)
    return own
  }

  async #read(claim: BudgetClaim): Promise<void> {
    await this.#seed(claim, await this.#recall(claim))
  }
}
