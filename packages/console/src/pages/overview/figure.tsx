import { overviewTexts } from '../../texts/operation.ts'
import classes from './overview.module.css'

interface FigureProps {
  readonly title: string
  /** The value of the selected period, and that of the period of equal length before it. */
  readonly of: readonly [now: number | null | undefined, was: number | null | undefined]
  readonly format: (value: number | null | undefined) => string
  /** Whether an increase is a change for the worse. */
  readonly isWorseMore?: boolean
  readonly note?: string
}

/** A number, compared with that of the previous period. */
export function Figure({ title, of: [now, was], format, isWorseMore, note }: FigureProps) {
  const percent = changeOf(now, was)
  return (
    <div className={classes.figure}>
      <dt>{title}</dt>
      <dd>
        <span className={classes.number}>{format(now)}</span>
        {percent !== undefined && (
          <span
            className={classes.change}
            data-worse={(isWorseMore && percent > 0) || undefined}
            data-better={(isWorseMore && percent < 0) || undefined}
          >
            {percentText(percent)}
          </span>
        )}
        <span className={classes.was}>{overviewTexts.before(format(was))}</span>
        {note !== undefined && <span className={classes.was}>{note}</span>}
      </dd>
    </div>
  )
}

function changeOf(now: number | null | undefined, was: number | null | undefined) {
  if (now === null || now === undefined || !was) return undefined
  return Math.round(((now - was) / was) * 100)
}

function percentText(percent: number): string {
  if (percent === 0) return overviewTexts.unchanged
  return percent > 0 ? overviewTexts.more(percent) : overviewTexts.less(-percent)
}
