import type { Budget, Holder } from '../ports/account.ts'
import type { Alert } from '../ports/alert.ts'
import type { BudgetClaim, Claim, Level, Limiter } from '../ports/limiter.ts'

/** How long what was used is gathered before it is looked at. */
const lookMs = 250
/** Budgets that are looked at together; those of more are looked at when they are used again. */
const touchedMax = 10_000
/** From how much of a budget, in percent, its holder is warned. */
const warningPercent = 80

/** A claim on somebody's budget. */
type Held = BudgetClaim & { readonly holder: Holder; readonly budget: Budget }

interface Touched {
  readonly claim: Held
  isRefused: boolean
}

export interface BudgetWatchOptions {
  readonly limiter: Pick<Limiter, 'look'>
  readonly raise: (alert: Alert) => void
  /** Whether anybody wants to be told. */
  readonly isWanted: () => boolean
  readonly now: () => number
}

/**
 * Looks how much is left of budgets after calls have used them, a little later and of all together: no call waits for it, and a
 * limiter that is elsewhere is asked a few times a second at most.
 */
export class BudgetWatch implements Disposable {
  readonly #options: BudgetWatchOptions
  #touched = new Map<string, Touched>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: BudgetWatchOptions) {
    this.#options = options
  }

  /** These claims were settled, or the one at `refused` was refused. */
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

  #add(claim: Held, isRefused: boolean): void {
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
      for (const [index, one] of touched.entries()) this.#tell(one, levels[index])
    } catch {
      // What holds the limits is away.
      for (const { claim, isRefused } of touched) this.#add(claim, isRefused)
    }
  }

  #tell({ claim, isRefused }: Touched, level: Level | undefined): void {
    if (!level) return
    const { raise, now } = this.#options
    const { holder, budget, window } = claim
    const { limit, usedMicroUsd } = usedOf(claim, level)
    const isCalendar = typeof window !== 'number' && Number.isFinite(level.resetMs)
    const until = isCalendar ? now() + level.resetMs : undefined
    const told = { holder, budget, usedMicroUsd, until }
    // Of 0 nothing is ever used.
    if (limit > 0 && usedMicroUsd >= (limit * warningPercent) / 100)
      raise({ event: 'budget.warning', ...told })
    if (limit > 0 && usedMicroUsd >= limit) raise({ event: 'budget.spent', ...told })
    if (isRefused) raise({ event: 'budget.refused', ...told })
  }
}

function usedOf({ limit }: Held, { remaining }: Level) {
  return { limit, usedMicroUsd: limit - remaining }
}

function isHeld(claim: BudgetClaim & Partial<Held>): claim is Held {
  return claim.holder !== undefined && claim.budget !== undefined
}
