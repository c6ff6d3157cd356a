import { defaultModels, GatewayError } from '@sluice/contract'
import { type Call, isWriting, modelOf } from '../call/call.ts'
import type { EngineCard } from '@sluice/engine'
import { hash } from 'node:crypto'
import type { Health } from './health.ts'
import { noteSkipped } from './skipped.ts'
import { withoutTargets } from './unpriced.ts'
import type { Route, Routing, Target } from './routing.ts'

/** What finding the route of a call needs of the gateway. */
export interface RouteParts {
  /** As configured now. Read once per call, so that a configuration change never affects a running call. */
  readonly current: { readonly routing: Routing }
  readonly engine: Pick<EngineCard, 'models'>
}

/**
 * The route of the call's model. If the model is omitted, that of `defaultModel` for text, otherwise OpenAI's default model where it is
 * configured, or else the built-in model for the operation.
 *
 * @throws GatewayError `model_not_found`, or `forbidden` if the key may not use the model.
 */
export function routeOf(gateway: RouteParts, call: Call): Route | Promise<Route> {
  const { key, operation } = call
  const model = modelOf(call)
  const { routing } = gateway.current
  return model !== undefined
    ? routing.route(model, key, operation)
    : defaultRoute(gateway, routing, call)
}

async function defaultRoute(
  { engine }: RouteParts,
  routing: Routing,
  { key, operation }: Call,
): Promise<Route> {
  const name = isWriting({ operation }) ? routing.defaultModel : defaultModels[operation]
  if (name === undefined)
    throw new GatewayError('missing_parameter', "Missing required parameter: 'model'", {
      param: 'model',
    })
  try {
    return await routing.route(name, key, operation)
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code !== 'model_not_found') throw thrown
    const own = engine.models.find(({ operations }) => operations.includes(operation))
    if (!own) throw thrown
    return routing.route(own.id, key, operation)
  }
}

/** The targets of a call in the order in which they are tried. */
export function orderFor(
  { health, random }: Pick<ChooseInput, 'health' | 'random'>,
  call: Call,
  whole: Route,
): readonly Target[] {
  const { key, trail } = call
  const { unpriced } = trail
  const route = unpriced === undefined ? whole : withoutTargets(whole, unpriced)
  if (unpriced !== undefined) for (const id of unpriced) noteSkipped(trail, id, withoutPrice)
  for (const { id } of whole.tooLong?.targets ?? []) noteSkipped(trail, id, ofTooLong)
  const [level = [], ...further] = route.levels
  if (level.length === 1 && further.length === 0) return level
  const prefix = route.options.sticky ? stickyPrefix(call) : undefined
  return chooseOrder(route, {
    health,
    caller: key.id,
    random,
    postponed: (id, reason) => noteSkipped(trail, id, reason),
    ...(prefix !== undefined && { prefix }),
  })
}

export interface ChooseInput {
  readonly health: Health
  /** The id of the caller's key. */
  readonly caller: string
  readonly random: () => number
  /** Called with each target that comes last, and why. */
  readonly postponed: (id: string, reason: string) => void
  /** The input of sticky routing; absent if the route is not sticky. */
  readonly prefix?: string
}

/**
 * Orders the targets of a route: by level, within a level by priority, and among equals by the route's strategy.
 * Targets with an open breaker or without a key whose rate is left come last; they are not left out, because a failing
 * target is better than none.
 */
function chooseOrder(route: Route, input: ChooseInput): readonly Target[] {
  const ordered = route.levels.flatMap((level) =>
    byPriority(level).flatMap((equals) => orderEquals(equals, route, input)),
  )
  const unique = [...new Map(ordered.map((target) => [target.id, target])).values()]
  const last = unique.filter((target) => {
    const reason = whyUnavailable(input.health, target, input.caller)
    if (reason !== undefined) input.postponed(target.id, reason)
    return reason !== undefined
  })
  return [...unique.filter((target) => !last.includes(target)), ...last]
}

/** Why a target is not tried in its turn; undefined if its breaker is not open for the caller, and a key of it may be used. */
export function whyUnavailable(
  health: Pick<Health, 'available' | 'keys'>,
  target: Target,
  caller: string,
): string | undefined {
  if (!health.available(target.id, caller)) return 'Its breaker is open after failures'
  return limitedMs(health, target, caller) === undefined ? undefined : 'Its rate is used up'
}

