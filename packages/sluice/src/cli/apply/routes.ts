import type { Change } from '@sluice/gateway/route/settings-file.ts'
import { routeEndpoints } from '@sluice/server/admin/routes-plan.ts'
import type { AdminConnection } from '../ask-admin.ts'
import { CommandError } from '../command-error.ts'

type Routes = Readonly<Record<string, unknown>>

/** The change of one route. */
export interface RouteChange extends Omit<Change, 'name'> {
  readonly model: string
}

/** The changes of a gateway's routes. */
export interface RoutePlan {
  readonly changes: readonly RouteChange[]
  /** All routes after the change. */
  readonly models: Routes
  /** The etag of the settings file the plan is based on. */
  readonly etag: string
}

/**
 * Asks the gateway what these routes would change. Other routes are kept, unless `prune`.
 *
 * @throws CommandError if a route is invalid or cannot be routed, or the gateway cannot write its settings file.
 */
export async function planRoutes(
  admin: AdminConnection,
  wanted: Routes,
  prune: boolean,
): Promise<RoutePlan> {
  const { models: present } = await admin.ask(routeEndpoints.get)
  const models = prune ? wanted : { ...present, ...wanted }
  const plan = await admin.ask(routeEndpoints.plan, { body: { models } })
  const { etag, isWritable, changes, problems } = plan
  const wrong = problems.find(({ model }) => changes.some((change) => change.model === model))
  if (wrong) throw new CommandError(`routes.${wrong.model}: ${wrong.problem}`)
  if (changes.length > 0 && !isWritable)
    throw new CommandError('The gateway cannot write its settings file: change the routes there')
  return { changes, models, etag }
}
