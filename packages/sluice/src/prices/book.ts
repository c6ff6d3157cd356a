import type { Library } from './library.ts'
import { ownRows } from './own-rows.ts'
import { createPrice, type Price, type PriceInput, type RateInput, rateNames } from './price.ts'

/** Whose price is asked for. */
export interface PricedTarget {
  /** The provider as it is configured. */
  readonly provider: string
  /** The provider of the catalogue that it is; undefined for one of the user's own. */
  readonly catalogue: string | undefined
  readonly model: string
}

/** What sluice.yaml says of the targets that a pattern names: `provider/model`, or with a `*` at its end. */
export interface PriceOverride {
  readonly pattern: string
  readonly price: Omit<PriceInput, 'source' | 'date'>
}

export interface PriceBookInput {
  readonly library: () => Promise<Library>
  readonly overrides: readonly PriceOverride[]
  /** YYYY-MM-DD: the day of the overrides. */
  readonly today: string
}

/** Where prices are looked up: the library beneath rows of our own beneath what is configured. */
export interface PriceBook {
  /** Reads what is needed for this target, once. */
  open(target: PricedTarget): Promise<void> | undefined
  /** The price at a moment, in milliseconds since the epoch; undefined where nobody knows one. To be opened before. */
  find(target: PricedTarget, at: number): Price | undefined
}

export function createPriceBook({ library: load, overrides, today }: PriceBookInput): PriceBook {
  let library: Library | undefined
  let loading: Promise<void> | undefined
  return {
    open({ catalogue }) {
      if (library || catalogue === undefined) return undefined
      loading ??= load()
        .then((loaded) => {
          library = loaded
        })
        .finally(() => {
          loading = undefined
        })
      return loading
    },
    find(target, at) {
      const found = [
        ...baseOf(target, at, library),
        ...overrides
          .filter(({ pattern }) => fits(pattern, `${target.provider}/${target.model}`))
          .sort((a, b) => a.pattern.length - b.pattern.length)
          .map(({ price }) => ({ ...price, source: 'sluice.yaml', date: today })),
      ]
      const merged = found.reduce<PriceInput | undefined>(
        (below, above) => (below ? joined(below, above) : above),
        undefined,
      )
      return merged && hasPrice(merged) ? createPrice(merged) : undefined
    },
  }
}

function baseOf(
  { catalogue, model }: PricedTarget,
  at: number,
  library: Library | undefined,
): readonly PriceInput[] {
  if (catalogue === undefined) return []
  const found = library?.(catalogue, model, new Date(at))
  const kind = kinds[catalogue] ?? catalogue
  const own = ownRows.filter(
    ({ provider, models }) => provider === kind && models.some((pattern) => fits(pattern, model)),
  )
  return [...(found ? [found] : []), ...own]
}

/** Providers that have another's prices. */
const kinds: Readonly<Record<string, string>> = {
  'openai-responses': 'openai',
  'google-vertex': 'google',
}

/** Whether a name is what a pattern says, which may end in `*`. */
function fits(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

/** A row that has no rate, such as a factor for a tier, says nothing of what a call costs. */
function hasPrice({ rates, variants = [] }: PriceInput): boolean {
  return Object.keys(rates).length > 0 || variants.length > 0
}

function joined(below: PriceInput, above: PriceInput): PriceInput {
  const isSame = below.source === above.source
  const isWhole = hasPrice(above)
  return {
    rates: { ...below.rates, ...above.rates },
    variants: [...(above.variants ?? []), ...(below.variants ?? [])],
    tools: { ...below.tools, ...above.tools },
    serviceTiers: { ...below.serviceTiers, ...above.serviceTiers },
    source: isSame || !isWhole ? below.source : `${below.source}, ${above.source}`,
    date: isWhole && above.date > below.date ? above.date : below.date,
  }
}

/** A rule that everything costs nothing, as what the built-in engine answers. */
export function freePrice(source: string, date: string): Price {
  const nothing: RateInput = { usd: 0, per: 1 }
  const rates = Object.fromEntries(rateNames.map((name) => [name, nothing]))
  return createPrice({ rates, source, date })
}
