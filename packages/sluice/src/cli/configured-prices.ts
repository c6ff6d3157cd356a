import { engineCard } from '@sluice/engine'
import type { Config } from '../config/config.ts'
import { routeTargets } from '../config/route-targets.ts'
import { isWildcard } from '@sluice/gateway/route/wildcards.ts'
import type { Upstream } from '@sluice/gateway/route/routing.ts'
import { pricedTarget } from '@sluice/gateway/route/priced-target.ts'
import { unpricedNote } from '@sluice/gateway/route/unpriced.ts'
import { createPriceBook, type PriceBook } from '@sluice/gateway/prices/book.ts'
import { overridesOf } from '@sluice/gateway/prices/overrides.ts'
import type { PriceInput } from '@sluice/gateway/prices/price.ts'
import { dayOf } from './day.ts'
import { bundledOrFetched } from './fetched-prices.ts'

/** A target of the configuration with its price. */
export interface ConfiguredPrice {
  /** `provider/model`. */
  readonly target: string
  /** The route that leads to it; undefined if it stands in the list of its provider alone. */
  readonly route?: string
  /** Undefined if it is unknown. */
  readonly price: PriceInput | undefined
}

/** The prices as a gateway with these settings has them. */
export function configuredBook(config: Config, today: string): PriceBook {
  return createPriceBook({
    library: () => bundledOrFetched(config.dataFolder, { warn: () => {} }),
    overrides: overridesOf(config.prices),
    today,
  })
}

/** What each target costs that a route or the list of a provider names. What the built-in engine answers is free and left out. */
export async function configuredPrices(
  config: Config,
  upstreams: ReadonlyMap<string, Upstream>,
  now: number,
): Promise<readonly ConfiguredPrice[]> {
  const book = configuredBook(config, dayOf(now))
  const found: ConfiguredPrice[] = []
  for (const { target, route } of namedTargets(config, upstreams)) {
    const slash = target.indexOf('/')
    const provider = target.slice(0, slash)
    if (provider === engineCard.id || !isProvider(provider, config, upstreams)) continue
    const priced = pricedTarget({ config, upstreams }, provider, target.slice(slash + 1))
    await book.open(priced)
    const price = book.find(priced, now)?.written
    found.push({ target, ...(route !== undefined && { route }), price })
  }
  return found
}

function isProvider(
  id: string,
  { providers }: Config,
  upstreams: ReadonlyMap<string, Upstream>,
): boolean {
  return upstreams.has(id) || providers[id]?.type === 'ai-sdk'
}

type Named = Pick<ConfiguredPrice, 'target' | 'route'>

function namedTargets(config: Config, upstreams: ReadonlyMap<string, Upstream>): readonly Named[] {
  const ofRoutes = Object.entries(config.models).flatMap(([route, model]) =>
    targetsOf(model).map((target) => ({ target, route })),
  )
  const routed = new Set(ofRoutes.map(({ target }) => target))
  const listed = [...upstreams.values()].flatMap(({ id, models = [] }) =>
    models.map((model) => ({ target: `${id}/${model.id}` })),
  )
  return [...ofRoutes, ...listed.filter(({ target }) => !routed.has(target))]
}

/** The targets that a route names. */
export function targetsOf(model: Config['models'][string]): readonly string[] {
  const { targets, fallback, longer } = routeTargets(model)
  // What a wildcard leads to has the price of each model.
  const further = [...fallback, ...longer].filter((name) => name.includes('/'))
  return [...targets, ...further].filter((name) => !isWildcard(name))
}

/** Sentences about routes with targets whose price is unknown; none if calls of unknown cost are let in. */
export async function unpricedRoutes(
  config: Config,
  upstreams: ReadonlyMap<string, Upstream>,
): Promise<readonly string[]> {
  if (config.limits.unknownPrices === 'allow') return []
  const prices = await configuredPrices(config, upstreams, Date.now())
  const byRoute = Map.groupBy(prices, ({ route }) => route)
  byRoute.delete(undefined)
  return [...byRoute].flatMap(([route = '', targets]) => {
    const unpriced = targets.filter(({ price }) => price === undefined)
    const isAlone = unpriced.length === (targetCount(config, route) ?? targets.length)
    return unpriced.map(({ target }) => `models.${route}: ${unpricedNote(target, isAlone)}.`)
  })
}

/** With those of the built-in engine, which have a price. */
function targetCount({ models }: Config, route: string): number | undefined {
  const model = models[route]
  return model === undefined ? undefined : targetsOf(model).length
}
