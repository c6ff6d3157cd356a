import { GatewayError, type OperationName } from '@sluice/contract'
import { mayUse } from '../accounts/allowed.ts'
import type { RouteConfig } from '../settings/schema-routes.ts'
import type { Caller } from '../ports/api-key.ts'
import { aliasesOf } from '../settings/alias-table.ts'
import type { ListedModels } from './list-models.ts'
import { isModelName, makeTarget, type TargetInput } from './make-target.ts'
import type { LongerModel, Target, TargetRate } from './routing.ts'
import type { RoutingInput } from './routing-input.ts'
import { offHint, suggestion, unknownModel } from './unknown-model.ts'
import { type Configured, filled, isWildcard, Wildcards } from './wildcards.ts'

export interface RoutedModels extends ListedModels {
  readonly input: TargetInput
}

type Tier = readonly Target[]

/** State of resolving one route. */
export interface Walk {
  readonly seen: Set<string>
  /** False if a provider's model list was needed, or the operation of the call. */
  isFixed: boolean
  /** The caller: only names that this key may use are suggested. */
  readonly key: Caller
  readonly operation: OperationName
}

/** Finds the targets that model names lead to, by one configuration. */
export class RouteLevels {
  readonly #listed: RoutedModels
  /** A Map, because callers choose the name: a plain object would find `constructor`. */
  readonly #routes: ReadonlyMap<string, string | RouteConfig>
  readonly #wildcards: Wildcards

  constructor(listed: RoutedModels) {
    const { models } = listed.input.config
    this.#listed = listed
    this.#routes = new Map(Object.entries(models).filter(([name]) => !isWildcard(name)))
    this.#wildcards = new Wildcards(models)
  }

  /** `provider/` of a provider counts as a wildcard for its models, which a declared one with a longer beginning precedes. */
  configuredAs(name: string): Configured | undefined {
    const route = this.#routes.get(name)
    if (route !== undefined) return { name, route, rest: undefined }
    if (this.#listed.engineNames.has(name)) return undefined
    const slash = name.indexOf('/')
    const isDirect = slash > 0 && isProvider(this.#listed.input, name.slice(0, slash))
    return this.#wildcards.find(name, isDirect ? slash + 1 : 0)
  }

  /** The targets of a name, then those of its fallbacks. */
  async of(name: string, walk: Walk): Promise<Tier[]> {
    walk.seen.add(name)
    const configured = this.configuredAs(name)
    if (configured) return this.#ofRoute(configured, walk)
    const direct = findDirect(name, this.#listed, walk)
    if (direct)
      return [[makeTarget(this.#listed.input, direct.target, { because: direct.because })]]
    const slash = name.indexOf('/')
    if (slash > 0 && isProvider(this.#listed.input, name.slice(0, slash)))
      return [[makeTarget(this.#listed.input, name, { because: 'provider/model' })]]
    walk.isFixed = false
    return [[await ownedTarget(this.#listed, name, walk.key)]]
  }

  /** The models for longer prompts of a route; undefined if it has none. */
  async longerOf(
    { name, route, rest }: Configured,
    walk: Walk,
  ): Promise<readonly LongerModel[] | undefined> {
    const written = typeof route === 'string' ? [] : (route.longer ?? [])
    const found: LongerModel[] = []
    for (const one of written) {
      const model = filled(one, rest)
      const own: Walk = { ...walk, seen: new Set() }
      try {
        const levels = await withPrices(this.of(model, own))
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

  /**
   * Targets that do not exist, such as those of a disabled provider, are skipped while others remain. Each name is
   * followed once, at its first occurrence, because fallbacks may refer to each other.
   */
  async #ofRoute({ name, route, rest }: Configured, walk: Walk): Promise<Tier[]> {
    if (typeof route === 'string')
      return [[makeTarget(this.#listed.input, filled(route, rest), { because: `models.${name}` })]]
    const missing: GatewayError[] = []
    const own = ownTargets(this.#listed.input, { name, route, rest, missing })
    const levels: Tier[] = own.length === 0 ? [] : [own]
    for (const written of route.fallback ?? []) {
      const fallback = filled(written, rest)
      if (walk.seen.has(fallback)) continue
      try {
        levels.push(...(await this.of(fallback, walk)))
      } catch (thrown) {
        missing.push(asMissing(thrown))
      }
    }
    const [first] = missing
    if (levels.length === 0 && first) throw first
    return levels
  }
}

/** Loads prices before the first call needs one. */
export async function withPrices(finding: Promise<readonly Tier[]>): Promise<readonly Tier[]> {
  const levels = await finding
  for (const { price } of levels.flat()) await price.open()
  return levels
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
