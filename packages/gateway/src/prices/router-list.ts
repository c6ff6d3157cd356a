import { type Fields, isObject, listOf, objectOf, someText } from '@sluice/contract'
import type { Library } from './library.ts'
import type { PriceInput, RateInput, RateName } from './price.ts'

/** Prices of a provider's own list, by the provider's names of its models. */
export type ListedPrices = Readonly<Record<string, Pick<PriceInput, 'rates' | 'tools'>>>

/** Such a list, fetched on demand. */
export interface FetchedList {
  /** The provider's name in the catalogue. */
  readonly provider: string
  readonly source: string
  /** YYYY-MM-DD. */
  readonly date: string
  readonly models: ListedPrices
}

/** A library in which the lists of providers come first, by the whole names of their models. */
export function withLists(library: Library, lists: readonly FetchedList[]): Library {
  const byProvider = new Map(lists.map((list) => [list.provider, list]))
  return (provider, model, at) => {
    const list = byProvider.get(provider)
    const found = list && Object.hasOwn(list.models, model) ? list.models[model] : undefined
    if (!list || !found) return library(provider, model, at)
    return { ...found, source: list.source, date: list.date }
  }
}

/**
 * Reads the list of models of a router that names its prices, as texts or numbers: OpenRouter and the gateways that have its
 * form (USD for a token, `prompt` and `completion`), Vercel (`input` and `output`, for a token), Together (the same, for a
 * million), DeepInfra (`metadata.pricing`, `input_tokens` and `output_tokens`, for a million). A model that has a price for
 * something that is not known here is left out: half a price would be wrong. So are those that cost less than nothing, by which
 * OpenRouter means that the price depends on the request.
 */
export function readRouterList(list: unknown): ListedPrices {
  const models = Array.isArray(list) ? list : listOf(objectOf(list)['data'])
  return Object.fromEntries(
    models.filter(isObject).flatMap((model) => {
      const id = someText(model['id'])
      const price = priceOf(model)
      return id === undefined || price === undefined ? [] : [[id, price]]
    }),
  )
}

/** The rate of each field, or null for what the usage of other fields contains. */
const fields: Readonly<Record<string, RateName | 'web_search' | null>> = {
  prompt: 'input',
  input: 'input',
  input_tokens: 'input',
  completion: 'output',
  output: 'output',
  output_tokens: 'output',
  internal_reasoning: 'reasoning',
  input_cache_read: 'cacheRead',
  cached_input: 'cacheRead',
  cache_read_tokens: 'cacheRead',
  input_cache_write: 'cacheWrite',
  input_cache_write_1h: 'cacheWrite1h',
  cache_write_tokens: 'cacheWrite',
  audio: 'audioInput',
  input_audio: 'audioInput',
  audio_output: 'audioOutput',
  input_audio_cache: 'audioCacheRead',
  image_output: 'imageOutput',
  image_token: 'imageInput',
  request: 'request',
  web_search: 'web_search',
  // Pictures of a prompt are in its tokens.
  image: null,
  discount: null,
  hourly: null,
  base: null,
  finetune: null,
}

/** The units of these rates are no tokens. */
const perCall: ReadonlySet<string> = new Set(['request'])

function priceOf(model: Fields): ListedPrices[string] | undefined {
  const own = objectOf(model['pricing'])
  const pricing =
    Object.keys(own).length > 0 ? own : objectOf(objectOf(model['metadata'])['pricing'])
  const rates: Partial<Record<RateName, RateInput>> = {}
  const tools: Record<string, number> = {}
  for (const [name, listed] of Object.entries(pricing)) {
    const rate = Object.hasOwn(fields, name) ? fields[name] : undefined
    const usd = amountOf(listed)
    if (usd === undefined || rate === null || (rate === undefined && usd === 0)) continue
    if (rate === undefined || usd < 0) return undefined
    if (rate === 'web_search') tools[rate] = usd
    else if (perCall.has(name)) rates[rate] = { usd, per: 1 }
    else rates[rate] = { usd: typeof listed === 'string' ? millionfold(usd) : usd, per: 1_000_000 }
  }
  if (!rates.input && !rates.output) return undefined
  // What is free of charge beside tokens is left to them: such zeros stand for "not charged apart".
  const paid = Object.entries(rates).filter(
    ([name, { usd }]) => usd > 0 || name === 'input' || name === 'output',
  )
  return { rates: Object.fromEntries(paid), ...(hasPaid(tools) && { tools }) }
}

function hasPaid(tools: Readonly<Record<string, number>>): boolean {
  return Object.values(tools).some((usd) => usd > 0)
}

/** Without the rounding errors of binary fractions. */
function millionfold(usd: number): number {
  return Number((usd * 1_000_000).toPrecision(12))
}

/** A number, or a text that is one. */
function amountOf(listed: unknown): number | undefined {
  const value = typeof listed === 'string' && listed.trim() !== '' ? Number(listed) : listed
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
