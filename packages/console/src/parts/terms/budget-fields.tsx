import { Button, NativeSelect, TextInput } from '@mantine/core'
import { termTexts } from '../../texts/terms.ts'
import classes from './terms.module.css'
import type { BudgetValues } from './values.ts'

interface BudgetFieldsProps {
  readonly budgets: readonly BudgetValues[]
  readonly onChange: (budgets: readonly BudgetValues[]) => void
  readonly error: string | undefined
}

/** Fields for amounts of money, each with its window. */
export function BudgetFields({ budgets, onChange, error }: BudgetFieldsProps) {
  const next = Math.max(-1, ...budgets.map(({ row }) => row)) + 1
  const replace = (changed: BudgetValues) =>
    onChange(budgets.map((budget) => (budget.row === changed.row ? changed : budget)))
  return (
    <fieldset className={classes.budgets}>
      <legend>{termTexts.budgets}</legend>
      {budgets.map((budget) => (
        <BudgetRow
          key={budget.row}
          budget={budget}
          onChange={replace}
          onRemove={() => onChange(budgets.filter(({ row }) => row !== budget.row))}
        />
      ))}
      {error !== undefined && <p className={classes.wrong}>{error}</p>}
      <Button
        variant="default"
        size="xs"
        onClick={() =>
          onChange([
            ...budgets,
            { row: next, usd: '', window: 'month', model: '', tag: '', over: '' },
          ])
        }
      >
        {termTexts.addBudget}
      </Button>
    </fieldset>
  )
}

interface BudgetRowProps {
  readonly budget: BudgetValues
  readonly onChange: (budget: BudgetValues) => void
  readonly onRemove: () => void
}

function BudgetRow({ budget, onChange, onRemove }: BudgetRowProps) {
  const hours = Number(budget.window)
  // A window of hours that was set elsewhere remains a choice.
  const own = Number.isNaN(hours) ? [] : [{ value: budget.window, label: termTexts.hours(hours) }]
  const known = Object.entries(termTexts.windows).map(([value, label]) => ({ value, label }))
  return (
    <div className={classes.budget}>
      <TextInput
        type="number"
        min={0}
        step="any"
        label={termTexts.budgetUsd}
        value={budget.usd}
        onChange={(event) => onChange({ ...budget, usd: event.currentTarget.value })}
        required
        withAsterisk={false}
      />
      <NativeSelect
        label={termTexts.budgetWindow}
        data={[...known, ...own]}
        value={budget.window}
        onChange={(event) => onChange({ ...budget, window: event.currentTarget.value })}
      />
      <TextInput
        label={termTexts.budgetModel}
        value={budget.model}
        onChange={(event) => onChange({ ...budget, model: event.currentTarget.value })}
      />
      <TextInput
        label={termTexts.budgetTag}
        value={budget.tag}
        onChange={(event) => onChange({ ...budget, tag: event.currentTarget.value })}
      />
      <TextInput
        label={termTexts.budgetOver}
        value={budget.over}
        onChange={(event) => onChange({ ...budget, over: event.currentTarget.value })}
      />
      <Button variant="default" onClick={onRemove}>
        {termTexts.removeBudget}
      </Button>
    </div>
  )
}
