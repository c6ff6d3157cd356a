import { type Config, loadConfig } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import { usageEndpoints } from '@sluice/server/usage.ts'
import type { PricedTarget } from '@sluice/gateway/prices/book.ts'
import { overridesOf } from '@sluice/gateway/prices/overrides.ts'
import { ownRows } from '@sluice/gateway/prices/own-rows.ts'
import type { PriceInput, RateInput, ToolInput } from '@sluice/gateway/prices/price.ts'
import { providers } from '@sluice/gateway/providers/index.ts'
import { configuredUpstreams } from '@sluice/gateway/route/upstreams.ts'
import type { GatewayOptions, JsonOption, Printed } from './command.ts'
import { configuredBook, type ConfiguredPrice, configuredPrices } from './configured-prices.ts'
import { dayOf } from './day.ts'
import { formatTable } from './table.ts'
import { gatewayFor } from './usage.ts'

/** The price of one target in `--json` output; null if unknown. */
interface ShownPrice {
  readonly target: string
  readonly price: PriceInput | null
}

/**
 * Shows prices for this configuration: of one `provider/model`, of one model at every provider with a price for it, or all
 * prices that are not from the library. Needs no gateway.
 */
export async function showPrices(
  environment: Environment,
  model: string | undefined,
  { json = false }: JsonOption,
): Promise<Printed> {
  const config = await loadConfig(environment)
  const shown = model === undefined ? ownPrices(config) : await pricesOf(config, model)
  const isFine = shown.some(({ price }) => price !== null)
  if (json) return { text: JSON.stringify(shown, null, 2), isFine }
  const rows = shown.flatMap(({ target, price }) =>
    price === null
      ? [[target, 'unknown']]
      : linesOf(price).map((line, at) =>
          at === 0 ? [target, ...line, price.date, price.source] : ['', ...line],
        ),
  )
  return { text: formatTable(['TARGET', 'FOR', 'PER', 'USD', 'DATE', 'SOURCE'], rows), isFine }
}

/** Configured prices, followed by the bundled ones of our own. */
function ownPrices({ prices }: Config): readonly ShownPrice[] {
  const configured = overridesOf(prices).map(({ pattern, price }) => ({
    target: pattern,
    price: { ...price, source: 'sluice.yaml', date: dayOf(Date.now()) },
  }))
  const own = ownRows.map(({ provider, models, ...price }) => ({
    target: models.map((name) => `${provider}/${name}`).join(', '),
    price,
  }))
  return [...configured, ...own]
}

async function pricesOf(config: Config, model: string): Promise<readonly ShownPrice[]> {
  const book = configuredBook(config, dayOf(Date.now()))
  const named = targetsNamed(config, model)
  const shown: ShownPrice[] = []
  for (const target of named) {
    await book.open(target)
    const found = book.find(target, Date.now())?.written
    const price = found ? priceAlone(found) : null
    shown.push({ target: `${target.provider}/${target.model}`, price })
  }
  const known = shown.filter(({ price }) => price !== null)
  return known.length > 0 ? merged(known) : [{ target: model, price: null }]
}

/** The price without further fields. */
function priceAlone({
  rates,
  variants,
  tools,
  serviceTiers,
  source,
  date,
  matched,
}: PriceInput): PriceInput {
  return {
    rates,
    ...(variants && variants.length > 0 && { variants }),
    ...(tools && Object.keys(tools).length > 0 && { tools }),
    ...(serviceTiers && Object.keys(serviceTiers).length > 0 && { serviceTiers }),
    source,
    date,
    ...(matched !== undefined && { matched }),
  }
}

/** Merges providers with the same price. */
function merged(shown: readonly ShownPrice[]): readonly ShownPrice[] {
  const byPrice = Map.groupBy(shown, ({ price }) => JSON.stringify(price))
  return [...byPrice.values()].map((same) => ({
    target: same.map(({ target }) => target).join(', '),
    price: same[0]?.price ?? null,
  }))
}

/** A bare model name is looked up at every provider. */
function targetsNamed({ providers: configured }: Config, name: string): readonly PricedTarget[] {
  const catalogues = new Map<string, string | undefined>()
  for (const id of providers.keys()) catalogues.set(id, id)
  for (const [id, { kind = id, type }] of Object.entries(configured))
    catalogues.set(id, type === undefined ? kind : undefined)
  const slash = name.indexOf('/')
  const provider = name.slice(0, Math.max(0, slash))
  if (catalogues.has(provider))
    return [{ provider, catalogue: catalogues.get(provider), model: name.slice(slash + 1) }]
  return [...catalogues].map(([id, catalogue]) => ({ provider: id, catalogue, model: name }))
}

/** What is charged, per how many units, and how much. */
type PriceLine = readonly [what: string, per: string, usd: string]

function linesOf({ rates, variants = [], tools = {}, serviceTiers = {} }: PriceInput) {
  const lines: PriceLine[] = Object.entries(rates).flatMap(([name, rate]) => rateLines(name, rate))
  for (const { unit, size, quality, usd } of variants)
    lines.push([[unit, size, quality].filter((part) => part).join(' '), '1', String(usd)])
  for (const [tool, price] of Object.entries(tools)) lines.push(toolLine(tool, price))
  for (const [tier, factor] of Object.entries(serviceTiers))
    lines.push([`tier ${tier}`, '', `× ${factor}`])
  return lines
}

function toolLine(tool: string, price: ToolInput): PriceLine {
  if (typeof price === 'number') return [`${tool} call`, '1', String(price)]
  return [`request with ${tool}`, '1', String(price.usd)]
}

function rateLines(name: string, { usd, per, tiers = [] }: RateInput): readonly PriceLine[] {
  const number = per.toLocaleString('en')
  const above = tiers.map(
    ({ above: tokens, usd: price }): PriceLine => [
      `${name} above ${tokens.toLocaleString('en')} tokens`,
      number,
      String(price),
    ],
  )
  return [[name, number, String(usd)], ...above]
}

interface UnknownOptions extends GatewayOptions {
  readonly from?: string
  readonly to?: string
}

/** Lists targets that were called without a known price, from a running gateway. Fine if there are none. */
export async function unknownPrices(
  environment: Environment,
  { from, to, url, json = false }: UnknownOptions,
): Promise<Printed> {
  const gateway = await gatewayFor(environment, url)
  const answer = await gateway.ask(usageEndpoints.get, {
    query: { by: 'provider,model', limit: 10_000, from, to },
  })
  const unknown = answer.data
    .filter(({ unknownCosts }) => unknownCosts > 0)
    .map(({ provider, model, unknownCosts, attempts }) => ({
      target: `${String(provider)}/${String(model)}`,
      unknownCosts,
      attempts,
    }))
    .toSorted((one, other) => other.unknownCosts - one.unknownCosts)
  const isFine = unknown.length === 0
  if (json) return { text: JSON.stringify(unknown, null, 2), isFine }
  const span = `${answer.from} to ${answer.to}`
  if (isFine) return { text: `${span}: the cost of every attempt is known.`, isFine }
  const rows = unknown.map(({ target, unknownCosts, attempts }) => [
    target,
    String(unknownCosts),
    String(attempts),
  ])
  const table = formatTable(['TARGET', 'UNKNOWN COST', 'ATTEMPTS'], rows)
  return { text: `${span}\n${table}\nSet prices in sluice.yaml: prices, by target.`, isFine }
}

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
  { json = false }: JsonOption,
): Promise<Printed> {
  const config = await loadConfig(environment)
  const upstreams = configuredUpstreams(config, providers, () => {})
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
