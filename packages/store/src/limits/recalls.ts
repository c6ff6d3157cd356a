import type { BudgetClaim, Limiter, Recall } from '@sluice/gateway/ports/limiter.ts'

/** Reads what was spent of budgets that a limiter does not know. Concurrent requests for the same budget share one read. */
export class Recalls {
  readonly #recall: Recall
  readonly #seed: Limiter['seed']
  /** By window and bucket. */
  readonly #reading = new Map<string, Promise<void>>()

  constructor(recall: Recall, seed: Limiter['seed']) {
    this.#recall = recall
    this.#seed = seed
  }

  /** A shared read may fail for a reason of its initiator, such as the end of its process; it is then repeated once. */
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
