import { canonicalDefaults, GatewayError, type OperationName } from '@sluice/contract'
import type { EngineModel, RoutedEngine } from '@sluice/engine'
import { familyName } from '@sluice/protocols/families/family-name.ts'
import { assertModel, mayUse } from '../accounts/allowed.ts'
import type { RouteConfig, RouteOptions as RouteSettings } from '../settings/schema-routes.ts'
import type { Caller } from '../ports/api-key.ts'
import { aliasesOf } from '../settings/alias-table.ts'
import { freeTarget } from '../prices/target-price.ts'
import { defaultTimeouts, type Timeouts } from './timeouts.ts'
import { defaultBreaker } from './breaker.ts'
import { type ListedModels, listModels } from './list-models.ts'
import { pricedTarget } from './priced-target.ts'
import type { Route, RouteOptions, Routing, Target, Upstream, UpstreamModel } from './routing.ts'
import type { RoutingInput } from './routing-input.ts'
import { offHint, suggestion, unknownModel } from './unknown-model.ts'

/** Creates the routing of one configuration. A new configuration creates a new one; running calls keep the old one. */
export function createRouting(input: RoutingInput): Routing {
  const { config, upstreams, engine, known } = input
  const engineNames: ReadonlyMap<string, EngineModel> = new Map(
    config.builtin.enabled === 'never' ? [] : engine.models.map((model) => [model.id, model]),
  )
  const listed: ListedModels = { input, hasAliases: hasAliases(input), engineNames }
  // A Map, because callers choose the name: a plain object would find `constructor`.
  const routes = new Map(Object.entries(config.models))
  /** Cached routes that depend on the configuration alone. Callers can make up names, so the oldest are evicted. */
  const made = new Map<string, Route>()

  async function levelsOf(name: string, walk: Walk): Promise<Tier[]> {
    walk.seen.add(name)
    const configured = routes.get(name)
    if (typeof configured === 'string')
      return [[makeTarget(input, configured, { because: `models.${name}` })]]
    if (configured) return routeLevels(name, configured, walk)
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
  async function routeLevels(name: string, configured: RouteConfig, walk: Walk): Promise<Tier[]> {
    const missing: GatewayError[] = []
    const own = ownTargets(input, { name, configured, missing })
    const levels: Tier[] = own.length === 0 ? [] : [own]
    for (const fallback of configured.fallback ?? []) {
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
    route(model, key, operation) {
      assertModel(key, model)
      return made.get(model) ?? makeRoute(model, key, operation)
    },
    list: (key, named) => listModels(listed, key, named),
    listedBy: (upstream) => input.lists.told(upstream),
    priceOf: (provider, model) => priceOf(input, provider, model),
  }

  async function makeRoute(model: string, key: Caller, operation: OperationName): Promise<Route> {
    const walk: Walk = { seen: new Set(), isFixed: true, key, operation }
    const levels = await withPrices(levelsOf(model, walk))
    const route: Route = { model, levels, options: optionsOf(config.defaults, routes.get(model)) }
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

function ownTargets(
  input: RoutingInput,
  { name, configured, missing }: { name: string; configured: RouteConfig; missing: GatewayError[] },
): Tier {
  return configured.targets.flatMap(
    ({ target, weight, priority, maxConcurrent, timeouts }, index) =>
      orMissing(missing, () =>
        makeTarget(input, target, {
          because: `models.${name}.targets[${index}]`,
          ...(weight !== undefined && { weight }),
          ...(priority !== undefined && { priority }),
          ...(maxConcurrent !== undefined && {
            bound: { name: `${name}>${target}`, inside: maxConcurrent },
          }),
          timeouts: { ...configured.timeouts, ...timeouts },
        }),
      ),
  )
}

/**
 * Resolves a bare model name to the one provider that lists it. If none does, the only provider whose list is unknown
 * is used for now. Throws `upstream_unavailable` if several lists are unknown.
 */
async function ownedTarget(listed: ListedModels, name: string, key: Caller): Promise<Target> {
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
  const names = [...Object.keys(models), ...aliases, ...engineNames.keys()]
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

interface TargetSettings {
  readonly because: string
  readonly weight?: number
  readonly priority?: number
  /** The concurrency limit of the target within its route. */
  readonly bound?: Bound
  readonly timeouts?: Partial<Timeouts>
}

interface Bound {
  readonly name: string
  readonly inside: number
}

function makeTarget(input: RoutingInput, name: string, settings: TargetSettings): Target {
  const slash = name.indexOf('/')
  const providerId = name.slice(0, slash)
  const model = name.slice(slash + 1)
  const { because, weight = 1, priority = 0, bound, timeouts } = settings
  const unsupported = input.config.providers[providerId]?.unsupported ?? input.config.unsupported
  if (!isModelName(model)) throw unknownModel(name)
  const price = priceOf(input, providerId, model)
  const full = fullnessOf(input, name, bound)
  const rest = { id: name, providerId, weight, priority, because, unsupported, price, ...full }
  const engine = engineOf(input, providerId, model)
  if (engine) {
    const own = providerId === input.engine.id ? engineCard(input, model) : undefined
    return {
      ...rest,
      kind: 'engine',
      engine,
      model,
      family: model,
      timeouts: timeoutsOf(input.config.defaults.timeouts, timeouts),
      outputTokensMax: () => own?.outputTokenLimit,
    }
  }
  const upstream = input.upstreams.get(providerId)
  if (!upstream)
    throw unknownModel(
      name,
      input.known.whyOff(providerId) ?? `No provider ${providerId} is configured`,
    )
  const own = upstream.models?.find(({ id }) => id === model)
  const named = own?.upstream ?? model
  const speaker = speaking(upstream, named)
  const family = familyOf(upstream, named, own)
  return {
    ...rest,
    kind: 'upstream',
    upstream: speaker,
    model: named,
    family,
    inputTokensMax: () =>
      own?.inputTokenLimit ?? input.lists.known(upstream, named)?.inputTokenLimit,
    outputTokensMax: () =>
      own?.outputTokenLimit ??
      input.lists.known(upstream, named)?.outputTokenLimit ??
      speaker.provider.protocol.outputTokensMax?.(family, upstream.isOtherBase),
    timeouts: timeoutsOf(input.config.defaults.timeouts, upstream.timeouts, timeouts),
  }
}

/** The usual timeouts with those that are set; later ones win. */
function timeoutsOf(...given: readonly (Partial<Timeouts> | undefined)[]): Timeouts {
  return Object.assign({}, defaultTimeouts, ...given)
}

const queueDefaults = { waiting: 1_000, waitMs: 5_000 }

/** The concurrency limits of a target and its provider; `bound` is that of its route. */
function fullnessOf(
  { config }: RoutingInput,
  target: string,
  bound?: Bound,
): Pick<Target, 'slots' | 'whenFull'> {
  const slash = target.indexOf('/')
  const provider = target.slice(0, slash)
  const model = target.slice(slash + 1)
  const settings = config.providers[provider] ?? {}
  const { maxConcurrent, queueLength, queueMs, whenFull = 'wait', models = [] } = settings
  const listed = models.find((one) => typeof one === 'object' && one.id === model)
  const own = typeof listed === 'object' ? listed.maxConcurrent : undefined
  const waiting = queueLength ?? queueDefaults.waiting
  const waitMs = queueMs ?? queueDefaults.waitMs
  const slots = [
    ...(bound ? [bound] : []),
    { name: target, inside: own },
    { name: provider, inside: maxConcurrent },
  ].flatMap(({ name, inside }) => (inside === undefined ? [] : [{ name, inside, waiting, waitMs }]))
  return { slots, whenFull }
}

function priceOf(input: RoutingInput, provider: string, id: string) {
  if (provider === input.engine.id) return builtInPrice
  return input.prices.of(pricedTarget(input, provider, id))
}

/** Free of charge. */
const builtInPrice = freeTarget('built-in', '')

/** The in-process engine of a provider; undefined for upstreams. */
function engineOf(
  { config, engine, packages }: RoutingInput,
  providerId: string,
  model: string,
): (() => Promise<RoutedEngine>) | undefined {
  if (providerId !== engine.id) return packages.get(providerId)
  const known = engine.models.find(({ id }) => id === model)
  if (config.builtin.enabled === 'never' || known === undefined)
    throw unknownModel(`${providerId}/${model}`)
  const offered = Object.entries(engine.operations ?? {}).filter(([operation]) =>
    known.operations.some((own) => own === operation),
  )
  const operations: RoutedEngine = Object.fromEntries(offered)
  return async () => operations
}

/**
 * Model names are used in URLs, headers and logs. Control characters, lone surrogates and path segments such as `..`
 * are refused.
 */
const modelNamePattern = /^(?!\.{1,2}$)[^\p{Cc}\p{Cs}]{1,512}$/u

function isModelName(name: string): boolean {
  return modelNamePattern.test(name)
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
    sticky: own.sticky ?? defaults.sticky ?? false,
    strategy: own.strategy ?? defaults.strategy ?? 'weighted',
    breaker: { ...defaultBreaker, ...defaults.breaker, ...own.breaker },
    ...(own.defaults && { defaults: canonicalDefaults(own.defaults) }),
  }
}

function engineCard({ engine }: RoutingInput, model: string): EngineModel | undefined {
  return engine.models.find(({ id }) => id === model)
}

/** A name that an account gave, such as that of a deployment, is asked last: it need not say what the model is. */
function familyOf({ provider }: Upstream, named: string, own: UpstreamModel | undefined): string {
  if (own?.family !== undefined) return own.family
  if (own === undefined || own.id === named) return named
  const isGiven = provider.namesByAccount?.(named) === true
  return familyName(isGiven ? [own.id, named] : [named, own.id, named])
}

/** The upstream with the protocol of one of its models. */
function speaking(upstream: Upstream, model: string): Upstream {
  const protocol = upstream.provider.protocolOf?.(model)
  return protocol ? { ...upstream, provider: { ...upstream.provider, protocol } } : upstream
}
