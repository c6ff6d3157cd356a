import { canonicalDefaults, GatewayError, type OperationName } from '@sluice/contract'
import type { EngineModel } from '@sluice/engine'
import { assertModel, mayUse } from '../accounts/allowed.ts'
import type { RouteConfig, RouteOptions as RouteSettings } from '../settings/schema-routes.ts'
import type { Caller } from '../ports/api-key.ts'
import { isWriting } from '../call/call.ts'
import { aliasesOf } from '../settings/alias-table.ts'
import { defaultBreaker } from './breaker.ts'
import { type ListedModels, listModels } from './list-models.ts'
import { isModelName, makeTarget, priceOf, type TargetInput } from './make-target.ts'
import type { LongerModel, Route, RouteOptions, Routing, Target, TargetRate } from './routing.ts'
import type { RoutingInput } from './routing-input.ts'
import { isUnknownModel, offHint, suggestion, unknownModel } from './unknown-model.ts'
import { type Configured, filled, isWildcard, Wildcards } from './wildcards.ts'

/** Creates the routing of one configuration. A new configuration creates a new one; running calls keep the old one. */
export function createRouting(given: RoutingInput): Routing {
  const input: TargetInput = { ...given, counted: countedTargets(given.config) }
  const { config, upstreams, engine, known } = input
  const engineNames: ReadonlyMap<string, EngineModel> = new Map(
    config.builtin.enabled === 'never' ? [] : engine.models.map((model) => [model.id, model]),
  )
  const listed: RoutedModels = { input, hasAliases: hasAliases(input), engineNames }
  // A Map, because callers choose the name: a plain object would find `constructor`.
  const routes = new Map(Object.entries(config.models).filter(([name]) => !isWildcard(name)))
  const wildcards = new Wildcards(config.models)
  /** Cached routes that depend on the configuration alone. Callers can make up names, so the oldest are evicted. */
  const made = new Map<string, Route>()

  /** `provider/` of a provider counts as a wildcard for its models, which a declared one with a longer beginning precedes. */
  function configuredAs(name: string): Configured | undefined {
    const route = routes.get(name)
    if (route !== undefined) return { name, route, rest: undefined }
    if (engineNames.has(name)) return undefined
    const slash = name.indexOf('/')
    const isDirect = slash > 0 && isProvider(input, name.slice(0, slash))
    return wildcards.find(name, isDirect ? slash + 1 : 0)
  }

  async function levelsOf(name: string, walk: Walk): Promise<Tier[]> {
    walk.seen.add(name)
    const configured = configuredAs(name)
    if (configured) return routeLevels(configured, walk)
    const direct = findDirect(name, listed, walk)
    if (direct) return [[makeTarget(input, direct.target, { because: direct.because })]]
    const slash = name.indexOf('/')
    if (slash > 0 && isProvider(input, name.slice(0, slash)))
      return [[makeTarget(input, name, { because: 'provider/model' })]]
    walk.isFixed = false
    return [[await ownedTarget(listed, name, walk.key)]]
  }

  /**
   * Targets that do not exist, such as those of a disabled provider, are skipped while others remain. Each name is
   * followed once, at its first occurrence, because fallbacks may refer to each other.
   */
  async function routeLevels({ name, route, rest }: Configured, walk: Walk): Promise<Tier[]> {
    if (typeof route === 'string')
      return [[makeTarget(input, filled(route, rest), { because: `models.${name}` })]]
    const missing: GatewayError[] = []
    const own = ownTargets(input, { name, route, rest, missing })
    const levels: Tier[] = own.length === 0 ? [] : [own]
    for (const written of route.fallback ?? []) {
      const fallback = filled(written, rest)
      if (walk.seen.has(fallback)) continue
      try {
        levels.push(...(await levelsOf(fallback, walk)))
      } catch (thrown) {
        missing.push(asMissing(thrown))
      }
    }
    const [first] = missing
    if (levels.length === 0 && first) throw first
    return levels
  }

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

  async function longerOf({ name, route, rest }: Configured, walk: Walk): Promise<Route['longer']> {
    const written = typeof route === 'string' ? [] : (route.longer ?? [])
    const found: LongerModel[] = []
    for (const one of written) {
      const model = filled(one, rest)
      const own: Walk = { ...walk, seen: new Set() }
      try {
        const levels = await withPrices(levelsOf(model, own))
        const because = `models.${name}.longer: ${model}`
        found.push({
          name: model,
          levels: levels.map((level) => level.map((target) => ({ ...target, because }))),
        })
      } catch (thrown) {
        asMissing(thrown)
      }
      walk.isFixed &&= own.isFixed
    }
    return found.length === 0 ? undefined : found
  }

  async function routeOrDefault(
    model: string,
    key: Caller,
    operation: OperationName,
  ): Promise<Route> {
    try {
      return await makeRoute(model, key, operation)
    } catch (thrown) {
      const name = isUnknownModel(thrown) && !configuredAs(model) && defaultFor(operation)
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
    const levels = await withPrices(levelsOf(model, walk))
    const configured = configuredAs(model)
    const options = optionsOf(config.defaults, configured?.route)
    const longer = configured && (await longerOf(configured, walk))
    const route: Route = { model, levels, options, ...(longer && { longer }) }
    if (walk.isFixed) remember(made, route)
    return route
  }
}

type Tier = readonly Target[]

/** State of resolving one route. */
interface Walk {
  readonly seen: Set<string>
  /** False if a provider's model list was needed, or the operation of the call. */
  isFixed: boolean
  /** The caller: only names that this key may use are suggested. */
  readonly key: Caller
  readonly operation: OperationName
}

/** Loads prices before the first call needs one. */
async function withPrices(finding: Promise<readonly Tier[]>): Promise<readonly Tier[]> {
  const levels = await finding
  for (const { price } of levels.flat()) await price.open()
  return levels
}

const madeMax = 1_000

function remember(made: Map<string, Route>, route: Route): void {
  const [oldest] = made.keys()
  if (made.size >= madeMax && oldest !== undefined) made.delete(oldest)
  made.set(route.model, route)
}

interface RoutedModels extends ListedModels {
  readonly input: TargetInput
}

interface OwnTargets extends Configured {
  readonly route: RouteConfig
  readonly missing: GatewayError[]
}

function ownTargets(input: TargetInput, { name, route, rest, missing }: OwnTargets): Tier {
  return route.targets.flatMap((written, index) =>
    orMissing(missing, () => {
      const { target, weight, priority, maxConcurrent, timeouts } = written
      // As written: the models of a wildcard share the limits.
      const limited = `${name}>${target}`
      return makeTarget(input, filled(target, rest), {
        because: `models.${name}.targets[${index}]`,
        ...(weight !== undefined && { weight }),
        ...(priority !== undefined && { priority }),
        ...(maxConcurrent !== undefined && { bound: { name: limited, inside: maxConcurrent } }),
        rates: ratesOf(written, limited),
        ...(input.counted.has(target) && { countedAs: target }),
        timeouts: { ...route.timeouts, ...timeouts },
      })
    }),
  )
}

function ratesOf(
  { requestsPerMinute, tokensPerMinute }: RouteConfig['targets'][number],
  name: string,
): readonly TargetRate[] {
  const limits = [
    ['requests', requestsPerMinute],
    ['tokens', tokensPerMinute],
  ] as const
  return limits.flatMap(([unit, limit]) =>
    limit === undefined ? [] : [{ bucket: `target ${name}:${unit}`, unit, limit }],
  )
}

/**
 * Resolves a bare model name to the one provider that lists it. If none does, the only provider whose list is unknown
 * is used for now. Throws `upstream_unavailable` if several lists are unknown.
 */
async function ownedTarget(listed: RoutedModels, name: string, key: Caller): Promise<Target> {
  const { input } = listed
  if (!isModelName(name)) throw unknownModel(name)
  const { listing, silent: all } = await input.lists.owners(name)
  // A name with an unknown provider prefix is more likely a mistake than an unlisted model.
  const silent = name.includes('/') ? [] : all
  if (listing.length > 1)
    throw new GatewayError(
      'model_not_found',
      `Several providers have ${name}; write ${fullNames(listing, name)}`,
      { param: 'model' },
    )
  if (listing.length === 0 && silent.length > 1)
    throw new GatewayError(
      'upstream_unavailable',
      `Nobody knows yet which provider has ${name}: ${silent.join(', ')} could not be asked for their models; write ${fullNames(silent, name)}`,
      { param: 'model' },
    )
  const [owner] = listing
  if (owner !== undefined)
    return makeTarget(input, `${owner}/${name}`, { because: `only ${owner} lists it` })
  const [only] = silent
  if (only === undefined) throw unknownModel(name, await hintFor(listed, name, key))
  return makeTarget(input, `${only}/${name}`, {
    because: `nobody lists it, and ${only} could not be asked for its models`,
  })
}

function fullNames(ids: readonly string[], name: string): string {
  return ids.map((id) => `${id}/${name}`).join(' or ')
}

async function hintFor(
  { input, hasAliases, engineNames }: ListedModels,
  name: string,
  key: Caller,
): Promise<string> {
  const off = offHint(input, name)
  if (off !== '') return off
  const { models, builtin } = input.config
  const aliases = hasAliases ? Object.keys(builtin.aliases) : []
  const declared = Object.keys(models).filter((one) => !isWildcard(one))
  const names = [...declared, ...aliases, ...engineNames.keys()]
  return suggestion(input, { name, names, mayUse: (one) => mayUse(key, one) })
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

function findDirect(
  name: string,
  { input: { engine, config }, hasAliases, engineNames }: ListedModels,
  walk: Walk,
): { target: string; because: string } | undefined {
  if (engineNames.has(name))
    return { target: `${engine.id}/${name}`, because: 'a model of the built-in engine' }
  const models = hasAliases ? aliasesOf(config.builtin, name) : []
  if (models.length > 1) walk.isFixed = false
  const offers = (model: string): boolean =>
    engineNames.get(model)?.operations.includes(walk.operation) === true
  const alias = models.find(offers) ?? models[0]
  if (alias === undefined) return undefined
  return { target: `${engine.id}/${alias}`, because: `builtin.aliases.${name}` }
}

/** Runs `make`. A missing model is added to `missing` instead of failing. */
function orMissing(missing: GatewayError[], make: () => Target): readonly Target[] {
  try {
    return [make()]
  } catch (thrown) {
    missing.push(asMissing(thrown))
    return []
  }
}

function asMissing(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError && thrown.code === 'model_not_found') return thrown
  throw thrown
}

function isProvider({ upstreams, packages, engine }: RoutingInput, id: string): boolean {
  return upstreams.has(id) || packages.has(id) || id === engine.id
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
