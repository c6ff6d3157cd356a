import { GatewayError } from '@sluice/contract'
import { Type } from 'typebox'
import { isDeepStrictEqual } from 'node:util'
import type { Change, SectionRead, Written } from '@sluice/gateway/route/setting-sections.ts'
import { explainCall, type Explanation } from '@sluice/gateway/answer/explain.ts'
import type { Gateway } from '../gateway.ts'
import type { Routing } from '@sluice/gateway/route/routing.ts'
import type { Exchange } from '../address.ts'
import { addressOf, changers, endpoint, wholeReaders } from '../endpoint.ts'
import { anyObject, anything, described, list, object, text, words } from '../shapes.ts'
import { sampleCall } from './explain.ts'
import { faultsOf, unlistedOf } from './route-faults.ts'
import { closed } from './schemas.ts'

const tag = 'Operation'
const routes = Type.Record(Type.String({ minLength: 1 }), Type.Unknown(), {
  description:
    'All routes, as `models` of sluice.yaml has them: a target, or a route with targets and options, by name. Those that sluice.yaml declares stay as they are.',
})
const etag = Type.String({
  description: 'The etag that was read. The change is rejected if the routes have changed since.',
})
const planBody = closed({
  models: routes,
  sample: Type.Optional(
    Type.Object(
      { path: Type.Optional(Type.String()), request: Type.Record(Type.String(), Type.Unknown()) },
      { description: 'A request that is explained before and after, as by `explain`.' },
    ),
  ),
})
const applyBody = closed({ models: routes, etag })

const written = described(anything, 'As in sluice.yaml. Null if it does not exist.')
const changesSchema = list(
  object({
    model: text,
    change: words(['added', 'changed', 'removed']),
    before: written,
    after: written,
  }),
)
const problemsSchema = list(object({ model: text, problem: text }))
const unpricedSchema = described(
  problemsSchema,
  'Targets without a known price, and what that means for calls that a budget counts.',
)
const unlistedSchema = described(
  problemsSchema,
  'Targets whose provider does not list the model. They are asked nevertheless.',
)
const explanation = Type.Unsafe<object | null>({
  description: 'As by `explain`, or the error; null without a sample.',
  type: ['object', 'null'],
})
const example = { fast: { targets: [{ target: 'openai/gpt-6-luna' }] } }

/** Reads, plans and applies changes of routes. */
export const routeEndpoints = {
  get: endpoint({
    method: 'GET',
    path: '/admin/v1/routes',
    access: wholeReaders,
    operationId: 'getRoutes',
    summary:
      'Get the routes: those in the database, and those that sluice.yaml declares, as written there',
    tag,
    reply: object({
      models: anyObject,
      declared: described(list(text), 'The names that sluice.yaml has: they are changed there.'),
      etag: text,
      file: text,
      problems: problemsSchema,
      unpriced: unpricedSchema,
    }),
    async answer(_, { gateway, key }) {
      const { sections } = gateway.settings
      const { stored, declared, etag: known } = await sections.read('models')
      const models = { ...stored, ...declared }
      return {
        models,
        declared: Object.keys(declared),
        etag: known,
        file: sections.file,
        ...(await faultsOf(gateway, gateway.current.routing, { names: Object.keys(models), key })),
      }
    },
  }),
  plan: endpoint({
    method: 'POST',
    path: '/admin/v1/routes/plan',
    access: changers,
    operationId: 'planRoutes',
    summary: 'Tell what other routes would change, without changing anything',
    tag,
    body: planBody,
    example: { models: example },
    reply: object({
      etag: text,
      changes: changesSchema,
      yaml: described(text, 'The changed routes, for those who would rather declare them.'),
      problems: problemsSchema,
      unpriced: unpricedSchema,
      unlisted: unlistedSchema,
      before: explanation,
      after: explanation,
    }),
    async answer({ body: { models, sample } }, exchange) {
      const { gateway, key } = exchange
      const planned = await planOf(gateway, models)
      const { changes } = planned
      const routing = await planned.routing()
      const changed = changes.flatMap(({ name, after }) => (after === null ? [] : [[name, after]]))
      return {
        etag: planned.etag,
        changes: changes.map(shownChange),
        yaml: await planned.yamlOf(Object.fromEntries(changed)),
        ...(await faultsOf(gateway, routing, { names: Object.keys(models), key })),
        unlisted: await unlistedOf(
          routing,
          changes.map(({ name }) => name),
          key,
        ),
        before: sample ? await explained(exchange, sample, gateway.current.routing) : null,
        after: sample ? await explained(exchange, sample, routing) : null,
      }
    },
  }),
  apply: endpoint({
    method: 'PUT',
    path: '/admin/v1/routes',
    access: changers,
    operationId: 'applyRoutes',
    summary: 'Replace the routes in the database, and take them up at once on all replicas',
    tag,
    body: applyBody,
    example: { models: example, etag: 'Zm9v' },
    reply: object({ etag: text, changes: changesSchema }),
    async answer({ body: { models, etag: known } }, { gateway, key }) {
      const planned = await planOf(gateway, models)
      return {
        etag: await planned.apply({ actor: key, known }),
        changes: planned.changes.map(shownChange),
      }
    },
  }),
}

export const routeAddresses = Object.values(routeEndpoints).map(addressOf)

async function planOf({ settings: { sections } }: Gateway, models: Written) {
  const { declared } = await sections.read('models')
  return sections.plan('models', (stored) => wantedBy(models, { stored, declared }))
}

/** What is to be stored if these are to be all routes. */
function wantedBy(models: Written, { stored, declared }: Pick<SectionRead, 'stored' | 'declared'>) {
  for (const [name, value] of Object.entries(declared))
    if (!isDeepStrictEqual(models[name], value))
      throw new GatewayError(
        'conflict',
        `models.${name} is declared in sluice.yaml: change it there`,
        { param: `models.${name}` },
      )
  const isDeclared = ([name]: readonly [string, unknown]) => Object.hasOwn(declared, name)
  return Object.fromEntries([
    // Kept in case it is not declared any more.
    ...Object.entries(stored).filter(isDeclared),
    ...Object.entries(models).filter((entry) => !isDeclared(entry)),
  ])
}

function shownChange({ name: model, ...change }: Change) {
  return { model, ...change }
}

async function explained(
  exchange: Exchange,
  sample: Readonly<Record<string, unknown>>,
  routing: Routing,
): Promise<Explanation | { readonly error: object }> {
  // An invalid sample is an error of the request, whatever the routes.
  const call = sampleCall(exchange, sample)
  try {
    return await explainCall({ ...exchange.gateway, current: { routing } }, call)
  } catch (thrown) {
    return GatewayError.from(thrown).toJSON()
  }
}
