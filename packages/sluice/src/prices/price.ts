/** Rates per token. */
export const tokenRates = [
  'input',
  'cacheRead',
  'cacheWrite',
  'cacheWrite1h',
  'audioInput',
  'imageInput',
  'output',
  'reasoning',
  'audioOutput',
  'imageOutput',
] as const

/** Everything that can have a price. What is not a token is a unit of its own. */
export const rateNames = [
  ...tokenRates,
  'request',
  'image',
  'audioSecond',
  'videoSecond',
  'character',
  'searchUnit',
] as const

export type RateName = (typeof rateNames)[number]

/** USD for `per` units. A tier applies to the whole request if its input has more tokens than `above`. */
export interface RateInput {
  readonly usd: number
  readonly per: number
  readonly tiers?: readonly { readonly above: number; readonly usd: number }[]
  /** Minimum number of billed units, such as Groq's for seconds of audio. */
  readonly minimum?: number
}

/** USD for one image, second or request of one kind; an absent size or quality matches any. */
export interface VariantInput {
  readonly unit: 'image' | 'videoSecond' | 'request'
  readonly size?: string
  readonly quality?: string
  readonly usd: number
}

/** A price as written in the library, in own rows or in sluice.yaml. */
export interface PriceInput {
  readonly rates: Readonly<Partial<Record<RateName, RateInput>>>
  readonly variants?: readonly VariantInput[]
  /** USD per call of a tool that the provider runs, by its name in `serverToolCalls`. */
  readonly tools?: Readonly<Record<string, number>>
  /** Factors for the total, by the service tier the provider reports. */
  readonly serviceTiers?: Readonly<Record<string, number>>
  /** Where the price was found: a page, `sluice.yaml` or `built-in`. */
  readonly source: string
  /** The day it was valid, as YYYY-MM-DD. */
  readonly date: string
}

/** A price maintained here, for what the library lacks. If no size or quality is requested, the first variant applies. */
export interface OwnRow extends PriceInput {
  readonly provider: string
  /** Whole model names; a trailing `*` matches any ending. */
  readonly models: readonly string[]
}

/** The smallest unit of prices, 10⁻¹⁸ USD, so that divisions such as hours into seconds stay exact enough. */
const attoPerUsd = 10n ** 18n

export interface Rate {
  /** 10⁻¹⁸ USD for one unit. */
  readonly atto: bigint
  readonly tiers: readonly { readonly above: number; readonly atto: bigint }[]
  readonly minimum: number
}

/** A price ready for calculation. */
export interface Price extends Pick<PriceInput, 'source' | 'date'> {
  readonly rates: Readonly<Partial<Record<RateName, Rate>>>
  readonly variants: readonly (Omit<VariantInput, 'usd'> & { readonly rate: Rate })[]
  readonly tools: ReadonlyMap<string, Rate>
  /** In millionths. */
  readonly serviceTiers: ReadonlyMap<string, bigint>
  readonly written: PriceInput
  /** 10⁻¹⁸ USD for a token, if tokens of input and output each have one rate and a request has none. */
  readonly plain: { readonly input: bigint; readonly output: bigint } | undefined
}

export function createPrice(written: PriceInput): Price {
  const { variants: kinds = [], tools = {}, serviceTiers = {}, source, date } = written
  const rates = Object.fromEntries(
    Object.entries(written.rates).map(([name, rate]) => [name, rateOf(rate)]),
  ) as Price['rates']
  const variants = kinds.map(({ usd, ...kind }) => ({ ...kind, rate: rateOf({ usd, per: 1 }) }))
  return {
    rates,
    variants,
    plain: variants.length === 0 && !rates.request ? plainOf(rates) : undefined,
    tools: new Map(Object.entries(tools).map(([name, usd]) => [name, rateOf({ usd, per: 1 })])),
    serviceTiers: new Map(
      Object.entries(serviceTiers).map(([name, factor]) => [name, scaled(factor, 1_000_000n)]),
    ),
    source,
    date,
    written,
  }
}

function plainOf({ input, output }: Price['rates']): Price['plain'] {
  if (!input || !output) return undefined
  const isPlain = [input, output].every(({ tiers, minimum }) => tiers.length === 0 && minimum === 0)
  return isPlain ? { input: input.atto, output: output.atto } : undefined
}

function rateOf({ usd, per, tiers = [], minimum = 0 }: RateInput): Rate {
  const divisor = BigInt(per)
  return {
    atto: scaled(usd, attoPerUsd) / divisor,
    tiers: tiers
      .map(({ above, usd: price }) => ({ above, atto: scaled(price, attoPerUsd) / divisor }))
      .sort((a, b) => b.above - a.above),
    minimum,
  }
}

/**
 * Converts a number, read as its decimal text, to an integer times `scale`; anything smaller than one is cut off.
 *
 * @throws RangeError if it is negative or not a number.
 */
export function scaled(value: number, scale: bigint): bigint {
  const match = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value))
  if (!match) throw new RangeError(`${value} is no price and no quantity`)
  const [, whole = '0', fraction = '', exponent = '0'] = match
  const shift = Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction) * scale
  return shift < 0 ? digits / 10n ** BigInt(-shift) : digits * 10n ** BigInt(shift)
}
