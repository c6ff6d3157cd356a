import {
  Bar,
  BarChart,
  CartesianGrid,
  Legend,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import { formatCompact, formatMicroUsd } from '../../parts/formats.ts'
import type { Measure, Picture, Point } from './question.ts'
import classes from './usage.module.css'

/** Distinguishable with color vision deficiency, on light and dark backgrounds (the palette of Okabe and Ito). */
const colours = [
  '#0072b2',
  '#e69f00',
  '#009e73',
  '#cc79a7',
  '#56b4e9',
  '#d55e00',
  '#b8a800',
  '#8b99a3',
]

const tick = { fill: 'var(--mantine-color-dimmed)', fontSize: 12 }

interface ChartProps {
  readonly picture: Picture
  readonly measure: Measure
  readonly label: string
}

/** Stacked bars. The table beside the chart gives the same numbers to screen readers. */
export function Chart({ picture: { series, points }, measure, label }: ChartProps) {
  const format = (value: unknown) =>
    measure === 'costMicroUsd' ? formatMicroUsd(Number(value)) : formatCompact(Number(value))
  return (
    <figure className={classes.chart} aria-label={label}>
      <ResponsiveContainer width="100%" height={280}>
        <BarChart data={[...points]} accessibilityLayer={false} margin={{ top: 8, right: 8 }}>
          <CartesianGrid vertical={false} stroke="var(--sluice-line)" />
          <XAxis dataKey="place" tick={tick} />
          <YAxis tickFormatter={format} width={64} allowDecimals={false} tick={tick} />
          <Tooltip
            formatter={(value) => format(value)}
            cursor={{ fill: 'var(--sluice-chosen)' }}
            contentStyle={{ background: 'var(--sluice-card)', borderColor: 'var(--sluice-line)' }}
            // The colors of the bars are too light for text.
            itemStyle={{ color: 'var(--mantine-color-text)' }}
            isAnimationActive={false}
          />
          {series.length > 1 && (
            <Legend formatter={(name) => <span className={classes.legend}>{name}</span>} />
          )}
          {series.map((name, at) => (
            <Bar
              key={name}
              name={name}
              dataKey={({ values }: Point) => values[at]}
              stackId="all"
              fill={colours[at % colours.length] ?? ''}
              isAnimationActive={false}
              maxBarSize={48}
            />
          ))}
        </BarChart>
      </ResponsiveContainer>
    </figure>
  )
}
