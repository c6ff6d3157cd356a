import { Tooltip, VisuallyHidden } from '@mantine/core'
import '@mantine/core/styles/Tooltip.css'
import '@mantine/core/styles/VisuallyHidden.css'
import type { Picture, Point } from './chart-data.ts'
import { formatCompact } from './formats.ts'
import classes from './stacked-bars.module.css'

interface StackedBarsProps {
  readonly picture: Picture
  readonly label: string
  /** `formatCompact` when absent. */
  readonly format?: (value: number) => string
}

/** Distinguishable with color vision deficiency, on light and dark backgrounds (the palette of Okabe and Ito). */
const colors = [
  '#0072b2',
  '#d55e00',
  '#009e73',
  '#cc79a7',
  '#56b4e9',
  '#e69f00',
  '#b8a800',
  '#8b99a3',
]
const placesMax = 10

const colorAt = (series: number) => colors[series % colors.length] ?? ''
const sumOf = ({ values }: Point) => values.reduce((sum, value) => sum + value, 0)

/** A chart of stacked bars with a scale of whole numbers; what a bar stands for and its values appear beside the pointer. */
export function StackedBars({ picture, label, format = formatCompact }: StackedBarsProps) {
  const { series, points } = picture
  const ticks = ticksTo(Math.max(...points.map(sumOf)))
  const every = Math.ceil(points.length / placesMax)
  return (
    <figure className={classes.chart} aria-label={label}>
      <div className={classes.scale} aria-hidden="true">
        {ticks.map((tick) => (
          <span key={tick}>{format(tick)}</span>
        ))}
      </div>
      <ul className={classes.bars}>
        {points.map((point) => (
          <Bar key={point.place} point={point} top={ticks[0] ?? 1} texts={textsOf(point)} />
        ))}
      </ul>
      <div className={classes.places} data-grouped={every > 1} aria-hidden="true">
        {points.map(
          ({ place }, at) =>
            at % every === 0 && (
              <span key={place} style={{ flexGrow: Math.min(every, points.length - at) }}>
                {place}
              </span>
            ),
        )}
      </div>
      {series.length > 1 && (
        <ul className={classes.legend}>
          {series.map((name, at) => (
            <li key={name}>
              <span style={{ background: colorAt(at) }} />
              {name}
            </li>
          ))}
        </ul>
      )}
    </figure>
  )

  function textsOf({ values }: Point): readonly string[] {
    return series.map((name, at) => `${name}: ${format(values[at] ?? 0)}`)
  }
}

interface BarProps {
  readonly point: Point
  readonly top: number
  readonly texts: readonly string[]
}

function Bar({ point: { place, values }, top, texts }: BarProps) {
  const lines = [place, ...texts].map((text) => <div key={text}>{text}</div>)
  return (
    <li>
      <Tooltip label={lines} classNames={{ tooltip: classes.values ?? '' }} withinPortal={false}>
        <div className={classes.bar}>
          <VisuallyHidden>{`${place}: ${texts.join(', ')}`}</VisuallyHidden>
          {texts.map((text, at) => (
            <span
              key={text}
              style={{ height: `${((values[at] ?? 0) / top) * 100}%`, background: colorAt(at) }}
            />
          ))}
        </div>
      </Tooltip>
    </li>
  )
}

/** Whole numbers in even steps of 1, 2 or 5 times a power of ten from the first that is at least `most` down to 0. */
function ticksTo(most: number): readonly number[] {
  const rough = Math.max(1, most / 4)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10)
  const steps = Math.max(1, Math.ceil(most / step))
  return Array.from({ length: steps + 1 }, (_, at) => (steps - at) * step)
}
