import { oneOf } from '@sluice/contract'
import type { Budget } from '@sluice/gateway/ports/account.ts'
import type { Caller } from '@sluice/gateway/ports/api-key.ts'
import { budgetWarningPercent } from '@sluice/gateway/ports/alert.ts'
import type { Gateway } from '../gateway.ts'
import { endpoint, wholeReaders } from '../endpoint.ts'
import { checkWritable } from '../health.ts'
import { described, flag, list, object, type Of, text, textOrNull, time, words } from '../shapes.ts'
import { catchUp } from '../usage.ts'
import { type BudgetLevel, budgetLevels } from './budgets.ts'
import { faultsOf } from './route-faults.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** How long records may wait before that is a problem, in milliseconds. */
const behindMaxMs = 10_000
/** Maximum number of problems of one kind; the worst come first. */
const shownMax = 50
/** Maximum number of groups read to find unknown costs. */
const groupsMax = 5_000

const partSchema = object({
  name: words(['database', 'journal', 'redis']),
  isFine: flag,
  detail: described(textOrNull, 'What is wrong; null if nothing is.'),
})

const problemSchema = object({
  severity: described(
    oneOf(['error', 'warning']),
    '`error`: calls fail or are refused. `warning`: they will, or something is lost.',
  ),
  kind: oneOf([
    'database',
    'journal',
    'redis',
    'provider_locked',
    'provider_off',
    'route_broken',
    'breaker_open',
    'key_refused',
    'key_limited',
    'budget_spent',
    'budget_near',
    'price_unknown',
  ]),
  subject: described(text, 'The provider, target, route or holder of a budget.'),
  message: text,
  until: described(
    textOrNull,
    'When it ends by itself, or is tried again; null if that is unknown.',
  ),
})

type Part = Of<typeof partSchema>
type Problem = Of<typeof problemSchema>

/** Lists what does not work at the moment, the worst first. */
export const listProblems = endpoint({
  method: 'GET',
  path: '/admin/v1/problems',
  access: wholeReaders,
  operationId: 'listProblems',
  summary:
    'List what is wrong now: database, journal, Redis, providers, keys, routes, budgets and prices',
  tag: 'Operation',
  reply: object({ at: time, parts: list(partSchema), problems: list(problemSchema) }),
  async answer(_, { gateway, key }) {
    const parts = await partsOf(gateway)
    const works = (part: Part['name']) => parts.every(({ name, isFine }) => name !== part || isFine)
    // Without the database, neither holders nor records are known.
    const { levels } =
      works('database') && works('redis') ? await budgetLevels(gateway, key) : { levels: [] }
    const found = [
      ...parts.flatMap(brokenPart),
      ...providersOff(gateway),
      ...openBreakers(gateway),
      ...restingKeys(gateway),
      ...(await brokenRoutes(gateway, key, levels.length > 0)),
      ...usedBudgets(gateway, levels),
      ...(works('database') ? await unknownCosts(gateway) : []),
    ]
    const worstFirst = found.toSorted((one, other) => rank[one.severity] - rank[other.severity])
    return { at: new Date(gateway.now()).toISOString(), parts, problems: worstFirst }
  },
})

const rank = { error: 0, warning: 1 } as const

async function partsOf(gateway: Gateway): Promise<readonly Part[]> {
  const { store, limiter } = gateway
  const part = (name: Part['name'], detail: string | null): Part => ({
    name,
    isFine: detail === null,
    detail,
  })
  const broken = await Promise.all([checkWritable(gateway), catchUp(store)]).then(
    () => null,
    () => 'Records of calls cannot be stored or read: the log has the reason',
  )
  const { records, behindMs } = store.waitingUsage()
  const late = `${records} records have waited for the database for ${Math.round(behindMs / 1000)} seconds`
  return [
    part('database', broken),
    part('journal', behindMs > behindMaxMs ? late : null),
    ...(limiter.isShared === undefined
      ? []
      : [
          part(
            'redis',
            limiter.isShared() ? null : 'Redis does not answer, so limits are not shared',
          ),
        ]),
  ]
}

function brokenPart({ name, detail }: Part): readonly Problem[] {
  return detail === null
    ? []
    : [{ severity: 'error', kind: name, subject: name, message: detail, until: null }]
}

function providersOff({ settings, current: { routing } }: Gateway): readonly Problem[] {
  const { providers, stored } = settings.config()
  const locked = stored.locked.map(
    (id): Problem => ({
      severity: 'error',
      kind: 'provider_locked',
      subject: id,
      message: `No key in SLUICE_ENCRYPTION_KEY decrypts the settings of ${id}`,
      until: null,
    }),
  )
  const off = Object.entries(providers).flatMap(([id, { enabled }]): readonly Problem[] => {
    const why =
      enabled === false || stored.locked.includes(id) ? undefined : routing.known.whyOff(id)
    if (why === undefined) return []
    return [{ severity: 'warning', kind: 'provider_off', subject: id, message: why, until: null }]
  })
  return [...locked, ...off].slice(0, shownMax)
}

