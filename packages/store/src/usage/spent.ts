import { joinMoney, type Money } from '@sluice/contract'
import { raw } from 'sql-template-tag'
import type { Row } from '../database.ts'

/** What a record counts in budgets, in both parts of money: its cost or, if that is unknown, what was reserved for it. */
const micro = 'COALESCE(cost_micro_usd, reserved_micro_usd, 0)'
const rest =
  'COALESCE(CASE WHEN cost_micro_usd IS NULL THEN reserved_rest_pico_usd ELSE cost_rest_pico_usd END, 0)'

/** Selects what each record counts. */
export const spentByRecord = raw(`${micro} AS spent_micro, ${rest} AS spent_rest`)

/** Selects what several records count together. */
export const spentTogether = raw(
  `CAST(SUM(${micro}) AS BIGINT) AS spent_micro, CAST(SUM(${rest}) AS BIGINT) AS spent_rest`,
)

/** What was selected. */
export function spentIn(row: Row): Money {
  return joinMoney(Number(row['spent_micro']), Number(row['spent_rest']))
}