const ofTooLong = 'The prompt is too long for it'
const withoutPrice = 'Its price is unknown, and a budget counts the call'

/** As `KeyTurns` has it for the model of the target and its keys, or these of them. */
export function limitedMs(
  health: Pick<Health, 'keys'>,
  target: Target,
  caller: string,
  secrets?: readonly string[],
): number | undefined {
  if (target.kind === 'engine' || health.keys.areFree) return undefined
  const use = { provider: target.providerId, model: target.model, caller }
  return health.keys.limitedMs(use, secrets ?? target.upstream.secrets)
}

function byPriority(level: readonly Target[]): readonly (readonly Target[])[] {
  const groups = Map.groupBy(level, ({ priority }) => priority)
  return [...groups.keys()]
    .toSorted((left, right) => left - right)
    .map((priority) => groups.get(priority) ?? [])
}

function orderEquals(
  equals: readonly Target[],
  { options }: Route,
  input: ChooseInput,
): readonly Target[] {
  if (equals.length < 2) return equals
  if (input.prefix !== undefined) {
    const byId = new Map(equals.map((target) => [target.id, target]))
    const ids = byPrefix([...byId.keys()], input.prefix, (id) => byId.get(id)?.weight ?? 1)
    return ids.flatMap((id) => byId.get(id) ?? [])
  }
  if (options.strategy === 'latency') return byLatency(equals, input)
  const weighted = byWeight(equals, input.random)
  if (options.strategy === 'weighted') return weighted
  const load = loadAs(options.strategy, equals, input.health)
  return weighted.toSorted((left, right) => load(left) - load(right))
}

/** Weighted random order without repetition, by exponential draws. */
function byWeight(equals: readonly Target[], random: () => number): readonly Target[] {
  const draws = new Map(
    equals.map((target) => [target, -Math.log(1 - random()) / target.weight] as const),
  )
  return equals.toSorted((left, right) => (draws.get(left) ?? 0) - (draws.get(right) ?? 0))
}

/** The load of one of these targets, for the room that it has. Equal loads leave the order to the weights. */
function loadAs(
  strategy: 'least-busy' | 'least-used',
  equals: readonly Target[],
  { loads }: Pick<Health, 'loads'>,
): (target: Target) => number {
  if (strategy === 'least-busy')
    return ({ countedAs = '', weight }) => loads.busy(countedAs) / weight
  const isLimited = equals.every((target) => tokensPerMinute(target) !== undefined)
  return (target) =>
    loads.used(target.countedAs ?? '') /
    ((isLimited ? tokensPerMinute(target) : undefined) ?? target.weight)
}

function tokensPerMinute({ rates }: Target): number | undefined {
  return rates.find(({ unit }) => unit === 'tokens')?.limit
}

/** The fraction of calls that explore, so that a slow target is noticed when it becomes fast again. */
const exploration = 0.05

/** Fastest first. Targets without observations come before all others, so that they are measured. */
function byLatency(equals: readonly Target[], input: ChooseInput): readonly Target[] {
  if (input.random() < exploration) return byWeight(equals, input.random)
  const latency = ({ id }: Target) => input.health.latencyMs(id) ?? 0
  return equals.toSorted((left, right) => latency(left) - latency(right))
}

/**
 * Rendezvous hashing: the same prompt prefix goes to the same target or key while it exists, and only the share of a removed one
 * moves (Thaler and Ravishankar, 1998). `names` are unique.
 */
export function byPrefix(
  names: readonly string[],
  prefix: string,
  weightOf: (name: string) => number = () => 1,
): readonly string[] {
  const score = (name: string) => {
    const digest = hash('sha256', `${prefix}\n${name}`, 'buffer').readUIntBE(0, 6)
    return -weightOf(name) / Math.log((digest + 1) / (2 ** 48 + 2))
  }
  const scores = new Map(names.map((name) => [name, score(name)] as const))
  return names.toSorted((left, right) => (scores.get(right) ?? 0) - (scores.get(left) ?? 0))
}

const prefixCharacters = 4096

/** The key and the first 4,096 characters of the prompt. Providers cache from the beginning of a prompt. */
export function stickyPrefix({ key, format, request }: Call): string {
  const beginning = format.prefixOf?.(request.value) ?? request.value
  const text = JSON.stringify(beginning) ?? ''
  return `${key.id}\n${text.slice(0, prefixCharacters)}`
}
