/** Parts of a total of tokens. */
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

/** What a price can be given for. What is not of tokens is a unit of its own. */
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

/** USD for `per` units. A tier holds for the whole request once its input has more tokens than `above`. */
export interface RateInput {
  readonly usd: number
  readonly per: number
  readonly tiers?: readonly { readonly above: number; readonly usd: number }[]
  /** So many units are charged at least, as by Groq for seconds of audio. */
  readonly minimum?: number
}

/** USD for one image, second or request of one kind; a size or quality that is absent fits every one. */
export interface VariantInput {
  readonly unit: 'image' | 'videoSecond' | 'request'
  readonly size?: string
  readonly quality?: string
  readonly usd: number
}

/** A price as it is written down: in prices of the library, in own rows, in sluice.yaml. */
export interface PriceInput {
  readonly rates: Readonly<Partial<Record<RateName, RateInput>>>
  readonly variants?: readonly VariantInput[]
  /** USD for one call of a tool that the provider runs, by its name in `serverToolCalls`. */
  readonly tools?: Readonly<Record<string, number>>
  /** What the whole is multiplied by, by the service tier that the provider says. */
  readonly serviceTiers?: Readonly<Record<string, number>>
  /** Where it stands: a page, `sluice.yaml` or `built-in`. */
  readonly source: string
  /** The day on which that was so, as YYYY-MM-DD. */
  readonly date: string
}

/** A price of our own, for what the library lacks. The first of its variants holds where no size or quality is asked for. */
export interface OwnRow extends PriceInput {
  readonly provider: string
  /** Whole names of models; a `*` at the end stands for the rest. */
  readonly models: readonly string[]
}

/** A billionth of a billionth of a dollar: the smallest step of a price that is a division, as one hour is in seconds. */
const attoPerUsd = 10n ** 18n

export interface Rate {
  /** 10⁻¹⁸ USD for one unit. */
  readonly atto: bigint
  readonly tiers: readonly { readonly above: number; readonly atto: bigint }[]
  readonly minimum: number
}

/** A price that can be calculated with. */
export interface Price extends Pick<PriceInput, 'source' | 'date'> {
  readonly rates: Readonly<Partial<Record<RateName, Rate>>>
  readonly variants: readonly (Omit<VariantInput, 'usd'> & { readonly rate: Rate })[]
  readonly tools: ReadonlyMap<string, Rate>
  /** In millionths. */
  readonly serviceTiers: ReadonlyMap<string, bigint>
  readonly written: PriceInput
}

export function createPrice(written: PriceInput): Price {
  const { rates, variants = [], tools = {}, serviceTiers = {}, source, date } = written
  return {
    rates: Object.fromEntries(
      Object.entries(rates).map(([name, rate]) => [name, rateOf(rate)]),
    ) as Price['rates'],
    variants: variants.map(({ usd, ...kind }) => ({ ...kind, rate: rateOf({ usd, per: 1 }) })),
    tools: new Map(Object.entries(tools).map(([name, usd]) => [name, rateOf({ usd, per: 1 })])),
    serviceTiers: new Map(
      Object.entries(serviceTiers).map(([name, factor]) => [name, scaled(factor, 1_000_000n)]),
    ),
    source,
    date,
    written,
  }
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
 * A number as the decimal that it was written as, times `scale`; what is smaller than one is cut off.
 *
 * @throws RangeError for what is negative or no number.
 */
export function scaled(value: number, scale: bigint): bigint {
  const match = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value))
  if (!match) throw new RangeError(`${value} is no price and no quantity`)
  const [, whole = '0', fraction = '', exponent = '0'] = match
  const shift = Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction) * scale
  return shift < 0 ? digits / 10n ** BigInt(-shift) : digits * 10n ** BigInt(shift)
}
