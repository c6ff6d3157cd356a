import { nanoPerMicro } from '@sluice/contract'
import type { Budget, Holder } from '@sluice/gateway/ports/account.ts'
import { type Alert, budgetWarningPercent } from '@sluice/gateway/ports/alert.ts'
import type { BudgetClaim, Claim, LimitStatus, Limiter } from '@sluice/gateway/ports/limiter.ts'

/** How long used budgets are collected before they are checked. */
const lookMs = 250
/** Maximum number of budgets checked together; others are checked when they are next used. */
const touchedMax = 10_000

/** A claim on somebody's budget. */
type HolderBudgetClaim = BudgetClaim & { readonly holder: Holder; readonly budget: Budget }

interface Touched {
  readonly claim: HolderBudgetClaim
  isRefused: boolean
}

export interface BudgetWatchOptions {
  readonly limiter: Pick<Limiter, 'look'>
  readonly raise: (alert: Alert) => void
  /** Whether any webhook wants budget alerts. */
  readonly isWanted: () => boolean
  readonly now: () => number
}

/**
 * Checks what is left of budgets shortly after calls have used them, many at a time: no call waits for it, and a remote limiter
 * is asked at most a few times per second.
 */
export class BudgetWatch implements Disposable {
  readonly #options: BudgetWatchOptions
  #touched = new Map<string, Touched>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: BudgetWatchOptions) {
    this.#options = options
  }

  /** Called after these claims were settled, or the one at `refused` was refused. */
  touch(claims: readonly Claim[], refused = -1): void {
    if (!this.#options.isWanted()) return
    for (let index = 0; index < claims.length; index++) {
      const claim = claims[index]
      if (claim?.kind !== 'budget' || !isHeld(claim)) continue
      if (refused < 0 || index === refused) this.#add(claim, refused >= 0)
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#touched.clear()
  }

  #add(claim: HolderBudgetClaim, isRefused: boolean): void {
    const name = `${claim.window}:${claim.bucket}`
    const known = this.#touched.get(name)
    if (known) known.isRefused ||= isRefused
    else if (this.#touched.size < touchedMax) this.#touched.set(name, { claim, isRefused })
    this.#timer ??= setTimeout(() => void this.#look(), lookMs).unref()
  }

  async #look(): Promise<void> {
    const touched = [...this.#touched.values()]
    this.#touched = new Map()
    this.#timer = undefined
    try {
      const levels = await this.#options.limiter.look(touched.map(({ claim }) => claim))
      for (const [index, one] of touched.entries()) this.#raiseFor(one, levels[index])
    } catch {
      // The limiter is unavailable.
      for (const { claim, isRefused } of touched) this.#add(claim, isRefused)
    }
  }

  #raiseFor({ claim, isRefused }: Touched, level: LimitStatus | undefined): void {
    if (!level) return
    const { raise, now } = this.#options
    const { holder, budget, window } = claim
    const { limit } = claim
    const used = limit - level.remaining
    const isCalendar = typeof window !== 'number' && Number.isFinite(level.resetMs)
    const until = isCalendar ? now() + level.resetMs : undefined
    const state = { holder, budget, usedMicroUsd: used / nanoPerMicro, until }
    // A budget of 0 is never used.
    if (limit > 0 && used >= (limit * budgetWarningPercent) / 100)
      raise({ event: 'budget.warning', ...state })
    if (limit > 0 && used >= limit) raise({ event: 'budget.spent', ...state })
    if (isRefused) raise({ event: 'budget.refused', ...state })
  }
}

function isHeld(claim: BudgetClaim & Partial<HolderBudgetClaim>): claim is HolderBudgetClaim {
  return claim.holder !== undefined && claim.budget !== undefined
}
