import { invalidRequest, type OperationName, operationNames } from '@sluice/contract'
import type { Gateway } from '../gateway.ts'
import type { ListedModel, Route, Target } from '@sluice/gateway/route/routing.ts'
import type { Caller } from '@sluice/gateway/ports/api-key.ts'
import type { Address, Exchange } from '../address.ts'
import { one, whole } from '../models.ts'
import { object, query, text } from '../openapi-written.ts'
import { assertKnown } from '../usage-query.ts'
import { wholeReaders } from './endpoint.ts'
import { gatewayAddress } from './gateway-endpoint.ts'

const pageMax = 500
const pageUsual = 100

const wholeOrNull = { type: ['integer', 'null'] }
const texts = { type: 'array', items: text }

const priceSchema = {
  oneOf: [
    { type: 'null' },
    {
      ...object({
        rates: {
          type: 'object',
          additionalProperties: object({ usd: { type: 'number' }, per: { type: 'integer' } }),
        },
        source: text,
        date: text,
      }),
      description: 'US dollars for `per` units; null where nobody knows the price.',
    },
  ],
}

const modelSchema = object({
  id: text,
  ownedBy: text,
  displayName: text,
  description: text,
  operations: texts,
  inputTokenLimit: wholeOrNull,
  outputTokenLimit: wholeOrNull,
  isRoute: { type: 'boolean' },
  strategy: { type: ['string', 'null'] },
  targets: {
    type: 'array',
    items: object({
      target: text,
      provider: text,
      model: text,
      level: { type: 'integer' },
      priority: { type: 'number' },
      weight: { type: 'number' },
      because: text,
      available: { type: 'boolean' },
      latencyMs: { type: ['number', 'null'] },
      price: priceSchema,
    }),
  },
  problem: { type: ['string', 'null'] },
})

/** Lists all callable model names and their targets. */
export const modelListAddresses: readonly Address[] = [
  gatewayAddress({
    method: 'GET',
    path: '/admin/v1/models',
    roles: wholeReaders,
    operationId: 'listRoutedModels',
    summary: 'List every model that can be called, with its targets, prices, limits and operations',
    tag: 'Operation',
    parameters: [
      query('search', text, 'Only names that hold this.'),
      query('provider', text, 'Only what is of this provider.'),
      query('operation', { enum: operationNames }, 'Only what offers this operation.'),
      query(
        'limit',
        { type: 'integer', minimum: 1, maximum: pageMax, default: pageUsual },
        'Models per page.',
      ),
      query('after', text, 'The id of the last model of the page before.'),
    ],
    reply: object({
      data: { type: 'array', items: modelSchema },
      total: { type: 'integer' },
      hasMore: { type: 'boolean' },
    }),
    serve: serveModels,
  }),
]

async function serveModels({ gateway, key, request }: Exchange): Promise<object> {
  assertKnown(request.query, ['search', 'provider', 'operation', 'limit', 'after'])
  const limit = whole(one(request.query, 'limit'), 'limit', {
    minimum: 1,
    maximum: pageMax,
    fallback: pageUsual,
  })
  const found = await wanted(gateway, key, request.query)
  const after = one(request.query, 'after') ?? ''
  const place = after === '' ? 0 : found.findIndex(({ id }) => id === after) + 1
  if (after !== '' && place === 0) throw invalidRequest('There is no model with this id', 'after')
  const page = found.slice(place, place + limit)
  return {
    data: await Promise.all(page.map((model) => shownModel(gateway, key, model))),
    total: found.length,
    hasMore: place + limit < found.length,
  }
}

async function wanted(gateway: Gateway, key: Caller, given: unknown) {
  const search = (one(given, 'search') ?? '').toLowerCase()
  const provider = one(given, 'provider')
  const operation = one(given, 'operation')
  const routes = gateway.settings.config().models
  const listed = (await gateway.current.routing.list(key)).filter(
    ({ id, ownedBy, operations }) =>
      id.toLowerCase().includes(search) &&
      (provider === undefined || ownedBy === provider || id.startsWith(`${provider}/`)) &&
      (operation === undefined || operations.some((name) => name === operation)),
  )
  // Configured routes come first.
  return listed.toSorted(
    (one, other) => Number(Object.hasOwn(routes, other.id)) - Number(Object.hasOwn(routes, one.id)),
  )
}

async function shownModel(gateway: Gateway, key: Caller, model: ListedModel) {
  const { id, ownedBy, displayName, description, operations } = model
  const found = await routeOrProblem(gateway, key, { model: id, operations })
  const isRoute = Object.hasOwn(gateway.settings.config().models, id)
  return {
    id,
    ownedBy,
    displayName,
    description,
    operations,
    inputTokenLimit: model.inputTokenLimit ?? null,
    outputTokenLimit: model.outputTokenLimit ?? null,
    isRoute,
    strategy: 'route' in found ? found.route.options.strategy : null,
    targets:
      'route' in found
        ? found.route.levels.flatMap((targets, level) =>
            targets.map((target) => shownTarget(gateway, key, { target, level })),
          )
        : [],
    problem: 'problem' in found ? found.problem : null,
  }
}

async function routeOrProblem(
  gateway: Gateway,
  key: Caller,
  { model, operations }: { readonly model: string; readonly operations: readonly OperationName[] },
): Promise<{ readonly route: Route } | { readonly problem: string }> {
  try {
    return { route: await gateway.current.routing.route(model, key, operations[0] ?? 'chat') }
  } catch (thrown) {
    return { problem: thrown instanceof Error ? thrown.message : 'It leads nowhere' }
  }
}

function shownTarget(
  { health, now }: Gateway,
  { id: caller }: Caller,
  { target, level }: { readonly target: Target; readonly level: number },
) {
  const price = target.price.written(now())
  return {
    target: target.id,
    provider: target.providerId,
    model: target.model,
    level,
    priority: target.priority,
    weight: target.weight,
    because: target.because,
    available: health.available(target.id, caller),
    latencyMs: health.latencyMs(target.id) ?? null,
    price: price
      ? {
          rates: Object.fromEntries(
            Object.entries(price.rates).map(([name, { usd, per }]) => [name, { usd, per }]),
          ),
          source: price.source,
          date: price.date,
        }
      : null,
  }
}
