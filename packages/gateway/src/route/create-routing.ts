import { canonicalDefaults, type OperationName } from '@sluice/contract'
import type { EngineModel } from '@sluice/engine'
import { assertModel, mayUse } from '../accounts/allowed.ts'
import type { RouteConfig, RouteOptions as RouteSettings } from '../settings/schema-routes.ts'
import type { Caller } from '../ports/api-key.ts'
import { isWriting } from '../call/call.ts'
import { defaultBreaker } from './breaker.ts'
import { listModels } from './list-models.ts'
import { priceOf, type TargetInput } from './make-target.ts'
import { type RoutedModels, RouteLevels, type Walk, withPrices } from './route-levels.ts'
import type { Route, RouteOptions, Routing } from './routing.ts'
import type { RoutingInput } from './routing-input.ts'
import { isUnknownModel } from './unknown-model.ts'

/** Creates the routing of one configuration. A new configuration creates a new one; running calls keep the old one. */
export function createRouting(given: RoutingInput): Routing {
  const input: TargetInput = { ...given, counted: countedTargets(given.config) }
  const { config, upstreams, engine, known } = input
  const engineNames: ReadonlyMap<string, EngineModel> = new Map(
    config.builtin.enabled === 'never' ? [] : engine.models.map((model) => [model.id, model]),
  )
  const listed: RoutedModels = { input, hasAliases: hasAliases(input), engineNames }
  const found = new RouteLevels(listed)
  /** Cached routes that depend on the configuration alone. Callers can make up names, so the oldest are evicted. */
  const made = new Map<string, Route>()

  return {
    upstreams,
    known,
    builtinModels: [...engineNames.keys()],
    hasProviders: hasProviders(input),
    ...(config.defaultModel !== undefined && { defaultModel: config.defaultModel }),
    route(model, key, operation) {
      assertModel(key, model)
      return made.get(model) ?? routeOrDefault(model, key, operation)
    },
    list: (key, named) => listModels(listed, key, named),
    listedBy: (upstream) => input.lists.told(upstream),
    priceOf: (provider, model) => priceOf(input, provider, model),
  }

  async function routeOrDefault(
    model: string,
    key: Caller,
    operation: OperationName,
  ): Promise<Route> {
    try {
      return await makeRoute(model, key, operation)
    } catch (thrown) {
      const name = isUnknownModel(thrown) && !found.configuredAs(model) && defaultFor(operation)
      if (typeof name !== 'string' || name === model || !mayUse(key, name)) throw thrown
      const route = made.get(name) ?? (await makeRoute(name, key, operation))
      return { ...route, model, defaultModel: name }
    }
  }

  function defaultFor(operation: OperationName): string | undefined {
    return isWriting({ operation }) ? config.defaultModel : undefined
  }

  async function makeRoute(model: string, key: Caller, operation: OperationName): Promise<Route> {
    const walk: Walk = { seen: new Set(), isFixed: true, key, operation }
    const levels = await withPrices(found.of(model, walk))
    const configured = found.configuredAs(model)
    const options = optionsOf(config.defaults, configured?.route)
    const longer = configured && (await found.longerOf(configured, walk))
    const route: Route = { model, levels, options, ...(longer && { longer }) }
    if (walk.isFixed) remember(made, route)
    return route
  }
}

const madeMax = 1_000

function remember(made: Map<string, Route>, route: Route): void {
  const [oldest] = made.keys()
  if (made.size >= madeMax && oldest !== undefined) made.delete(oldest)
  made.set(route.model, route)
}

function hasAliases(input: RoutingInput): boolean {
  const { enabled } = input.config.builtin
  return enabled === 'always' || (enabled === 'auto' && !hasProviders(input))
}

/** A removed provider may be a mistake, so well-known model names must not go to the built-in engine meanwhile. */
function hasProviders({ upstreams, packages, hadProviders }: RoutingInput): boolean {
  if (hadProviders === true || packages.size > 0) return true
  return [...upstreams.values()].some(({ ambient }) => !ambient)
}

/** The targets of routes that choose by the calls in progress or by the tokens used. */
function countedTargets({ models, defaults }: RoutingInput['config']): ReadonlySet<string> {
  const routes = Object.values(models).filter((route) => typeof route !== 'string')
  const counting = routes.filter((route) => counted.has(strategyOf(route, defaults)))
  return new Set(counting.flatMap(({ targets }) => targets.map(({ target }) => target)))
}

const counted: ReadonlySet<RouteOptions['strategy']> = new Set(['least-busy', 'least-used'])

/** What a route says itself counts before the defaults of all routes. */
function strategyOf(own: RouteSettings, defaults: RouteSettings): RouteOptions['strategy'] {
  const chosen = own.choose ?? own.strategy ?? defaults.choose ?? defaults.strategy
  return chosen === undefined || chosen === 'weight' ? 'weighted' : chosen
}

const retryDefaults = { attempts: 2, baseMs: 250, maxMs: 5_000 }

function optionsOf(
  defaults: RouteSettings,
  configured: string | RouteConfig | undefined,
): RouteOptions {
  const own: RouteSettings & Pick<RouteConfig, 'defaults'> =
    typeof configured === 'object' ? configured : {}
  const { percentile = 95, ...hedge } = { enabled: false, ...defaults.hedge, ...own.hedge }
  return {
    ...retryDefaults,
    ...defaults.retries,
    ...own.retries,
    ...(own.unsupported !== undefined && { unsupported: own.unsupported }),
    hedge: { ...hedge, percentile },
    sticky: own.sticky ?? (own.choose === undefined && defaults.sticky === true),
    strategy: strategyOf(own, defaults),
    breaker: { ...defaultBreaker, ...defaults.breaker, ...own.breaker },
    ...(own.defaults && { defaults: canonicalDefaults(own.defaults) }),
  }
}
