import type { Usage } from '@sluice/contract'
import type { PricedTarget } from './book.ts'
import type { Price } from './price.ts'

/**
 * Providers of the catalogue whose responses say what they charge, in US dollars and with everything in it. What others say is
 * kept beside the cost, but it may be in another currency, in credits, or the price to somebody else.
 */
const providers: ReadonlySet<string> = new Set(['deepinfra', 'openrouter', 'perplexity', 'xai'])

/** The source of such a cost. */
export const chargedSource = 'charged by the provider'

/**
 * What the provider itself charged for a call, in US dollars; undefined if it does not say so. A charge of 0 is believed only
 * where the model is known to be free: providers also report 0 where somebody else pays, and before they know.
 */
export function chargeOf(
  { chargedUsd, estimated }: Usage & { readonly estimated?: boolean },
  { catalogue }: PricedTarget,
  price: Price | undefined,
): number | undefined {
  if (chargedUsd === undefined || estimated === true) return undefined
  if (catalogue === undefined || !providers.has(catalogue)) return undefined
  return chargedUsd > 0 || price?.isFree === true ? chargedUsd : undefined
}
