import {
  type OwnRow,
  type RateInput,
  type RateName,
  rateNames,
  type VariantInput,
} from './price.ts'

/** Addresses of pages from which several lists of rows are taken. */
export const openaiPricing = 'https://platform.openai.com/docs/pricing'
export const anthropicPricing = 'https://platform.claude.com/docs/en/about-claude/pricing'
export const geminiPricing = 'https://ai.google.dev/gemini-api/docs/pricing'
export const bedrockPricing = 'https://aws.amazon.com/bedrock/pricing/'

/** USD for one unit; with tiers, those of requests with more input tokens than the key says. */
type ListedRate = number | Pick<RateInput, 'usd' | 'tiers'>
type ListedRates = Readonly<Partial<Record<RateName, ListedRate>>>

/** One row of a provider's price list: the models, and prices by the unit in which the page has them. */
export interface ListedRow extends Pick<OwnRow, 'since' | 'tools' | 'serviceTiers'> {
  /** As `OwnRow.models`, separated by spaces. */
  readonly models: string
  readonly perMillion?: ListedRates
  readonly perThousand?: ListedRates
  readonly perHour?: ListedRates
  readonly perMinute?: ListedRates
  readonly each?: ListedRates
  /** USD for one unit, by its size or, after a space, by size and quality. */
  readonly bySize?: Readonly<
    Partial<Record<VariantInput['unit'], Readonly<Record<string, number>>>>
  >
}

/**
 * The rows of a page, by the day on which it said so (YYYY-MM-DD). With several providers, all of them have its prices.
 *
 * @param source - The address of the page.
 */
export function pricePage(
  providers: string | readonly string[],
  source: string,
  days: Readonly<Record<string, readonly ListedRow[]>>,
): readonly OwnRow[] {
  return Object.entries(days).flatMap(([date, rows]) =>
    rows.flatMap((row) =>
      [providers].flat().map((provider) => ({ provider, source, date, ...ownRow(row) })),
    ),
  )
}

function ownRow(row: ListedRow): Omit<OwnRow, 'provider' | 'source' | 'date'> {
  const { models, perMillion, perThousand, perHour, perMinute, each, bySize, ...others } = row
  const variants = variantUnits.flatMap((unit) =>
    Object.entries(bySize?.[unit] ?? {}).map(([kind, usd]) => variantOf(unit, kind, usd)),
  )
  return {
    models: models.split(' '),
    rates: {
      ...ratesPer(1_000_000, perMillion),
      ...ratesPer(1_000, perThousand),
      ...ratesPer(3_600, perHour),
      ...ratesPer(60, perMinute),
      ...ratesPer(1, each),
    },
    ...(variants.length > 0 && { variants }),
    ...others,
  }
}

const variantUnits = ['image', 'videoSecond', 'request'] as const

function variantOf(unit: VariantInput['unit'], kind: string, usd: number): VariantInput {
  const [size, quality] = kind.split(' ')
  return {
    unit,
    usd,
    ...(size !== undefined && { size }),
    ...(quality !== undefined && { quality }),
  }
}

function ratesPer(per: number, listed: ListedRates = {}): OwnRow['rates'] {
  const rates: Partial<Record<RateName, RateInput>> = {}
  for (const name of rateNames) {
    const rate = listed[name]
    if (rate !== undefined)
      rates[name] = { per, ...(typeof rate === 'number' ? { usd: rate } : rate) }
  }
  return rates
}
