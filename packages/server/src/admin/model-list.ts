import { invalidRequest, operationNames } from '@sluice/contract'
import type { Gateway } from '../gateway.ts'
import { whyUnavailable } from '@sluice/gateway/route/call-route.ts'
import type { ListedModel, Route, Target } from '@sluice/gateway/route/routing.ts'
import type { Caller } from '@sluice/gateway/ports/api-key.ts'
import { endpoint, wholeReaders } from '../endpoint.ts'
import { parameter } from '../openapi-endpoint.ts'
import { type Values, whole } from '../query.ts'
import {
  byName,
  described,
  flag,
  integer,
  integerOrNull,
  list,
  number,
  numberOrNull,
  object,
  orNull,
  text,
  textOrNull,
  texts,
} from '../shapes.ts'
import { filled } from './filled.ts'

const pageMax = 500
const pageUsual = 100

const priceSchema = described(
  object({
    rates: byName(object({ usd: number, per: integer })),
    source: text,
    date: text,
  }),
  'US dollars for `per` units; null if the price is unknown.',
)

const targetSchema = object({
  target: text,
  provider: text,
  model: text,
  level: integer,
  priority: number,
  weight: number,
  because: text,
  available: flag,
  latencyMs: numberOrNull,
  price: orNull(priceSchema),
})

const modelSchema = object({
  id: text,
  ownedBy: text,
  displayName: text,
  description: text,
  operations: texts,
  inputTokenLimit: integerOrNull,
  outputTokenLimit: integerOrNull,
  isRoute: flag,
  strategy: textOrNull,
  targets: list(targetSchema),
  problem: textOrNull,
})

const filters = {
  search: parameter(text, 'Only names that hold this.'),
  provider: parameter(text, 'Only what is of this provider.'),
  operation: parameter({ enum: operationNames }, 'Only what offers this operation.'),
}

/** Lists all callable model names and their targets. */
export const listRoutedModels = endpoint({
  method: 'GET',
  path: '/admin/v1/models',
  access: wholeReaders,
  operationId: 'listRoutedModels',
  summary: 'List every model that can be called, with its targets, prices, limits and operations',
  tag: 'Operation',
  query: {
    ...filters,
    limit: parameter(
      { type: 'integer', minimum: 1, maximum: pageMax, default: pageUsual },
      'Models per page.',
    ),
    after: parameter(text, 'The id of the last model of the page before.'),
  },
  refusesUnknown: true,
  reply: object({ data: list(modelSchema), total: integer, hasMore: flag }),
  async answer({ query }, { gateway, key }) {
    const limit = whole(query.limit, 'limit', {
      minimum: 1,
      maximum: pageMax,
      fallback: pageUsual,
    })
    const found = await wanted(gateway, key, query)
    const { after = '' } = query
    const place = after === '' ? 0 : found.findIndex(({ id }) => id === after) + 1
    if (after !== '' && place === 0) throw invalidRequest('There is no model with this id', 'after')
    const page = found.slice(place, place + limit)
    return {
      data: await Promise.all(page.map((model) => shownModel(gateway, key, model))),
      total: found.length,
      hasMore: place + limit < found.length,
    }
  },
})

async function wanted(
  gateway: Gateway,
  key: Caller,
  { search = '', provider, operation }: Values<typeof filters>,
) {
  const part = search.toLowerCase()
  const routes = gateway.settings.config().models
  const listed = (await gateway.current.routing.list(key)).filter(
    ({ id, ownedBy, operations }) =>
      id.toLowerCase().includes(part) &&
      (provider === undefined || ownedBy === provider || id.startsWith(`${provider}/`)) &&
      (operation === undefined || operations.some((name) => name === operation)),
  )
  // Configured routes come first.
  return listed.toSorted(
    (one, other) => Number(Object.hasOwn(routes, other.id)) - Number(Object.hasOwn(routes, one.id)),
  )
}

async function shownModel(gateway: Gateway, key: Caller, model: ListedModel) {
  const found = await routeOrProblem(gateway, key, model)
  return filled(modelSchema, {
    ...model,
    isRoute: Object.hasOwn(gateway.settings.config().models, model.id),
    strategy: 'route' in found ? found.route.options.strategy : null,
    targets:
      'route' in found
        ? found.route.levels.flatMap((targets, level) =>
            targets.map((target) => shownTarget(gateway, key, { target, level })),
          )
        : [],
    problem: 'problem' in found ? found.problem : null,
  })
}

async function routeOrProblem(
  gateway: Gateway,
  key: Caller,
  { id, operations }: Pick<ListedModel, 'id' | 'operations'>,
): Promise<{ readonly route: Route } | { readonly problem: string }> {
  try {
    return { route: await gateway.current.routing.route(id, key, operations[0] ?? 'chat') }
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
  return filled(targetSchema, {
    ...target,
    target: target.id,
    provider: target.providerId,
    level,
    available: whyUnavailable(health, target, caller) === undefined,
    latencyMs: health.latencyMs(target.id),
    price: price
      ? {
          rates: Object.fromEntries(
            Object.entries(price.rates).map(([name, { usd, per }]) => [name, { usd, per }]),
          ),
          source: price.source,
          date: price.date,
        }
      : null,
  })
}
