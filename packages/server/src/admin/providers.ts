import { GatewayError, invalidRequest, microUsdOf, oneOf, operations } from '@sluice/contract'
import { Type } from 'typebox'
import { shownUrl } from '@sluice/gateway/settings/shown-url.ts'
import type { Gateway } from '../gateway.ts'
import { admit } from '@sluice/gateway/admit/admit.ts'
import { handle } from '@sluice/gateway/answer/answer.ts'
import type { Upstream } from '@sluice/gateway/route/routing.ts'
import type { Exchange } from '../address.ts'
import { addressOf, changers, endpoint, wholeReaders } from '../endpoint.ts'
import {
  flag,
  integer,
  integerOrNull,
  list,
  number,
  numberOrNull,
  object,
  text,
  textOrNull,
  texts,
  words,
} from '../shapes.ts'
import { sampleCall } from './explain.ts'
import { filled } from './filled.ts'
import { closed } from './schemas.ts'

const tag = 'Operation'

const targetSchema = object({
  target: text,
  breaker: words(['open', 'half-open', 'closed']),
  refusedKeys: texts,
  latencyMs: numberOrNull,
  firstContentP50Ms: numberOrNull,
  firstContentP95Ms: numberOrNull,
  observations: integer,
})

const providerSchema = object({
  id: text,
  name: text,
  on: flag,
  why: textOrNull,
  configuredBy: words(['sluice.yaml', 'environment', 'database', null]),
  protocol: textOrNull,
  baseUrl: textOrNull,
  local: flag,
  environment: texts,
  documentation: textOrNull,
  keys: integer,
  restingKeys: list(
    object({
      reason: oneOf(['refused', 'limited']),
      position: integer,
      model: textOrNull,
      key: textOrNull,
      until: text,
    }),
  ),
  models: integerOrNull,
  targets: list(targetSchema),
})

const testBody = closed({
  model: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'As the provider calls it. Default: the first that is known of it.',
    }),
  ),
})

const listProviders = endpoint({
  method: 'GET',
  path: '/admin/v1/providers',
  access: wholeReaders,
  operationId: 'listProviders',
  summary: 'List the providers: what is on, why not, and what this process has seen of each target',
  tag,
  reply: object({ data: list(providerSchema) }),
  answer: async (_, { gateway }) => ({ data: allProviders(gateway) }),
})

/** The test is an ordinary call of the administrator's key: its limits apply and it is recorded. */
const testProvider = endpoint({
  method: 'POST',
  path: '/admin/v1/providers/{id}/test',
  access: changers,
  operationId: 'testProvider',
  summary: 'Send a small chat request to the provider, which is recorded and charged',
  tag,
  body: testBody,
  example: {},
  reply: object({
    ok: flag,
    request: text,
    model: text,
    durationMs: number,
    status: integer,
    errorCode: textOrNull,
    message: textOrNull,
    costMicroUsd: numberOrNull,
  }),
  async answer({ path: { id }, body }, exchange) {
    const model = body.model ?? (await usualModel(exchange, id))
    return testCall(exchange, `${id}/${model}`)
  },
})

/** The state of all providers, and a test call. */
export const providerStateEndpoints = { list: listProviders, test: testProvider }

export const providerAddresses = Object.values(providerStateEndpoints).map(addressOf)

function allProviders(gateway: Gateway) {
  const { upstreams, known } = gateway.current.routing
  const { providers: configured, stored } = gateway.settings.config()
  const ids = new Set([
    gateway.engine.id,
    ...Object.keys(configured),
    ...stored.locked,
    ...upstreams.keys(),
  ])
  for (const id of known.ids) ids.add(id)
  const shown = [...ids].map((id) => shownProvider(gateway, id))
  // Enabled providers first, then by name.
  return shown.toSorted(
    (one, other) => Number(other.on) - Number(one.on) || one.name.localeCompare(other.name, 'en'),
  )
}

