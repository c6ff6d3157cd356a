import { defaultModels, GatewayError } from '@sluice/contract'
import { type Call, modelOf } from '../call/call.ts'
import type { EngineCard } from '@sluice/engine'
import type { Route, Routing } from './routing.ts'

/** What finding the route of a call needs of the gateway. */
export interface RouteParts {
  /**
   * Models and routes as currently configured. Read once per call, so that a configuration change never affects a
   * running call.
   */
  readonly routing: () => Routing
  readonly engine: Pick<EngineCard, 'models'>
}

/**
 * The route of the call's model. If the model is omitted, OpenAI's default model applies where it is configured,
 * otherwise the built-in model for the operation.
 *
 * @throws GatewayError `model_not_found`, or `forbidden` if the key may not use the model.
 */
export function routeOf(gateway: RouteParts, call: Call): Route | Promise<Route> {
  const { key, operation } = call
  const model = modelOf(call)
  const routing = gateway.routing()
  return model !== undefined
    ? routing.route(model, key, operation)
    : defaultRoute(gateway, routing, call)
}

async function defaultRoute(
  { engine }: RouteParts,
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
