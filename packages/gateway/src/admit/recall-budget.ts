import { type Money, nanoPerMicro, nanoUsdOf } from '@sluice/contract'
import { startOf } from '../accounts/budget-windows.ts'
import type { Budget } from '../ports/account.ts'
import type { BudgetClaim, BudgetWindow, Spent } from '../ports/limiter.ts'
import type { Store } from '../ports/store.ts'
import type { SpentGroup, UsageScope } from '../ports/usage-store.ts'
import { countsAttempt, type HolderClaim } from './claims.ts'

const hourMs = 3_600_000
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
 * Finds what was spent of a budget in its current window, for a limiter without that state: what it was imported with, and what
 * the ledger has. In a rolling window, spending counts from the end of its hour. Attempts with unknown cost count as reserved.
 * Where records were removed, their sums count, which know only the names of targets.
 */
export async function recallBudget(
  store: Pick<Store, 'usage' | 'flush'>,
  { holder, budget, window }: BudgetClaim & Partial<HolderClaim>,
  now: number,
): Promise<readonly Spent[]> {
  if (!holder || !budget) return []
  const recorded = await recallRecorded(store, { holder, budget, window }, now)
  return [...carriedOf(budget), ...recorded]
}

/** What an imported budget had been spent elsewhere, unless it was reset since; the limiter knows whether that still counts. */
function carriedOf({ carried, resetAt = 0 }: Budget): readonly Spent[] {
  if (!carried || carried.at < resetAt) return []
  return [{ at: carried.at, nanoUsd: carried.microUsd * nanoPerMicro }]
}

async function recallRecorded(
  { usage, flush }: Pick<Store, 'usage' | 'flush'>,
  {
    holder,
    budget,
    window,
  }: Pick<BudgetClaim, 'window'> & Required<Pick<HolderClaim, 'holder' | 'budget'>>,
  now: number,
): Promise<readonly Spent[]> {
  await flush()
  while ((await usage.fold()) > 0);
  const { model, tag, resetAt = 0 } = budget
  const scope = {
    from: Math.max(startOf(window, now), resetAt),
    only: { [holder.kind]: holder.id, ...(tag !== undefined && { tag }) },
  }
  const moment = { window, now, resetAt }
  const summed = model === undefined ? await recallSummed(usage, scope, moment) : undefined
  return summed ?? recallRecords(usage, scope, { model, now })
}

type Scope = Pick<UsageScope, 'from' | 'only'>

/**
 * Reads the sums, for a budget that covers all models. Records are read only for attempts with unknown cost.
 * Undefined if the sums are behind the records.
 */
async function recallSummed(
  usage: Store['usage'],
  { from, only }: Scope,
  {
    window,
    now,
    resetAt,
  }: { readonly window: BudgetWindow; readonly now: number; readonly resetAt: number },
): Promise<readonly Spent[] | undefined> {
  // Near the end of a window the limiter's clock may be in another window. It then gets the hours and picks those of
  // its own window.
  const early = Math.max(resetAt, Math.min(from, startOf(window, now - clocksMs)))
  const turn = startOf(window, now + clocksMs)
  const isByHour = typeof window === 'number' || early !== turn
  // Sums do not tell what of an hour was before and after a turn within it, as some time zones have it.
  if (isByHour && typeof window !== 'number' && turn % hourMs !== 0 && turn > resetAt)
    return undefined
  // Windows begin within an hour in some time zones, and after a reset. The rest of that hour is read from the records.
  const isRolling = typeof window === 'number' && early > resetAt
  const firstHour = isRolling ? early - (early % hourMs) : nextHour(early)
  const { groups, total, pending } = await usage.sums({
    from: firstHour,
    to: endOfHour(now + clocksMs),
    only,
    by: isByHour ? ['hour'] : [],
    limit: hoursMax,
  })
  if (pending > 0) return undefined
  const spent = isByHour
    ? groups.map(({ of: [hour], sums }) => ({ hour: Number(hour), money: sums.cost }))
    : [{ hour: now - (now % hourMs), money: total.cost }]
  const part = firstHour > early ? await usage.spent({ from: early, to: firstHour, only }) : []
  if (total.unknownCosts === 0) return byHour([...spent, ...part], now)
  const unknown = await usage.spent({ from: Math.max(from, firstHour), only, isUnknown: true })
  return byHour([...spent, ...part, ...unknown], now)
}

/** Reads the records, which know the requested names, and the sums where records were removed. */
async function recallRecords(
  usage: Store['usage'],
  { from, only }: Scope,
  { model, now }: { readonly model: string | undefined; readonly now: number },
): Promise<readonly Spent[]> {
  const groups = await usage.spent({ from, only })
  const counted =
    model === undefined ? groups : groups.filter((group) => countsAttempt(model, group))
  const spent = byHour(counted, now)
  const summed = await sumOf(usage, { from, now, model, only })
  const missing = summed - counted.reduce((total, { money }) => total + money, 0n)
  return missing > 0n ? [...spent, { at: now, nanoUsd: nanoUsdOf(missing) }] : spent
}

/** The first full hour that has not begun. */
function nextHour(at: number): number {
  return Math.ceil(at / hourMs) * hourMs
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

async function sumOf(usage: Store['usage'], { from, now, model, only }: Summed): Promise<Money> {
  const { groups, total } = await usage.sums({
    from: nextHour(from),
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
