import type { EngineModel, RoutedEngine } from '@sluice/engine'
import { familyName } from '@sluice/protocols/families/family-name.ts'
import { freeTarget } from '../prices/target-price.ts'
import { pricedTarget } from './priced-target.ts'
import type { Target, TargetRate, Upstream, UpstreamModel } from './routing.ts'
import type { RoutingInput } from './routing-input.ts'
import { defaultTimeouts, type Timeouts } from './timeouts.ts'
import { unknownModel } from './unknown-model.ts'

/** The inputs of the routing with what follows from all routes. */
export interface TargetInput extends RoutingInput {
  /** Names of targets among which a route chooses by their calls. */
  readonly counted: ReadonlySet<string>
}

/** What a route says of one of its targets. */
export interface TargetSettings {
  readonly because: string
  readonly weight?: number
  readonly priority?: number
  /** The concurrency limit of the target within its route. */
  readonly bound?: Bound
  readonly rates?: readonly TargetRate[]
  /** As in `Target`. Default: its own name, if it is one of `counted`. */
  readonly countedAs?: string | undefined
  readonly timeouts?: Partial<Timeouts>
}

interface Bound {
  readonly name: string
  readonly inside: number
}

/**
 * The target with this name, `provider/model`.
 *
 * @throws GatewayError `model_not_found` if there is no such provider or model of the built-in engine.
 */
export function makeTarget(input: TargetInput, name: string, settings: TargetSettings): Target {
  const slash = name.indexOf('/')
  const providerId = name.slice(0, slash)
  const model = name.slice(slash + 1)
  const { because, weight = 1, priority = 0, bound, rates = [], timeouts } = settings
  const unsupported = input.config.providers[providerId]?.unsupported ?? input.config.unsupported
  if (!isModelName(model)) throw unknownModel(name)
  const price = priceOf(input, providerId, model)
  const full = fullnessOf(input, name, bound)
  const countedAs = settings.countedAs ?? (input.counted.has(name) ? name : undefined)
  const takesRoom = full.slots.length > 0 || rates.length > 0 || countedAs !== undefined
  const room = { ...full, rates, takesRoom, ...(countedAs !== undefined && { countedAs }) }
  const rest = { id: name, providerId, weight, priority, because, unsupported, price, ...room }
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

export function priceOf(input: RoutingInput, provider: string, id: string) {
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

export function isModelName(name: string): boolean {
  return modelNamePattern.test(name)
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
