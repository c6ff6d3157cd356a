import { Text } from '@mantine/core'
import type { Reply } from '../../api/client.ts'
import { termTexts } from '../../texts/terms.ts'
import { formatBudget, formatIn } from '../formats.ts'
import classes from './terms.module.css'

type Budget = Reply<'listBudgets'>['data'][number]

/** How much of a budget is spent, what is left of it and when it resets. */
export function BudgetLevel({ budget }: { readonly budget: Budget }) {
  const { limitMicroUsd, remainingMicroUsd, resetMs } = budget
  const left = termTexts.left(...formatBudget(budget))
  const spent = Math.min(limitMicroUsd, Math.max(0, limitMicroUsd - remainingMicroUsd))
  return (
    <div className={classes.left}>
      <progress
        className={classes.bar}
        max={Math.max(limitMicroUsd, 1)}
        value={spent}
        aria-label={`${termTexts.spentOf}: ${left}`}
      />
      <Text size="sm">{left}</Text>
      <Text size="xs" c="dimmed">
        {resetMs === null ? termTexts.never : termTexts.resets(formatIn(resetMs))}
      </Text>
    </div>
  )
}

/** The title of a budget: its window, and the calls that it counts. */
export function budgetTitle({
  window,
  model,
  tag,
}: Pick<Budget, 'window' | 'model' | 'tag'>): string {
  const per =
    typeof window === 'number' ? termTexts.hours(window) : termTexts.per(termTexts.windows[window])
  return [per, model, tag].filter((part) => part !== null).join(' · ')
}
