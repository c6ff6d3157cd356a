import { isObject } from '@sluice/contract'
import type { Budget, Terms } from '@sluice/gateway/ports/account.ts'
import { importedId, microUsdOf, metadataOf, movedBudget, tagsOf } from './imported-accounts.ts'
import type { LitellmNames } from './litellm-config.ts'
import type { SourceRow } from './source-rows.ts'
import { numberOf } from './yaml-values.ts'

/** What the rows of LiteLLM's tables refer to, and when they are read. */
export interface LitellmContext {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly names: LitellmNames
  /** Rows of LiteLLM_BudgetTable by their ids. */
  readonly budgets: ReadonlyMap<string, SourceRow>
}

/** Terms of a row, and whether it has a bound that cannot be kept, so that it must not open anything until someone has looked. */
export interface LitellmTerms {
  readonly terms: Terms
  readonly isUnbounded: boolean
}

/** Lists of models that LiteLLM keeps per level; longer ones are not taken. */
const modelsMax = 100

/** What keys, teams, users and organizations have in common. */
export function readTerms(row: SourceRow, id: string, context: LitellmContext): LitellmTerms {
  const budgetId = row.text('budget_id')
  const shared = budgetId === undefined ? undefined : context.budgets.get(budgetId)
  if (budgetId !== undefined)
    if (shared) row.changed('budget_id', 'its values are written into what has it')
    else row.left('budget_id', 'there is no such budget')
  const models = readModels(row, context.names)
  const metadata = readMetadata(row)
  const budgets = [...readBudget(row, id, shared, context), ...readModelBudgets(row, id, context)]
  const terms: Terms = {
    ...(models.list && { models: models.list }),
    ...rateOf(row, shared, 'tpm_limit', 'tokensPerMinute'),
    ...rateOf(row, shared, 'rpm_limit', 'requestsPerMinute'),
    ...rateOf(row, shared, 'max_parallel_requests', 'concurrentRequests'),
    ...(budgets.length > 0 && { budgets }),
    ...metadata,
  }
  return { terms, isUnbounded: models.isTooLong }
}

function rateOf(row: SourceRow, shared: SourceRow | undefined, name: string, term: string): Terms {
  const own = row.number(name)
  const value = own ?? shared?.number(name)
  if (own !== undefined) row.changed(name, term)
  if (shared?.number(name) !== undefined) shared.changed(name, `${term} of what has this budget`)
  if (value === undefined) return {}
  // 0 is one that nothing fits in; the least here is 1.
  return { [term]: Math.max(1, Math.round(value)) }
}

/** Words in lists of models that name no model. */
const everyModel: ReadonlySet<string> = new Set(['all-proxy-models', 'all-team-models', '*'])

function readModels(
  row: SourceRow,
  { accessGroups }: LitellmNames,
): { readonly list?: readonly string[]; readonly isTooLong: boolean } {
  const given = row.list('models')
  if (given.length === 0) return { isTooLong: false }
  if (given.some((name) => everyModel.has(name))) {
    row.taken('models', 'all')
    return { isTooLong: false }
  }
  const list = [
    ...new Set(
      given
        .filter((name) => name !== 'no-default-models')
        .flatMap((name) => accessGroups.get(name) ?? [name]),
    ),
  ]
  if (list.length > modelsMax) {
    row.left('models', `a list has at most ${modelsMax}: it is disabled until it has one`)
    return { list: [], isTooLong: true }
  }
  if (given.some((name) => accessGroups.has(name)))
    row.changed('models', 'with the models of access groups')
  else row.taken('models')
  return { list, isTooLong: false }
}

function readMetadata(row: SourceRow): Pick<Terms, 'metadata' | 'tags'> {
  const { tags: given, ...values } = row.object('metadata')
  const tags = tagsOf(Array.isArray(given) ? given.map(String) : [])
  const metadata = metadataOf(values)
  const lost = Object.keys(values).filter((name) => !(name in metadata))
  if (lost.length > 0)
    row.changed('metadata', `without ${lost.join(', ')}: only plain values are kept`)
  else row.taken('metadata')
  return {
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(tags.length > 0 && { tags }),
  }
}

