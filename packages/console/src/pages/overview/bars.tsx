import { formatCompact, formatCount } from '../../parts/formats.ts'
import { overviewTexts } from '../../texts/operation.ts'
import classes from './overview.module.css'

interface Bar {
  /** In milliseconds since the epoch. */
  readonly at: number
  readonly all: number
  readonly failed: number
}

const hourly = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})
/** Days are UTC days, because usage is aggregated in UTC. */
const daily = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** The attempts of each step, with the failed ones at the bottom. The list gives the same numbers to screen readers. */
export function Bars({
  bars,
  isHourly,
}: {
  readonly bars: readonly Bar[]
  readonly isHourly: boolean
}) {
  const most = Math.max(1, ...bars.map(({ all }) => all))
  const format = isHourly ? hourly : daily
  const [first, last] = [bars[0], bars.at(-1)]
  return (
    <div className={classes.picture}>
      <p className={classes.legend}>
        <span data-kind="good">{overviewTexts.succeeded}</span>
        <span data-kind="bad">{overviewTexts.failed}</span>
      </p>
      <div className={classes.scale} aria-hidden="true">
        <span>{formatCompact(most)}</span>
        <span>0</span>
      </div>
      <ul className={classes.bars}>
        {bars.map(({ at, all, failed }) => {
          const label = `${format.format(at)}: ${formatCount(all)} ${overviewTexts.attempts}, ${failed} ${overviewTexts.failed}`
          return (
            <li key={at} title={label} className={classes.bar}>
              <span className={classes.unseen}>{label}</span>
              <span
                className={classes.good}
                style={{ height: `${((all - failed) / most) * 100}%` }}
              />
              <span className={classes.bad} style={{ height: `${(failed / most) * 100}%` }} />
            </li>
          )
        })}
      </ul>
      {first && last && (
        <div className={classes.ends} aria-hidden="true">
          <span>{format.format(first.at)}</span>
          {last !== first && <span>{format.format(last.at)}</span>}
        </div>
      )}
    </div>
  )
}
