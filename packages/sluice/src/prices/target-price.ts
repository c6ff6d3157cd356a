import type { OperationName } from '@sluice/contract'
import { freePrice, type PriceBook, type PricedTarget } from './book.ts'
import { type Cost, cost, type CostPart, costParts, type PricedUsage } from './cost.ts'
import type { Price, PriceInput } from './price.ts'

/** The price of one target. It is cached and looked up again regularly, because some prices depend on the time of day. */
export interface TargetPrice {
  /** Whether it is free whatever it uses, even if usage is unknown. */
  readonly isFree: boolean
  /** Loads what is needed; must be awaited before the first cost. */
  open(): Promise<void> | undefined
  /** The price as written, at a moment; undefined if unknown. */
  written(at: number): PriceInput | undefined
  /** The cost of a call that began at `at`; null if unknown, which is reported once. */
  cost(usage: PricedUsage, operation: OperationName, at: number): Cost | null
  /** The parts of the cost; empty if it is free. */
  parts(usage: PricedUsage, operation: OperationName, at: number): readonly CostPart[] | null
}

export interface TargetPrices {
  of(target: PricedTarget): TargetPrice
}

/** How long a price is cached, in milliseconds; none changes more often. */
const validMs = 15 * 60_000
/** Maximum number of targets reported, because callers can invent model names. */
const warnedMax = 1_000

/** `unknown` is called once per target with an unknown cost. */
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

/** The price of a target that is always free, such as the built-in engine. */
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
