import { useAnswer } from '../../api/queries.ts'
import type { Reply } from '../../api/client.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { Section } from '../../parts/facts.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { BudgetLevel, budgetTitle } from '../../parts/terms/budget-levels.tsx'
import { usageTexts } from '../../texts/usage.ts'

const columns: readonly TableColumn<Reply<'listBudgets'>['data'][number]>[] = [
  { title: usageTexts.holder, cell: ({ holder: { kind, name } }) => `${name} (${kind})` },
  { title: usageTexts.counts, cell: budgetTitle },
  { title: usageTexts.left, cell: (budget) => <BudgetLevel budget={budget} /> },
]

/** Every budget: what is left of it, and when it resets. */
export function BudgetSection() {
  const budgets = useAnswer('listBudgets')
  return (
    <Section title={usageTexts.budgets}>
      <Answer of={budgets}>
        {({ data }) => (
          <DataTable
            label={usageTexts.budgets}
            columns={columns}
            rows={data}
            idOf={({ id, holder }) => `${holder.id} ${id}`}
            empty={<Empty title={usageTexts.noBudgets}>{usageTexts.noBudgetsHint}</Empty>}
            isCards
          />
        )}
      </Answer>
    </Section>
  )
}
