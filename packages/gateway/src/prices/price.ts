/** Rates per token. */
export const tokenRates = [
  'input',
  'cacheRead',
  'cacheWrite',
  'cacheWrite1h',
  'audioInput',
  'audioCacheRead',
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

/** USD for one call of a tool that the provider runs, or for each request that uses it, however often. */
export type ToolInput = number | { readonly usd: number; readonly per: 'request' }

/** A price as written in the library, in own rows or in sluice.yaml. */
export interface PriceInput {
  readonly rates: Readonly<Partial<Record<RateName, RateInput>>>
  readonly variants?: readonly VariantInput[]
  /** Of tools that the provider runs, by their names in `serverToolCalls`. */
  readonly tools?: Readonly<Record<string, ToolInput>>
  /** Factors for the total, by the service tier the provider reports. */
  readonly serviceTiers?: Readonly<Record<string, number>>
  /** Where the price was found: a page, `sluice.yaml` or `built-in`. */
  readonly source: string
  /** The day it was valid, as YYYY-MM-DD. */
  readonly date: string
  /** The model whose price it is, if that is another one; the source names it too. */
  readonly matched?: string
}

/** A price maintained here, for what the library lacks. If no size or quality is requested, the first variant applies. */
export interface OwnRow extends PriceInput {
  readonly provider: string
  /** When it begins to hold (YYYY-MM-DD or with a time, UTC). Default: always. */
  readonly since?: string
  /** Whole model names; `*` at the end matches any ending, and at the beginning any beginning. */
  readonly models: readonly string[]
}

/** The smallest unit of prices, 10⁻¹⁸ USD, so that divisions such as hours into seconds stay exact enough. */
const attoPerUsd = 10n ** 18n

/** A rate ready for calculation. A tier applies to the whole request; they are ordered from the highest bound down. */
export interface Rate {
  /** 10⁻¹⁸ USD for one unit. */
  readonly atto: bigint
  readonly tiers: readonly { readonly above: number; readonly atto: bigint }[]
  readonly minimum: number
  /** The largest number of billed units. */
  readonly maximum?: number
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
  /** Whether the cost is known without any usage: everything is free, or only requests are paid for. */
  readonly isFixed: boolean
  /** Whether everything is free that has a rate at all. */
  readonly isFree: boolean
}

/**
 * Makes a written price ready for calculation.
 *
 * @throws RangeError if an amount is negative or not a number.
 */
export function createPrice(written: PriceInput): Price {
  const { variants: kinds = [], tools = {}, serviceTiers = {}, source, date } = written
  const rates = ratesOf(written.rates)
  const variants = kinds.map(({ usd, ...kind }) => ({ ...kind, rate: rateOf({ usd, per: 1 }) }))
  const paid = Object.entries(rates).filter(([, rate]) => !isZero(rate))
  const hasRate = Object.keys(rates).length > 0 || variants.length > 0
  const areKindsFree = variants.every(({ rate }) => isZero(rate))
  return {
    rates,
    variants,
    isFree: hasRate && areKindsFree && paid.length === 0,
    isFixed: hasRate && areKindsFree && paid.every(([name]) => name === 'request'),
    plain: variants.length === 0 && !rates.request ? plainOf(rates) : undefined,
    tools: new Map(Object.entries(tools).map(([name, tool]) => [name, toolRate(tool)])),
    serviceTiers: new Map(
      Object.entries(serviceTiers).map(([name, factor]) => [name, scaled(factor, 1_000_000n)]),
    ),
    source,
    date,
    written,
  }
}

function ratesOf(written: PriceInput['rates']): Price['rates'] {
  const rates: Partial<Record<RateName, Rate>> = {}
  for (const name of rateNames) {
    const rate = written[name]
    if (rate) rates[name] = rateOf(rate)
  }
  return rates
}

function plainOf({ input, output }: Price['rates']): Price['plain'] {
  if (!input || !output) return undefined
  const isPlain = [input, output].every(({ tiers, minimum }) => tiers.length === 0 && minimum === 0)
  return isPlain ? { input: input.atto, output: output.atto } : undefined
}

function isZero({ atto, tiers }: Rate): boolean {
  return atto === 0n && tiers.every((tier) => tier.atto === 0n)
}

function toolRate(tool: ToolInput): Rate {
  if (typeof tool === 'number') return rateOf({ usd: tool, per: 1 })
  return { ...rateOf({ usd: tool.usd, per: 1 }), maximum: 1 }
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
  if (!match) throw new RangeError(`${value} is neither a price nor a quantity`)
  const [, whole = '0', fraction = '', exponent = '0'] = match
  const shift = Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction) * scale
  return shift < 0 ? digits / 10n ** BigInt(-shift) : digits * 10n ** BigInt(shift)
}