function openBreakers({ health }: Gateway): readonly Problem[] {
  const found = health.seen().flatMap(({ id, breaker, refusedCallers }): readonly Problem[] => {
    const problem = { kind: 'breaker_open', subject: id, until: null } as const
    if (breaker !== 'closed') {
      const next = breaker === 'open' ? 'it is tried last' : 'one call tries it again'
      return [{ ...problem, severity: 'error', message: `Calls to ${id} have failed: ${next}` }]
    }
    if (refusedCallers.length === 0) return []
    const whose = refusedCallers.length === 1 ? 'one key' : `${refusedCallers.length} keys`
    return [
      { ...problem, severity: 'warning', message: `Calls to ${id} have failed for ${whose} alone` },
    ]
  })
  return found.slice(0, shownMax)
}

function restingKeys({ health, current: { routing } }: Gateway): readonly Problem[] {
  const found = [...routing.upstreams.values()].flatMap(({ id, secrets }) =>
    health.keys.resting(id, secrets).map(({ reason, position, model, caller, until }): Problem => {
      const which = `key ${position} of ${id}`
      const where = `${model === undefined ? '' : ` for ${model}`}${caller === undefined ? '' : `, for the calls of ${caller}`}`
      return {
        severity: reason === 'refused' ? 'error' : 'warning',
        kind: reason === 'refused' ? 'key_refused' : 'key_limited',
        subject: id,
        message:
          reason === 'refused'
            ? `${id} refuses key ${position}${where}`
            : `The rate of ${which} is used up${where}`,
        until: new Date(until).toISOString(),
      }
    }),
  )
  return found.slice(0, shownMax)
}

/** Routes that lead nowhere, and, where there are budgets, those with targets whose price is unknown. */
async function brokenRoutes(
  gateway: Gateway,
  key: Caller,
  hasBudgets: boolean,
): Promise<readonly Problem[]> {
  const names = Object.keys(gateway.settings.config().models).slice(0, shownMax)
  const { problems, unpriced } = await faultsOf(gateway, gateway.current.routing, { names, key })
  return [
    ...problems.map(
      ({ model, problem }): Problem => ({
        severity: 'error',
        kind: 'route_broken',
        subject: model,
        message: problem,
        until: null,
      }),
    ),
    ...(hasBudgets ? unpriced : []).map(
      ({ model, problem }): Problem => ({
        severity: 'warning',
        kind: 'price_unknown',
        subject: model,
        message: `In ${model}, ${problem}`,
        until: null,
      }),
    ),
  ]
}

function usedBudgets({ now }: Gateway, levels: readonly BudgetLevel[]): readonly Problem[] {
  const used = levels.flatMap(({ claim: { holder, budget, limit }, level }) => {
    const percent = limit === 0 ? 0 : Math.floor(((limit - level.remaining) * 100) / limit)
    return percent < budgetWarningPercent ? [] : [{ holder, budget, percent, level }]
  })
  return used
    .toSorted(
      (one, other) =>
        other.percent - one.percent || one.holder.name.localeCompare(other.holder.name, 'en'),
    )
    .slice(0, shownMax)
    .map(({ holder: { kind, name }, budget: { limitMicroUsd, window }, percent, level }) => {
      const isSpent = percent >= 100
      const used = isSpent ? 'spent' : `used ${percent} % of`
      return {
        severity: isSpent ? 'error' : 'warning',
        kind: isSpent ? 'budget_spent' : 'budget_near',
        subject: name,
        message: `The ${kind} ${name} has ${used} its ${limitMicroUsd / 1_000_000} USD ${spanOf(window)}`,
        until: Number.isFinite(level.resetMs)
          ? new Date(now() + level.resetMs).toISOString()
          : null,
      }
    })
}

function spanOf(window: Budget['window']): string {
  if (window === 'lifetime') return 'in total'
  return `per ${typeof window === 'number' ? `${window} hours` : window}`
}

/** Targets called in the last day whose cost is unknown, most calls first. */
async function unknownCosts({ store, now }: Gateway): Promise<readonly Problem[]> {
  const hour = now() - (now() % hourMs)
  const scope = { from: hour - dayMs, to: hour + hourMs, only: {} }
  const { groups } = await store.usage.sums({
    ...scope,
    by: ['provider', 'model'],
    limit: groupsMax,
  })
  return groups
    .filter(({ sums }) => sums.unknownCosts > 0)
    .toSorted((one, other) => other.sums.unknownCosts - one.sums.unknownCosts)
    .slice(0, shownMax)
    .map(({ of, sums }) => {
      const target = of.join('/')
      return {
        severity: 'warning',
        kind: 'price_unknown',
        subject: target,
        message: `The cost of ${sums.unknownCosts} calls to ${target} in the last day is unknown`,
        until: null,
      }
    })
}
