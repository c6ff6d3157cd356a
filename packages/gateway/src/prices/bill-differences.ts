import { moneyOfMicroUsd, usdOf } from '@sluice/contract'
import type { Billed } from './provider-exports.ts'

/** The ledger's sums for a model on a day. */
export interface LedgerSums {
  /** A time; its first ten characters are the day. */
  readonly day: string
  readonly model: string
  /** Null if unknown. */
  readonly costMicroUsd: number | null
  readonly inputTokens: number
  readonly outputTokens: number
}

/** Smaller differences are rounding, because providers round each line. */
const roundingUsdMax = 0.005

/** A difference between a bill and the ledger. */
export interface Difference {
  readonly day: string
  readonly model: string
  readonly of: 'USD' | 'input tokens' | 'output tokens'
  readonly billed: number
  readonly ledger: number
}

/** All differences, by day and model, including usage in the ledger that was not billed. */
export function differencesOf(
  rows: readonly Billed[],
  ledger: readonly LedgerSums[],
): readonly Difference[] {
  const names = new Set(ledger.map(({ model }) => model))
  const ofDay = Map.groupBy(ledger, ({ day }) => day.slice(0, 10))
  const billedNames = new Set(rows.map(({ model }) => model))
  const taken = new Set<LedgerSums>()
  const found = rows.flatMap((row) => {
    const own = (ofDay.get(row.day) ?? []).filter((sums) =>
      isModel(sums.model, row.model, names, billedNames),
    )
    for (const sums of own) taken.add(sums)
    return differencesIn(row, own)
  })
  const billed = (['costUsd', 'inputTokens', 'outputTokens'] as const).filter((name) =>
    rows.some((row) => row[name] !== undefined),
  )
  const zero = Object.fromEntries(billed.map((name) => [name, 0]))
  const unbilled = ledger
    .filter((sums) => !taken.has(sums))
    .flatMap((sums) =>
      differencesIn({ day: sums.day.slice(0, 10), model: sums.model, ...zero }, [sums]),
    )
  return [...found, ...unbilled].toSorted((a, b) =>
    `${a.day} ${a.model}` < `${b.day} ${b.model}` ? -1 : 1,
  )
}

/**
 * Whether two names are the same model, ignoring a date suffix if it is unambiguous. An empty name, from an export without
 * models, matches all.
 */
function isModel(
  own: string,
  billed: string,
  names: ReadonlySet<string>,
  billedNames: ReadonlySet<string>,
): boolean {
  if (billed === '' || own === billed) return true
  const dated = /-(?:\d{8}|\d{4}-\d\d-\d\d)$/
  if (own.replace(dated, '') === billed) return !billedNames.has(own)
  return billed.replace(dated, '') === own && !names.has(billed)
}

function differencesIn(row: Billed, own: readonly LedgerSums[]): readonly Difference[] {
  const total = (name: 'inputTokens' | 'outputTokens') =>
    own.reduce((sum, sums) => sum + sums[name], 0)
  const spent = own.reduce((sum, { costMicroUsd }) => sum + moneyOfMicroUsd(costMicroUsd ?? 0), 0n)
  const { day, model, costUsd, inputTokens, outputTokens } = row
  const all: readonly (readonly [Difference['of'], number | undefined, number])[] = [
    ['USD', costUsd, usdOf(spent)],
    ['input tokens', inputTokens, total('inputTokens')],
    ['output tokens', outputTokens, total('outputTokens')],
  ]
  return all.flatMap(([of, billed, ledger]) =>
    billed === undefined || Math.abs(billed - ledger) < (of === 'USD' ? roundingUsdMax : 1)
      ? []
      : [{ day, model, of, billed, ledger }],
  )
}
