import type { Change } from '@sluice/gateway/route/setting-sections.ts'
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
  /** The etag of the routes the plan is based on. */
  readonly etag: string
}

/**
 * Asks the gateway what these routes would change. Other routes are kept, unless `prune`.
 *
 * @throws CommandError if a route is invalid or cannot be routed, or sluice.yaml declares another one of that name.
 */
export async function planRoutes(
  admin: AdminConnection,
  wanted: Routes,
  prune: boolean,
): Promise<RoutePlan> {
  const { models: present, declared } = await admin.ask(routeEndpoints.get)
  // Those that sluice.yaml has stay as they are.
  const kept = prune ? Object.entries(present).filter(([name]) => declared.includes(name)) : []
  const models = { ...(prune ? Object.fromEntries(kept) : present), ...wanted }
  const plan = await admin.ask(routeEndpoints.plan, { body: { models } })
  const { etag, changes, problems } = plan
  const wrong = problems.find(({ model }) => changes.some((change) => change.model === model))
  if (wrong) throw new CommandError(`routes.${wrong.model}: ${wrong.problem}`)
  return { changes, models, etag }
}
