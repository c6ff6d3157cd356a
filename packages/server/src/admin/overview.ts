import { invalidRequest } from '@sluice/contract'
import {
  type UsageStore,
  type UsageDimension,
  type UsagePeriod,
  usagePeriods,
  type UsageScope,
} from '@sluice/gateway/ports/usage-store.ts'
import { endpoint, readers } from '../endpoint.ts'
import { parameter } from '../openapi-endpoint.ts'
import { count, list, object, text } from '../shapes.ts'
import { allDimensions, readScope, scopeParameters, withinTeam } from '../usage-query.ts'
import { shownGroup, shownSums } from '../usage-rows.ts'
import { catchUp, sumsSchema } from '../usage.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** The longest time span per step size, which limits the number of steps. */
const longestOf: Readonly<Record<UsagePeriod, number>> = {
  hour: 32 * dayMs,
  day: 800 * dayMs,
  month: Number.POSITIVE_INFINITY,
}
/** Maximum number of groups read and shown. Those with the highest cost are shown, then those with the most calls. */
const groupsMax = 5_000
const shownMax = 20

const rows = list(sumsSchema)

/** Calls, failures, cost and latency of a time span, with the totals of the preceding one. */
export const getOverview = endpoint({
  method: 'GET',
  path: '/admin/v1/overview',
  access: readers,
  operationId: 'getOverview',
  summary: 'Get the sums of a time in steps, by model, provider and team, and of the time before',
  tag: 'Usage',
  query: {
    ...scopeParameters(allDimensions),
    step: parameter({ enum: usagePeriods }, 'Default: an hour up to three days, else a day.'),
  },
  refusesUnknown: true,
  reply: object({
    from: text,
    to: text,
    step: text,
    total: sumsSchema,
    before: sumsSchema,
    series: rows,
    models: rows,
    providers: rows,
    teams: rows,
    pending: count,
  }),
  async answer({ query }, { gateway, key }) {
    const now = gateway.now()
    const asked = withinTeam(readScope(query, { dimensions: allDimensions, now }, hourMs), key)
    // Without `from`, the last day is shown.
    const from = query.from === undefined ? asked.to - dayMs : asked.from
    const scope = { ...asked, from }
    const step = stepIn(query.step, scope)
    const { usage } = gateway.store
    await catchUp(gateway.store)
    const earlier = { ...scope, from: Math.max(0, 2 * from - scope.to), to: from }
    const sums = await usage.sums({ ...scope, by: [step], limit: groupsMax })
    const before = await usage.sums({ ...earlier, by: [], limit: 1 })
    return {
      from: new Date(scope.from).toISOString(),
      to: new Date(scope.to).toISOString(),
      step,
      total: shownSums(sums.total),
      before: shownSums(before.total),
      series: sums.groups.map((group) => shownGroup([step], group)),
      models: await largest(usage, scope, 'model'),
      providers: await largest(usage, scope, 'provider'),
      teams: await largest(usage, scope, 'team'),
      pending: sums.pending,
    }
  },
})

function stepIn(value: string | undefined, { from, to }: UsageScope): UsagePeriod {
  const lasts = to - from
  if (value === undefined) return lasts <= 3 * dayMs ? 'hour' : 'day'
  const step = usagePeriods.find((period) => period === value)
  if (!step) throw invalidRequest(`'step' must be one of ${usagePeriods.join(', ')}`, 'step')
  if (lasts > longestOf[step])
    throw invalidRequest(`The time is too long for steps of one ${step}`, 'step')
  return step
}

async function largest(usage: UsageStore, scope: UsageScope, dimension: UsageDimension) {
  const { groups } = await usage.sums({ ...scope, by: [dimension], limit: groupsMax })
  return groups
    .toSorted(
      (one, other) => Number(other.sums.cost - one.sums.cost) || other.sums.calls - one.sums.calls,
    )
    .slice(0, shownMax)
    .map((group) => shownGroup([dimension], group))
}
