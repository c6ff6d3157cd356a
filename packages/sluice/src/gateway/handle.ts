import { defaultModels, GatewayError, operations, validate } from '@sluice/contract'
import type { UnsupportedMode } from '../config/unsupported-mode.ts'
import { answerOf, formatContext } from './answer.ts'
import type { Attempted } from './attempt/attempt.ts'
import { type Answer, type Call, modelOf } from './call.ts'
import type { AnyRequest } from './canonical.ts'
import type { Gateway } from './gateway.ts'
import type { Route, Routing } from './route/routing.ts'
import { fallback } from './run/fallback.ts'
import { asWritten, formatReports, type Run } from './run/run.ts'

/** Handles one inference call: routes it, obtains a response and writes it in the caller's format. */
export async function handle(gateway: Gateway, call: Call): Promise<Answer> {
  const opening = openRun(gateway, call)
  const run = opening instanceof Promise ? await opening : opening
  return answerOf(run, began(run, await fallback(run)))
}

/**
 * Resolves the route of a call, once. Throws `model_not_found`, or `forbidden` if the key may not use the model.
 * Returns a promise only if providers must be asked for their models.
 */
export function openRun(gateway: Gateway, call: Call): Run | Promise<Run> {
  const canonical = canonicalOf(gateway, call)
  const found = routeOf(gateway, call)
  return found instanceof Promise
    ? found.then((route) => ({ gateway, call, route, canonical }))
    : { gateway, call, route: found, canonical }
}

/** The same run for another request of the caller; the route is kept. */
export function withCall(run: Run, call: Call): Run {
  return { ...run, call, canonical: canonicalOf(run.gateway, call) }
}

/** Runs a call until its response begins. */
export function begin(run: Run): Promise<Attempted> {
  return fallback(run).then((attempted) => began(run, attempted))
}

function began({ gateway, call: { trail } }: Run, attempted: Attempted): Attempted {
  trail.upstreamMs = attempted.firstContentMs
  trail.firstContentMs = gateway.now() - trail.startedAt
  return attempted
}

/**
 * The route of the call's model. If the model is omitted, OpenAI's default model applies where it is configured,
 * otherwise the built-in model for the operation.
 */
export function routeOf(gateway: Gateway, call: Call): Route | Promise<Route> {
  const { key, operation } = call
  const model = modelOf(call)
  const routing = gateway.routing()
  return model !== undefined
    ? routing.route(model, key, operation)
    : defaultRoute(gateway, routing, call)
}

async function defaultRoute(
  { engine }: Gateway,
  routing: Routing,
  { key, operation }: Call,
): Promise<Route> {
  const name = defaultModels[operation]
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

/** The canonical request. Translated at most once per mode, and only if a target needs it. */
function canonicalOf(gateway: Gateway, call: Call): Run['canonical'] {
  const made: Partial<Record<UnsupportedMode, AnyRequest>> = {}
  return (mode) => {
    const known = made[mode] ?? translate(gateway, call, mode)
    made[mode] = known
    return known
  }
}

function translate(gateway: Gateway, call: Call, mode: UnsupportedMode): AnyRequest {
  const { format, operation, request } = call
  const context = {
    ...formatContext(gateway, call.headers, call.trail),
    ...formatReports(call, mode),
  }
  const translated = format.toCanonical(request.value, context)
  // Requests in the gateway's own format were already validated when the call was created.
  if (format.isOwn === true) return translated
  const { request: schema, check } = operations[operation]
  try {
    const canonical = validate(schema, translated) as AnyRequest
    ;(check as ((request: AnyRequest) => void) | undefined)?.(canonical)
    return canonical
  } catch (thrown) {
    throw asWritten(call, thrown)
  }
}
