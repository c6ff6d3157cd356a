import type { PriceConfig } from '../settings/schema-prices.ts'
import type { PriceOverride } from './book.ts'
import {
  type PriceInput,
  type RateInput,
  type RateName,
  tokenRates,
  type VariantInput,
} from './price.ts'

type TokenRate = NonNullable<PriceConfig['input']>
type Kinds = NonNullable<PriceConfig['images']>

/** `prices` of sluice.yaml. */
export function overridesOf(
  prices: Readonly<Record<string, PriceConfig>>,
): readonly PriceOverride[] {
  return Object.entries(prices).map(([pattern, config]) => ({ pattern, price: priceOf(config) }))
}

function priceOf(config: PriceConfig): PriceOverride['price'] {
  const rates: Partial<Record<RateName, RateInput>> = {}
  for (const name of tokenRates) {
    const rate = config[name]
    if (rate !== undefined) rates[name] = tokenRate(rate)
  }
  const { characters, audioSeconds, searchUnits, requests, tools, serviceTiers } = config
  if (characters !== undefined) rates.character = { usd: characters, per: 1_000_000 }
  if (audioSeconds !== undefined) rates.audioSecond = { usd: audioSeconds, per: 1 }
  if (searchUnits !== undefined) rates.searchUnit = { usd: searchUnits, per: 1 }
  if (requests !== undefined) rates.request = { usd: requests, per: 1 }
  return {
    rates,
    variants: [...kindsOf('image', config.images), ...kindsOf('videoSecond', config.videoSeconds)],
    ...(tools && { tools }),
    ...(serviceTiers && { serviceTiers }),
  } satisfies Omit<PriceInput, 'source' | 'date'>
}

function tokenRate(rate: TokenRate): RateInput {
  const per = 1_000_000
  if (typeof rate === 'number') return { usd: rate, per }
  const tiers = rate.above.map(({ tokens, price }) => ({ above: tokens, usd: price }))
  return { usd: rate.price, per, tiers }
}

/** A single price comes before known prices of single kinds. */
function kindsOf(unit: VariantInput['unit'], kinds: Kinds | undefined): readonly VariantInput[] {
  if (kinds === undefined) return []
  if (typeof kinds === 'number') return [{ unit, usd: kinds }]
  return kinds.map(({ price, ...kind }) => ({ unit, ...kind, usd: price }))
}
