import { loadConfig } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import { configuredUpstreams } from '@sluice/gateway/route/upstreams.ts'
import { providers as catalogue } from '@sluice/gateway/providers/index.ts'
import { type ConfiguredPrice, configuredPrices } from './configured-prices.ts'
import { formatTable } from './table.ts'

/** A target whose price is not certain, in `--json` output. */
interface Doubt {
  readonly target: string
  /** The model whose price it gets; null if it gets none. */
  readonly pricedAs: string | null
  readonly source: string | null
  readonly date: string | null
}

/**
 * Lists the targets of the configuration whose price is unknown, or is that of a model with another name. Fine if there are
 * none. Needs no gateway.
 */
export async function checkPrices(
  environment: Environment,
  { json = false }: { readonly json?: boolean },
): Promise<{ readonly text: string; readonly isFine: boolean }> {
  const config = await loadConfig(environment)
  const upstreams = configuredUpstreams(config, catalogue, () => {})
  const prices = await configuredPrices(config, upstreams, Date.now())
  const doubts = [...new Map(prices.flatMap(doubtOf)).values()]
  const isFine = doubts.length === 0
  if (json) return { text: JSON.stringify(doubts, null, 2), isFine }
  if (isFine)
    return { text: 'Every target of the settings has a price under its own name.', isFine }
  const rows = doubts.map(({ target, pricedAs, source, date }) => [
    target,
    pricedAs ?? 'unknown',
    date ?? '',
    source ?? '',
  ])
  const table = formatTable(['TARGET', 'PRICED AS', 'DATE', 'SOURCE'], rows)
  return {
    text: `${table}\nSet prices in sluice.yaml: prices, by target; or pricedAs of the model names another one.`,
    isFine,
  }
}

function doubtOf({ target, price }: ConfiguredPrice): readonly (readonly [string, Doubt])[] {
  if (price && price.matched === undefined) return []
  const { matched = null, source = null, date = null } = price ?? {}
  return [[target, { target, pricedAs: matched, source, date }]]
}
