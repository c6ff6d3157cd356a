import type { ModelPrice, Provider } from '@pydantic/genai-prices'
import type { PriceInput, RateInput, RateName } from './price.ts'
import { otherModel } from './matched-name.ts'
import { libraryProviders } from './providers.ts'

/** The library's price of a model at a moment, by the catalogue's provider name. */
export type Library = (provider: string, model: string, at: Date) => PriceInput | undefined

/** Prices fetched on demand, in the form the library publishes (data.json, second version). */
export interface FetchedPrices {
  /** YYYY-MM-DD. */
  readonly date: string
  readonly providers: readonly unknown[]
}

/** The bundled release and its date. */
const bundledPrices = { source: 'genai-prices 0.1.8', date: '2026-09-23' }

/**
 * Loads the bundled prices, which takes a tenth of a second; nothing is fetched. `fetched` replaces them.
 *
 * @throws Error if the fetched data is not in the library's form.
 */
export async function openLibrary(fetched?: FetchedPrices): Promise<Library> {
  const { calcPrice, updatePrices } = await import('@pydantic/genai-prices')
  if (fetched)
    updatePrices(({ setProviderData }) => {
      // The library validates the data and throws if it cannot use it.
      setProviderData(fetched.providers as Provider[])
    })
  const origin = fetched
    ? { source: 'genai-prices, fetched', date: fetched.date }
    : { source: bundledPrices.source, date: bundledPrices.date }
  return (provider, model, timestamp) => {
    const providerId = libraryProviders[provider]
    if (providerId === undefined) return undefined
    const found = calcPrice({}, model, { providerId, timestamp })
    if (!found) return undefined
    const price = priceOf(found.model_price, found.provider.id, found.model.id, origin)
    const matched = otherModel(model, found.model)
    if (!price || matched === undefined) return price
    return { ...price, matched, source: `${price.source} (as ${matched})` }
  }
}

/** The library's keys (prices/units.yml of genai-prices): the rate they set, and for how many units. */
const rateKeys: Readonly<Record<string, readonly [RateName, number]>> = {
  input_mtok: ['input', 1_000_000],
  cache_read_mtok: ['cacheRead', 1_000_000],
  cache_write_mtok: ['cacheWrite', 1_000_000],
  cache_write_1h_mtok: ['cacheWrite1h', 1_000_000],
  input_audio_mtok: ['audioInput', 1_000_000],
  cache_audio_read_mtok: ['audioCacheRead', 1_000_000],
  input_image_mtok: ['imageInput', 1_000_000],
  output_mtok: ['output', 1_000_000],
  output_reasoning_mtok: ['reasoning', 1_000_000],
  output_audio_mtok: ['audioOutput', 1_000_000],
  output_image_mtok: ['imageOutput', 1_000_000],
  audio_hours: ['audioSecond', 3_600],
  requests_kcount: ['request', 1_000],
  rerank_searches_kcount: ['searchUnit', 1_000],
}

/** Tools, priced per thousand calls. */
const toolKeys: Readonly<Record<string, string>> = {
  web_searches_kcount: 'web_search',
  storage_searches_kcount: 'file_search',
}

/** Duplicates, and prices for kinds that usage does not distinguish. */
const ignoredKeys: ReadonlySet<string> = new Set([
  'input_audio_hours',
  'cache_image_read_mtok',
  'input_video_mtok',
])

/** Undefined if the model is priced by something not counted here: half a price would be wrong. */
function priceOf(
  found: ModelPrice,
  provider: string,
  model: string,
  origin: Pick<PriceInput, 'source' | 'date'>,
): PriceInput | undefined {
  const rates: Partial<Record<RateName, RateInput>> = {}
  const tools: Record<string, number> = {}
  for (const [key, value] of Object.entries(found)) {
    if (value === undefined || ignoredKeys.has(key)) continue
    const rate = rateKeys[key]
    const tool = toolKeys[key]
    const [usd, tiers] =
      typeof value === 'number'
        ? [value, []]
        : [value.base, value.tiers.map(({ start, price }) => ({ above: start, usd: price }))]
    if (rate) rates[rate[0]] = { usd, per: rate[1], ...(tiers.length > 0 && { tiers }) }
    else if (tool !== undefined) tools[tool] = dividedBy1000(usd)
    else return undefined
  }
  const { input, audioSecond } = rates
  // Gemini's pages give a price for audio only if it differs from that of text.
  if (provider === 'google' && input && !rates.audioInput) rates.audioInput = input
  // What such a model says is sound, whose price the library has as that of all output.
  if (provider === 'google' && model.endsWith('-tts') && rates.output && !rates.audioOutput)
    rates.audioOutput = rates.output
  // "Minimum billed length is 10 seconds" (https://groq.com/pricing, speech recognition).
  if (provider === 'groq' && audioSecond && model.startsWith('whisper-'))
    rates.audioSecond = { ...audioSecond, minimum: 10 }
  // What is kept for an hour costs twice as much as input, wherever Claude runs (Claude docs, pricing: prompt caching).
  if (model.includes('claude') && input && rates.cacheWrite && !rates.cacheWrite1h)
    rates.cacheWrite1h = twice(input)
  if (Object.keys(rates).length === 0 && Object.keys(tools).length === 0) return undefined
  return { rates, tools, ...origin }
}

function twice({ usd, tiers, ...rest }: RateInput): RateInput {
  const double = (price: number): number => Number((price * 2).toPrecision(12))
  return {
    ...rest,
    usd: double(usd),
    ...(tiers && { tiers: tiers.map(({ above, usd: price }) => ({ above, usd: double(price) })) }),
  }
}

/** Removes rounding errors of binary fractions. */
function dividedBy1000(usd: number): number {
  return Number((usd / 1_000).toPrecision(12))
}
