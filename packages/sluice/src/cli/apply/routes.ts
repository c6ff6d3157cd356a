import type { Change } from '../../config/section.ts'
import type { AdminConnection } from '../ask-admin.ts'
import { CommandError } from '../command-error.ts'

type Routes = Readonly<Record<string, unknown>>

/** What becomes of one route. */
export interface RouteChange extends Omit<Change, 'name'> {
  readonly model: string
}

/** What becomes of the routes of a gateway. */
export interface RoutePlan {
  readonly changes: readonly RouteChange[]
  /** All of them, as they shall be. */
  readonly models: Routes
  /** Of the settings file that was looked at. */
  readonly etag: string
}

interface Planned {
  readonly etag: string
  readonly isWritable: boolean
  readonly changes: readonly RouteChange[]
  readonly problems: readonly { readonly model: string; readonly problem: string }[]
}

/**
 * Asks the gateway what these routes would change. Others stay, unless `prune`.
 *
 * @throws CommandError where one of them is wrong or leads nowhere, or the gateway cannot write its settings file.
 */
export async function planRoutes(
  admin: AdminConnection,
  wanted: Routes,
  prune: boolean,
): Promise<RoutePlan> {
  const { models: present } = await admin.ask<{ readonly models: Routes }>('GET /admin/v1/routes')
  const models = prune ? wanted : { ...present, ...wanted }
  const plan: Planned = await admin.ask('POST /admin/v1/routes/plan', { models })
  const { etag, isWritable, changes, problems } = plan
  const wrong = problems.find(({ model }) => changes.some((change) => change.model === model))
  if (wrong) throw new CommandError(`routes.${wrong.model}: ${wrong.problem}`)
  if (changes.length > 0 && !isWritable)
    throw new CommandError('The gateway cannot write its settings file: change the routes there')
  return { changes, models, etag }
}

/** Replaces the routes; refused where anybody has changed the settings file since the plan. */
export async function applyRoutes(
  admin: AdminConnection,
  { models, etag }: RoutePlan,
): Promise<void> {
  await admin.ask('PUT /admin/v1/routes', { models, etag })
}