function shownProvider(gateway: Gateway, id: string) {
  const { upstreams, known, builtinModels } = gateway.current.routing
  const config = gateway.settings.config()
  const upstream = upstreams.get(id)
  const provider = upstream?.provider ?? known.find(id)
  const isBuiltIn = id === gateway.engine.id
  const why = isBuiltIn
    ? config.builtin.enabled === 'never'
      ? `${id} is off: builtin.enabled is never`
      : undefined
    : known.whyOff(id)
  return {
    id,
    name: isBuiltIn ? 'Built-in engine' : (provider?.name ?? id),
    on: why === undefined,
    why: why ?? null,
    configuredBy: configuredBy(gateway, id),
    protocol: provider?.protocol.id ?? config.providers[id]?.type ?? null,
    baseUrl: upstream ? shownUrl(upstream.baseUrl) : null,
    local: provider?.local === true,
    environment: provider?.environment ?? [],
    documentation: provider?.documentation ?? null,
    keys: upstream?.secrets.filter((secret) => secret !== '').length ?? 0,
    restingKeys: restingKeys(gateway, id, upstream),
    models: isBuiltIn ? builtinModels.length : (upstream?.models?.length ?? null),
    targets: seenTargets(gateway, id),
  }
}

function configuredBy(
  gateway: Gateway,
  id: string,
): 'sluice.yaml' | 'environment' | 'database' | null {
  const { providers, stored } = gateway.settings.config()
  if ([...stored.providers, ...stored.locked].includes(id)) return 'database'
  if (Object.hasOwn(providers, id)) return 'sluice.yaml'
  return gateway.current.routing.upstreams.has(id) ? 'environment' : null
}

function restingKeys({ health }: Gateway, id: string, upstream: Upstream | undefined) {
  return health.keys
    .resting(id, upstream?.secrets ?? [])
    .map(({ reason, position, model, caller, until }) => ({
      reason,
      position,
      model: model ?? null,
      key: caller ?? null,
      until: new Date(until).toISOString(),
    }))
}

function seenTargets({ health }: Gateway, id: string) {
  return health
    .seen()
    .filter(({ id: target }) => target.startsWith(`${id}/`))
    .map((seen) =>
      filled(targetSchema, {
        ...seen,
        target: seen.id,
        refusedKeys: seen.refusedCallers,
        firstContentP50Ms: health.percentileMs(seen.id, 50),
        firstContentP95Ms: health.percentileMs(seen.id, 95),
      }),
    )
}

async function testCall(exchange: Exchange, model: string) {
  const { gateway, request } = exchange
  const fields = {
    model,
    messages: [{ role: 'user', content: 'Hi' }],
    max_completion_tokens: 16,
  }
  const call = sampleCall(exchange, { request: fields })
  request.call = call
  const begun = gateway.now()
  let failure: GatewayError | undefined
  try {
    const answer = await handle(gateway, await admit(exchange, call))
    if (answer.kind === 'stream') answer.pieces.cancel(new GatewayError('cancelled', 'Not needed'))
  } catch (thrown) {
    failure = GatewayError.from(thrown)
  }
  // An unknown model is the administrator's mistake, and no call was made.
  if (failure && call.trail.attempts === 0) throw failure
  return {
    ok: failure === undefined,
    request: call.id,
    model: fields.model,
    durationMs: gateway.now() - begun,
    status: failure?.status ?? 200,
    errorCode: failure ? (failure.publicCode ?? failure.type) : null,
    message: failure?.message ?? null,
    costMicroUsd: call.trail.unknownCosts > 0 ? null : microUsdOf(call.trail.cost),
  }
}

async function usualModel({ gateway, key }: Exchange, id: string): Promise<string> {
  const routing = gateway.current.routing
  const { known, upstreams } = routing
  const off = known.whyOff(id)
  if (off !== undefined) throw new GatewayError('conflict', off)
  if (id === gateway.engine.id) return 'builtin-chat'
  if (!upstreams.has(id) && !Object.hasOwn(gateway.settings.config().providers, id))
    throw new GatewayError('not_found', 'There is no provider with this id')
  const listed = await routing.list(key)
  const found = listed.find(
    ({ id: name, operations: offered }) => name.startsWith(`${id}/`) && offered.includes('chat'),
  )
  if (!found)
    throw invalidRequest(
      `${id} lists no model for ${operations.chat.summary.toLowerCase()}: name the model`,
      'model',
    )
  return found.id.slice(id.length + 1)
}
