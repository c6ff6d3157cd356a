import { defaultModels, GatewayError } from '@sluice/contract'
import { type Call, modelOf } from '../call/call.ts'
import type { Gateway } from '../gateway.ts'
import type { Route, Routing } from './routing.ts'

/**
 * The route of the call's model. If the model is omitted, OpenAI's default model applies where it is configured,
 * otherwise the built-in model for the operation.
 *
 * @throws GatewayError `model_not_found`, or `forbidden` if the key may not use the model.
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