/** The budget of a row, with what was spent of it in the current window. */
function readBudget(
  row: SourceRow,
  id: string,
  shared: SourceRow | undefined,
  { now }: LitellmContext,
): readonly Budget[] {
  const own = row.number('max_budget')
  const holder = own === undefined && shared?.number('max_budget') !== undefined ? shared : row
  const limit = own ?? shared?.number('max_budget')
  if (limit === undefined) {
    row.left('budget_duration', 'without max_budget it bounds nothing')
    row.left('budget_reset_at', 'without max_budget it bounds nothing')
    row.left('spend', 'without a budget it bounds nothing; the records of calls stay with LiteLLM')
    return []
  }
  const duration = holder.text('budget_duration') ?? row.text('budget_duration')
  const resetAt = row.time('budget_reset_at') ?? holder.time('budget_reset_at')
  const window = windowOf(duration)
  // LiteLLM sets what was spent back some time after the window has ended.
  const isOver = duration !== undefined && resetAt !== undefined && resetAt <= now
  const spent = isOver ? 0 : (row.number('spend') ?? 0)
  holder.changed('max_budget', 'limitMicroUsd of a budget')
  if (holder !== row) row.taken('max_budget')
  for (const one of [row, holder]) {
    one.changed(
      'budget_duration',
      `window: ${String(window)}${typeof window === 'number' ? ' hours, rolling' : ''}`,
    )
    one.changed('budget_reset_at', 'windows begin by the calendar, or roll')
  }
  row.changed('spend', isOver ? '0: its window has ended' : 'what was spent of the budget')
  const budget = {
    id: importedId('budget', 'litellm', id),
    limitMicroUsd: microUsdOf(limit),
    window,
  }
  return [movedBudget(budget, spent, now)]
}

/** `{model: {budget_limit, time_period}}`, also with max_budget and budget_duration, or a plain amount. */
function readModelBudgets(row: SourceRow, id: string, { now }: LitellmContext): readonly Budget[] {
  const spent = row.object('model_spend')
  const found = Object.entries(row.object('model_max_budget')).flatMap(([model, value]) => {
    const values = isObject(value) ? value : { max_budget: value }
    const limit = numberOf(values['budget_limit'] ?? values['max_budget'])
    if (limit === undefined) return []
    const duration = values['time_period'] ?? values['budget_duration']
    const budget = {
      id: importedId('budget', 'litellm', `${id}\0${model}`),
      limitMicroUsd: microUsdOf(limit),
      window: windowOf(typeof duration === 'string' ? duration : undefined),
      model,
    }
    return [movedBudget(budget, numberOf(spent[model]) ?? 0, now)]
  })
  row.changed('model_max_budget', 'budgets with model')
  if (found.length > 0) row.changed('model_spend', 'what was spent of the budgets with model')
  else row.left('model_spend', 'the records of calls stay with LiteLLM')
  return found
}

const hoursMax = 8_760
const unitHours: Readonly<Record<string, number>> = {
  s: 1 / 3_600,
  m: 1 / 60,
  h: 1,
  d: 24,
  w: 168,
  mo: 730,
}
const words: Readonly<Record<string, string>> = {
  hourly: '1h',
  daily: '1d',
  weekly: '7d',
  monthly: '30d',
}

/**
 * The window of a duration. LiteLLM's days, weeks and months end by the calendar (`duration_parser.py`): 1d at midnight, 7d on
 * Monday, 30d and 1mo on the first. Others are hours here, up to now. Without one it is never set back.
 */
function windowOf(duration: string | undefined): Budget['window'] {
  if (duration === undefined) return 'lifetime'
  const text = words[duration.trim().toLowerCase()] ?? duration.trim()
  if (/^(?:1d|24h)$/.test(text)) return 'day'
  if (/^(?:7d|1w)$/.test(text)) return 'week'
  if (/^(?:30d|1mo)$/.test(text)) return 'month'
  const [, amount = '', unit = ''] = /^(\d+)(mo|[smhdw])$/.exec(text) ?? []
  const hours = Number(amount) * (unitHours[unit] ?? NaN)
  // LiteLLM takes what it does not understand for a day.
  return Number.isFinite(hours) && hours > 0
    ? Math.min(hoursMax, Math.max(1, Math.round(hours)))
    : 'day'
}
