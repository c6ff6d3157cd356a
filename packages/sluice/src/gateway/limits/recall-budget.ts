import { type Money, nanoUsdOf } from '@sluice/contract'
import type { BudgetClaim, BudgetWindow, Spent } from '../../ports/limiter.ts'
import type { Store } from '../../ports/store.ts'
import type { SpentGroup, UsageScope } from '../../ports/usage-book.ts'
import { countsAttempt, type HeldClaim } from './claims.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** 1 January 1970 was a Thursday. */
const daysSinceMonday = 3
/**
 * Maximum difference between the clocks of gateways and limiters. Spending within it still counts in the right
 * window.
 */
const clocksMs = hourMs
/** Maximum number of provider and model pairs of one holder. */
const modelsMax = 100_000
/** More than any rolling window has. */
const hoursMax = 100_000

/**
 * Reads from the ledger what was spent of a budget in its current window, for a limiter without that state. In a
 * rolling window, spending counts from the end of its hour. Attempts with unknown cost count as reserved. Where
 * records were removed, their sums count, which know only the names of targets.
 */
export async function recallBudget(
  { book, flush }: Pick<Store, 'book' | 'flush'>,
  claim: BudgetClaim & Partial<HeldClaim>,
  now: number,
): Promise<readonly Spent[]> {
  const { holder, budget, window } = claim
  if (!holder || !budget) return []
  await flush()
  while ((await book.fold()) > 0);
  const { model, tag } = budget
  const scope = {
    from: startOf(window, now),
    only: { [holder.kind]: holder.id, ...(tag !== undefined && { tag }) },
  }
  const summed = model === undefined ? await recallSummed(book, scope, { window, now }) : undefined
  return summed ?? recallRecords(book, scope, { model, now })
}

type Scope = Pick<UsageScope, 'from' | 'only'>

/**
 * Reads the sums, for a budget that covers all models. Records are read only for attempts with unknown cost.
 * Undefined if the sums are behind the records.
 */
async function recallSummed(
  book: Store['book'],
  { from, only }: Scope,
  { window, now }: { readonly window: BudgetWindow; readonly now: number },
): Promise<readonly Spent[] | undefined> {
  // Near the end of a window the limiter's clock may be in another window. It then gets the hours and picks those of
  // its own window.
  const early = Math.min(from, startOf(window, now - clocksMs))
  const isByHour = typeof window === 'number' || early !== startOf(window, now + clocksMs)
  const { groups, total, pending } = await book.sums({
    from: early - (early % hourMs),
    to: endOfHour(now + clocksMs),
    only,
    by: isByHour ? ['hour'] : [],
    limit: hoursMax,
  })
  if (pending > 0) return undefined
  const spent = isByHour
    ? groups.map(({ of: [hour], sums }) => ({ hour: Number(hour), money: sums.cost }))
    : [{ hour: now - (now % hourMs), money: total.cost }]
  if (total.unknownCosts === 0) return byHour(spent, now)
  const unknown = await book.spent({ from, only, isUnknown: true })
  return byHour([...spent, ...unknown], now)
}

/** Reads the records, which know the requested names, and the sums where records were removed. */
async function recallRecords(
  book: Store['book'],
  { from, only }: Scope,
  { model, now }: { readonly model: string | undefined; readonly now: number },
): Promise<readonly Spent[]> {
  const groups = await book.spent({ from, only })
  const counted =
    model === undefined ? groups : groups.filter((group) => countsAttempt(model, group))
  const spent = byHour(counted, now)
  const summed = await sumOf(book, { from, now, model, only })
  const missing = summed - counted.reduce((total, { money }) => total + money, 0n)
  return missing > 0n ? [...spent, { at: now, nanoUsd: nanoUsdOf(missing) }] : spent
}

function endOfHour(at: number): number {
  return at - (at % hourMs) + hourMs
}

function byHour(
  groups: readonly Pick<SpentGroup, 'hour' | 'money'>[],
  now: number,
): readonly Spent[] {
  const hours = new Map<number, Money>()
  for (const { hour, money } of groups) hours.set(hour, (hours.get(hour) ?? 0n) + money)
  return [...hours]
    .toSorted(([one], [other]) => one - other)
    .map(([hour, money]) => ({
      at: Math.max(hour, Math.min(hour + hourMs - 1, now)),
      nanoUsd: nanoUsdOf(money),
    }))
}

interface Summed {
  readonly from: number
  readonly now: number
  readonly model: string | undefined
  readonly only: Readonly<Record<string, string>>
}

async function sumOf(book: Store['book'], { from, now, model, only }: Summed): Promise<Money> {
  const { groups, total } = await book.sums({
    from: from + ((hourMs - (from % hourMs)) % hourMs),
    to: endOfHour(now + clocksMs),
    only,
    by: model === undefined ? [] : ['provider', 'model'],
    limit: modelsMax,
  })
  if (model === undefined) return total.cost
  let spent = 0n
  for (const { of, sums } of groups) {
    const [provider, name] = of.map(String)
    if (
      provider !== undefined &&
      name !== undefined &&
      countsAttempt(model, { provider, model: name })
    )
      spent += sums.cost
  }
  return spent
}

function startOf(window: BudgetWindow, now: number): number {
  if (window === 'lifetime') return 0
  if (typeof window === 'number') return now - window * hourMs
  const day = now - (now % dayMs)
  if (window === 'day') return day
  if (window === 'week') return day - ((day / dayMs + daysSinceMonday) % 7) * dayMs
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}
