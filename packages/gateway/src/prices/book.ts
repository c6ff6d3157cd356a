import type { Library } from './library.ts'
import { ownRows } from './own-rows.ts'
import { createPrice, type Price, type PriceInput, type RateInput, rateNames } from './price.ts'

/** The target whose price is looked up. */
export interface PricedTarget {
  /** The provider's configured name. */
  readonly provider: string
  /** The provider's name in the catalogue; undefined for a custom provider. */
  readonly catalogue: string | undefined
  readonly model: string
  /** Its name at the provider, if that is another one. Prices in sluice.yaml may use either. */
  readonly alsoNamed?: string
}

/** A price in sluice.yaml for targets that match a pattern: `provider/model`, or with a trailing `*`. */
export interface PriceOverride {
  readonly pattern: string
  readonly price: Omit<PriceInput, 'source' | 'date'>
}

/** Where a price book looks. */
export interface PriceBookInput {
  /** Loads the library; called once, when a provider of the catalogue is first looked up, and again if it failed. */
  readonly library: () => Promise<Library>
  readonly overrides: readonly PriceOverride[]
  /** The day of the overrides, YYYY-MM-DD. */
  readonly today: string
}

/** Looks prices up: the library first, overridden by own rows, overridden by the configuration. */
export interface PriceBook {
  /** Loads what is needed for this target, once. */
  open(target: PricedTarget): Promise<void> | undefined
  /** The price at a moment, in milliseconds since the epoch; undefined if unknown. Requires `open` before. */
  find(target: PricedTarget, at: number): Price | undefined
}

/** A price book that loads nothing before it is needed. */
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
          .filter(({ pattern }) => namesOf(target).some((name) => fits(pattern, name)))
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

function namesOf({ provider, model, alsoNamed }: PricedTarget): readonly string[] {
  return [model, ...(alsoNamed === undefined ? [] : [alsoNamed])].map(
    (name) => `${provider}/${name}`,
  )
}

function baseOf(
  { catalogue, model }: PricedTarget,
  at: number,
  library: Library | undefined,
): readonly PriceInput[] {
  if (catalogue === undefined) return []
  const found = library?.(catalogue, model, new Date(at))
  const pricedAs = samePrices[catalogue] ?? catalogue
  const own = ownRows.filter(
    ({ provider, models, since = '' }) =>
      provider === pricedAs &&
      new Date(at).toISOString() >= since &&
      models.some((pattern) => fits(pattern, model)),
  )
  return [...(found ? [found] : []), ...own]
}

/** Providers with the same prices as another one. */
const samePrices: Readonly<Record<string, string>> = {
  'openai-responses': 'openai',
  'google-vertex': 'google',
}

/** Whether a name matches a pattern, which may end in `*` or begin with it. */
function fits(pattern: string, name: string): boolean {
  if (pattern.startsWith('*') && pattern !== '*') return name.endsWith(pattern.slice(1))
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

/** Whether a row has a rate. Without one, such as with only a tier factor, it does not price a call. */
function hasPrice({ rates, variants = [] }: PriceInput): boolean {
  return Object.keys(rates).length > 0 || variants.length > 0
}

function joined(below: PriceInput, above: PriceInput): PriceInput {
  const isWhole = hasPrice(above)
  return {
    rates: { ...below.rates, ...above.rates },
    variants: [...(above.variants ?? []), ...(below.variants ?? [])],
    tools: { ...below.tools, ...above.tools },
    serviceTiers: { ...below.serviceTiers, ...above.serviceTiers },
    ...sourceOf(below, above, isWhole),
    date: isWhole && above.date > below.date ? above.date : below.date,
  }
}

/** Both sources, unless the price below was that of another model, which this one replaces. */
function sourceOf(
  { source: below, matched }: PriceInput,
  { source: above, rates }: PriceInput,
  isWhole: boolean,
): Pick<PriceInput, 'source' | 'matched'> {
  if (matched !== undefined && rates.input !== undefined) return { source: above }
  return {
    ...(matched !== undefined && { matched }),
    source: below === above || !isWhole ? below : `${below}, ${above}`,
  }
}

/** A price of zero for everything, as for the built-in engine. */
export function freePrice(source: string, date: string): Price {
  const nothing: RateInput = { usd: 0, per: 1 }
  const rates = Object.fromEntries(rateNames.map((name) => [name, nothing]))
  return createPrice({ rates, source, date })
}
