import type { OperationName } from '@sluice/contract'
import { freePrice, type PriceBook, type PricedTarget } from './book.ts'
import { type Cost, cost, type CostPart, costParts, type PricedUsage } from './cost.ts'
import type { Price, PriceInput } from './price.ts'

/** The price of one target, found once and looked up again now and then: some change at an hour of the day. */
export interface TargetPrice {
  /** It costs nothing whatever it uses, and even where nobody says what. */
  readonly isFree: boolean
  /** Reads what is needed to know it; to be waited for before the first cost. */
  open(): Promise<void> | undefined
  /** How it is written down, at a moment; undefined where nobody knows it. */
  written(at: number): PriceInput | undefined
  /** What a call that began at `at` costs; null where nobody knows, of which is warned once. */
  cost(usage: PricedUsage, operation: OperationName, at: number): Cost | null
  /** The same part by part; empty where it costs nothing. */
  parts(usage: PricedUsage, operation: OperationName, at: number): readonly CostPart[] | null
}

export interface TargetPrices {
  of(target: PricedTarget): TargetPrice
}

/** No price changes more often, in milliseconds. */
const validMs = 15 * 60_000
/** Callers may make up names of models; so many are told apart. */
const warnedMax = 1_000

/** `unknown` is told once of each target whose cost is unknown. */
export function createTargetPrices(
  book: PriceBook,
  unknown: (target: PricedTarget, price: Price | undefined) => void,
): TargetPrices {
  const warned = new Set<string>()
  return {
    of(target) {
      let price: Price | undefined
      let period: number | undefined
      return {
        isFree: false,
        open: () => book.open(target),
        written: (at) => book.find(target, at)?.written,
        cost(usage, operation, at) {
          const now = Math.floor(at / validMs)
          if (now !== period) {
            price = book.find(target, at)
            period = now
          }
          const found = price ? cost(usage, operation, price) : null
          const id = `${target.provider}/${target.model}`
          if (!found && !warned.has(id) && warned.size < warnedMax) {
            warned.add(id)
            unknown(target, price)
          }
          return found
        },
        parts(usage, operation, at) {
          const then = book.find(target, at)
          return then ? costParts(usage, operation, then) : null
        },
      }
    },
  }
}

/** Of what costs nothing whatever is used, such as the built-in engine. */
export function freeTarget(source: string, date: string): TargetPrice {
  const price = freePrice(source, date)
  return {
    isFree: true,
    open: () => undefined,
    written: () => ({ rates: {}, source, date }),
    cost: (usage, operation) => cost({ ...usage, serverToolCalls: {} }, operation, price),
    parts: () => [],
  }
}
