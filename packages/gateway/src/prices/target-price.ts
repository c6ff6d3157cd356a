import { noUsage, type OperationName, type Usage } from '@sluice/contract'
import { freePrice, type PriceBook, type PricedTarget } from './book.ts'
import { type Cost, cost, type CostPart, costParts, knownCost, type PricedUsage } from './cost.ts'
import type { Price, PriceInput } from './price.ts'

/** The price of one target. It is cached and looked up again regularly, because some prices depend on the time of day. */
export interface TargetPrice {
  /** Whether it is free whatever it uses, even if usage is unknown. */
  readonly isFree: boolean
  /** Loads what is needed; must be awaited before the first cost. */
  open(): Promise<void> | undefined
  /** The price as written, at a moment; undefined if unknown. */
  written(at: number): PriceInput | undefined
  /**
   * The cost of a call that began at `at`: what the provider charged, otherwise what its usage costs. Without usage it is known
   * only if it does not depend on any. Null if it is unknown, which is reported once.
   */
  cost(usage: PricedUsage | undefined, operation: OperationName, at: number): Cost | null
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

/**
 * Providers of the catalogue whose responses say what they charge, in US dollars and with everything in it. What others say is
 * kept beside the cost, but it may be in another currency, in credits, or the price to somebody else.
 */
const chargingProviders: ReadonlySet<string> = new Set([
  'deepinfra',
  'openrouter',
  'perplexity',
  'xai',
])

/** The source of such a cost. */
const chargedSource = 'charged by the provider'

/** `unknown` is called once per target and reason for an unknown cost. */
export function createTargetPrices(
  book: PriceBook,
  unknown: (target: PricedTarget, reason: string) => void,
): TargetPrices {
  const warned = new Set<string>()
  const report = (target: PricedTarget, reason: string): void => {
    const id = `${target.provider}/${target.model} ${reason}`
    if (warned.has(id) || warned.size >= warnedMax) return
    warned.add(id)
    unknown(target, reason)
  }
  return {
    of(target) {
      let price: Price | undefined
      let period: number | undefined
      const priceAt = (at: number): Price | undefined => {
        const now = Math.floor(at / validMs)
        if (now !== period) {
          price = book.find(target, at)
          period = now
        }
        return price
      }
      return {
        isFree: false,
        open: () => book.open(target),
        written: (at) => priceAt(at)?.written,
        cost(usage, operation, at) {
          const then = priceAt(at)
          const found = costOf(target, then, { usage, operation })
          if (!found) report(target, whyUnknown(usage, then))
          return found
        },
        parts(usage, operation, at) {
          const then = book.find(target, at)
          const usd = chargeOf(usage, target, then)
          if (usd !== undefined)
            return [{ kind: 'charged', quantity: 1, microUsd: usd * 1_000_000 }]
          return then ? costParts(usage, operation, then) : null
        },
      }
    },
  }
}

function whyUnknown(usage: PricedUsage | undefined, price: Price | undefined): string {
  if (!price) return 'it has no price'
  const tools = Object.entries(usage?.serverToolCalls ?? {})
    .filter(([name, calls]) => calls > 0 && !price.tools.has(name))
    .map(([name]) => `tools.${name}`.slice(0, 60))
    .sort()
  if (tools.length === 0) return 'something that was used has no price'
  return `${tools.slice(0, 5).join(', ')} ${tools.length === 1 ? 'has' : 'have'} no price`
}

interface Used {
  readonly usage: PricedUsage | undefined
  readonly operation: OperationName
}

function costOf(
  target: PricedTarget,
  price: Price | undefined,
  { usage, operation }: Used,
): Cost | null {
  if (usage === undefined) return price?.isFixed ? cost(noUsage, operation, price) : null
  const usd = usage.chargedUsd === undefined ? undefined : chargeOf(usage, target, price)
  if (usd !== undefined) return knownCost(usd, chargedSource)
  return price ? cost(usage, operation, price) : null
}

/**
 * What the provider itself charged for a call, in US dollars; undefined if it does not say so. A charge of 0 is believed only
 * where the model is known to be free: providers also report 0 where somebody else pays, and before they know.
 */
function chargeOf(
  { chargedUsd, estimated }: Usage & { readonly estimated?: boolean },
  { catalogue }: PricedTarget,
  price: Price | undefined,
): number | undefined {
  if (chargedUsd === undefined || estimated === true) return undefined
  if (catalogue === undefined || !chargingProviders.has(catalogue)) return undefined
  return chargedUsd > 0 || price?.isFree === true ? chargedUsd : undefined
}

/** The price of a target that is always free, such as the built-in engine. */
export function freeTarget(source: string, date: string): TargetPrice {
  const price = freePrice(source, date)
  return {
    isFree: true,
    open: () => undefined,
    written: () => ({ rates: {}, source, date }),
    cost: (usage = noUsage, operation) => cost({ ...usage, serverToolCalls: {} }, operation, price),
    parts: () => [],
  }
}
