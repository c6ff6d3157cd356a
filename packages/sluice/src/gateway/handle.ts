import {
  defaultModerationModel,
  GatewayError,
  type OperationName,
  operations,
  type RequestOf,
  validate,
} from '@sluice/contract'
import { answerOf, formatContext } from './answer.ts'
import type { AnyRequest, Attempted } from './attempt.ts'
import type { Answer, Call, Gateway } from './gateway.ts'
import { perform } from './perform.ts'
import type { Route } from './routing.ts'

/** The life of one inference call: route, bring to an answer, say it in the caller's format. */
export async function handle(gateway: Gateway, call: Call): Promise<Answer> {
  return answerOf(gateway, call, await begin(gateway, call))
}

/** As handle, but stops where the answer has begun. */
export async function begin(gateway: Gateway, call: Call): Promise<Attempted> {
  const route = await routeOf(gateway, call)
  const attempted = await perform({ gateway, call, route, canonical: canonicalOf(gateway, call) })
  call.trail.upstreamMs = attempted.firstContentMs
  return attempted
}

/**
 * The route of the call's model. Only moderations may leave the model out: then OpenAI's default applies, or the built-in
 * model where nobody has that name.
 */
export async function routeOf(gateway: Gateway, { request, key, operation }: Call): Promise<Route> {
  const { model } = request
  const routing = gateway.routing()
  if (typeof model === 'string') return routing.route(model, key, operation)
  try {
    return await routing.route(defaultModerationModel, key, operation)
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code !== 'model_not_found') throw thrown
    return routing.route('builtin-moderate', key, operation)
  }
}

/** The request in the canonical form, made at most once, and only when some target needs it. */
export function canonicalOf(gateway: Gateway, call: Call): () => AnyRequest {
  let made: AnyRequest | undefined
  return () => {
    made ??= call.format ? translate(gateway, call) : (call.request as AnyRequest)
    return made
  }
}

function translate(gateway: Gateway, call: Call): RequestOf<OperationName> {
  const { format, operation } = call
  if (!format) return call.request as AnyRequest
  const request = format.toCanonical(call.request, formatContext(gateway, call))
  const { request: schema, check } = operations[operation]
  try {
    const canonical = validate(schema, request) as AnyRequest
    ;(check as ((request: AnyRequest) => void) | undefined)?.(canonical)
    return canonical
  } catch (thrown) {
    const error = GatewayError.from(thrown)
    const { param } = error.details
    if (param === undefined || !format.paramOf) throw error
    throw new GatewayError(error.code, error.message, {
      ...error.details,
      param: format.paramOf(param),
    })
  }
}
