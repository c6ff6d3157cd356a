import { joinMoney } from '@sluice/contract'
import { raw } from 'sql-template-tag'
import type { Columns } from '../tables/columns.ts'

/** What a record counts in budgets, in both parts of money: its cost or, if that is unknown, what was reserved for it. */
const micro = 'COALESCE(cost_micro_usd, reserved_micro_usd, 0)'
const rest =
  'COALESCE(CASE WHEN cost_micro_usd IS NULL THEN reserved_rest_pico_usd ELSE cost_rest_pico_usd END, 0)'

// Calls that a budget redirected do not count for the model they asked for.
const requestedModel = 'CASE WHEN over_budget IS NULL THEN requested_model END'

/** Groups records that count for the same models. */
export const spendingGroup = raw(`provider, model, ${requestedModel}`)

/** Selects what each record counts, and for which models. */
export const spendingByRecord = raw(
  `provider, model, ${requestedModel} AS requested_model, ${micro} AS spent_micro, ${rest} AS spent_rest`,
)

/** Selects the same of each group. */
export const spendingByGroup = raw(`provider, model, ${requestedModel} AS requested_model,
  CAST(SUM(${micro}) AS BIGINT) AS spent_micro, CAST(SUM(${rest}) AS BIGINT) AS spent_rest`)

export interface Spending {
  readonly provider: string
  readonly model: string
  readonly requestedModel?: string
  readonly spentMicro: number
  readonly spentRest: number
}

/** What was selected. */
export const spendingColumns: Columns<Spending> = {
  provider: 'text',
  model: 'text',
  requestedModel: 'text',
  spentMicro: 'integer',
  spentRest: 'integer',
}

/** A row of it, with the money in one. */
export function spendingOf<Row extends Spending>({ spentMicro, spentRest, ...row }: Row) {
  return { ...row, money: joinMoney(spentMicro, spentRest) }
}
