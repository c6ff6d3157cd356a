import { useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { numberColumn, type TableColumn } from '../../parts/data-table.tsx'
import { formatBudget, formatMicroUsd } from '../../parts/formats.ts'
import { budgetTitle } from '../../parts/terms/budget-levels.tsx'
import { termTexts } from '../../texts/terms.ts'

type Budget = Reply<'listBudgets'>['data'][number]

const dayMs = 86_400_000
const days = 30
/** Maximum number of holders whose spending is shown. */
const holdersMax = 10_000

/** Columns with what keys or accounts have spent in the last 30 days, and the budget of which the least is left. */
export function useSpending<Row extends { readonly id: string }>(
  by: Budget['holder']['kind'],
): readonly TableColumn<Row>[] {
  const [from] = useState(() => {
    const now = Date.now()
    return new Date(now - (now % dayMs) - days * dayMs).toISOString()
  })
  const usage = useAnswer('getUsage', { query: { by, from, limit: holdersMax } })
  const budgets = useAnswer('listBudgets')
  const spent = new Map(usage.data?.data.map((row) => [row[by], row.costMicroUsd]))
  const scarcest = new Map<string, Budget>()
  for (const budget of budgets.data?.data ?? []) {
    const { id } = budget.holder
    const known = scarcest.get(id)
    if (known === undefined || shareLeft(budget) < shareLeft(known)) scarcest.set(id, budget)
  }
  return [
    numberColumn(
      termTexts.spentLately,
      ({ id }) => (usage.data ? (spent.get(id) ?? 0) : undefined),
      formatMicroUsd,
    ),
    {
      title: termTexts.budgetLeft,
      cell: ({ id }) => {
        const budget = scarcest.get(id)
        if (budget === undefined) return '–'
        return `${termTexts.left(...formatBudget(budget))} ${budgetTitle(budget)}`
      },
      sortValue: ({ id }) => {
        const budget = scarcest.get(id)
        return budget && shareLeft(budget)
      },
    },
  ]
}

function shareLeft({ remainingMicroUsd, limitMicroUsd }: Budget): number {
  return limitMicroUsd === 0 ? 0 : remainingMicroUsd / limitMicroUsd
}
