import { parse } from 'yaml'
import { routeEndpoints } from '@sluice/server/admin/routes-plan.ts'
import type { Environment } from '../config/env.ts'
import { runningGateway } from './ask-admin.ts'
import type { GatewayOptions, Printed } from './command.ts'
import { CommandError } from './command-error.ts'
import { printedPlan } from './setting-plan.ts'
import { formatTable } from './table.ts'

export interface SetRouteOptions extends GatewayOptions {
  readonly dryRun?: boolean
}

const open = (environment: Environment, { url }: GatewayOptions) =>
  runningGateway(environment, url, 'Routes are changed with an')

/** Lists all routes: those in the database, and those that sluice.yaml declares. */
export async function listRoutesCommand(
  environment: Environment,
  options: GatewayOptions,
): Promise<string> {
  await using admin = await open(environment, options)
  const { models, declared, problems } = await admin.ask(routeEndpoints.get)
  if (options.json === true) return JSON.stringify({ models, declared, problems }, null, 2)
  return formatTable(
    ['NAME', 'FROM', 'ROUTE', 'PROBLEM'],
    Object.entries(models).map(([name, route]) => [
      name,
      declared.includes(name) ? 'sluice.yaml' : 'database',
      typeof route === 'string' ? route : JSON.stringify(route),
      problems.find(({ model }) => model === name)?.problem ?? '',
    ]),
  )
}

/** Adds or changes a route in the database; `value` is YAML: a target, or a route. */
export function setRouteCommand(
  environment: Environment,
  { name, value, options }: RouteChange & { readonly value: string },
): Promise<Printed> {
  const route = routeIn(value)
  return changeRoutes(environment, { name, options }, (models) => ({ ...models, [name]: route }))
}

/** Removes a route from the database. */
export function removeRouteCommand(
  environment: Environment,
  change: RouteChange,
): Promise<Printed> {
  return changeRoutes(environment, change, (models) => {
    if (!Object.hasOwn(models, change.name))
      throw new CommandError(`There is no route ${change.name}: sluice routes list`)
    return Object.fromEntries(Object.entries(models).filter(([name]) => name !== change.name))
  })
}

interface RouteChange {
  readonly name: string
  readonly options: SetRouteOptions
}

type Routes = Readonly<Record<string, unknown>>

async function changeRoutes(
  environment: Environment,
  { name, options }: RouteChange,
  changed: (models: Routes) => Routes,
): Promise<Printed> {
  await using admin = await open(environment, options)
  const models = changed((await admin.ask(routeEndpoints.get)).models)
  const plan = await admin.ask(routeEndpoints.plan, { body: { models } })
  const isApplied = options.dryRun !== true && plan.changes.length > 0
  if (isApplied) await admin.ask(routeEndpoints.apply, { body: { models, etag: plan.etag } })
  const faults = [...plan.problems, ...plan.unlisted, ...plan.unpriced].filter(
    ({ model }) => model === name,
  )
  return printedPlan(
    {
      changes: plan.changes.map(({ model, ...change }) => ({ name: model, ...change })),
      problems: faults.map(({ problem }) => `${name}: ${problem}`),
      isApplied,
    },
    options,
  )
}

function routeIn(text: string): unknown {
  try {
    return parse(text)
  } catch (cause) {
    throw new CommandError(`The route is not YAML: ${JSON.stringify(text)}`, { cause })
  }
}
