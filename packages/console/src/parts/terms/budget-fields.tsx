import { Button, TextInput } from '@mantine/core'
import { termTexts } from '../../texts/terms.ts'
import { Choice } from '../choice.tsx'
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
      <Choice<string>
        label={termTexts.budgetWindow}
        value={budget.window}
        of={termTexts.windows}
        // A window of hours that was set elsewhere remains a choice.
        otherLabel={termTexts.hours(Number(budget.window))}
        onChange={(window) => onChange({ ...budget, window })}
      />
      {(['model', 'tag', 'over'] as const).map((field) => (
        <TextInput
          key={field}
          label={termTexts.budgetOf[field]}
          value={budget[field]}
          onChange={(event) => onChange({ ...budget, [field]: event.currentTarget.value })}
        />
      ))}
      <Button variant="default" onClick={onRemove}>
        {termTexts.removeBudget}
      </Button>
    </div>
  )
}
