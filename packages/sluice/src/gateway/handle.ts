import { defaultModerationModel, GatewayError, operations, validate } from '@sluice/contract'
import { answerOf, formatContext } from './answer.ts'
import type { Attempted } from './attempt/attempt.ts'
import type { AnyRequest } from './canonical.ts'
import type { Answer, Call } from './call.ts'
import type { Gateway } from './gateway.ts'
import type { Route, Routing } from './route/routing.ts'
import { fallback } from './run/fallback.ts'
import { asWritten, type Run } from './run/run.ts'

/** The life of one inference call: route, bring to an answer, say it in the caller's format. */
export async function handle(gateway: Gateway, call: Call): Promise<Answer> {
  const run = await openRun(gateway, call)
  return answerOf(run, await begin(run))
}

/** Where the call goes, decided once. Throws `model_not_found`, or `forbidden` where the key may not use it. */
export async function openRun(gateway: Gateway, call: Call): Promise<Run> {
  return {
    gateway,
    call,
    route: await routeOf(gateway, call),
    canonical: canonicalOf(gateway, call),
  }
}

/** The same way for another request of the caller: the route stays. */
export function withCall(run: Run, call: Call): Run {
  return { ...run, call, canonical: canonicalOf(run.gateway, call) }
}

/** Brings a call to the beginning of its answer. */
export async function begin(run: Run): Promise<Attempted> {
  const attempted = await fallback(run)
  run.call.trail.upstreamMs = attempted.firstContentMs
  return attempted
}

/**
 * The route of the call's model. Only moderations may leave the model out: then OpenAI's default applies, or the built-in
 * model where nobody has that name.
 */
function routeOf(gateway: Gateway, call: Call): Route | Promise<Route> {
  const { request, key, operation } = call
  const { model } = request
  const routing = gateway.routing()
  return typeof model === 'string'
    ? routing.route(model, key, operation)
    : defaultRoute(gateway, routing, call)
}

async function defaultRoute(
  { engine }: Gateway,
  routing: Routing,
  { key, operation }: Call,
): Promise<Route> {
  try {
    return await routing.route(defaultModerationModel, key, operation)
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code !== 'model_not_found') throw thrown
    const own = engine.models.find(({ operations }) => operations.includes(operation))
    if (!own) throw thrown
    return routing.route(own.id, key, operation)
  }
}

/** The request in the canonical form, made at most once, and only when some target needs it. */
function canonicalOf(gateway: Gateway, call: Call): () => AnyRequest {
  let made: AnyRequest | undefined
  return () => {
    made ??= translate(gateway, call)
    return made
  }
}

function translate(gateway: Gateway, call: Call): AnyRequest {
  const { format, operation, request } = call
  const leftOut = (param: string) => void call.trail.dropped.add(param)
  const translated = format.toCanonical(request, formatContext(gateway, call.headers, leftOut))
  // Its own format was checked by the operation's rules when the call was made.
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
