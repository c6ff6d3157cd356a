import { Anchor } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { formatCount, formatMicroUsd } from '../../parts/formats.ts'
import { requestTexts } from '../../texts/operation.ts'
import { texts } from '../../texts/texts.ts'
import type { LiveRequest } from './live.ts'
import { formatClock, formatMs, Outcome } from './request-parts.tsx'
import classes from './requests.module.css'

const rowHeight = 41
/** So many rows before the last one is seen more are asked for. */
const ahead = 50
/** So many more are in the page above and below those that are seen. */
const beyond = 10

/** What is seen of the table, in pixels. */
interface Seen {
  readonly top: number
  readonly height: number
}

const { columns } = requestTexts

const cells: readonly (readonly [
  title: string,
  cell: (row: LiveRequest) => ReactNode,
  isNumber?: true,
])[] = [
  [
    columns.time,
    ({ id, startedAt }) => (
      <Anchor href={`#/requests/${id}`} size="sm">
        {formatClock(startedAt)}
      </Anchor>
    ),
  ],
  [columns.model, ({ model }) => model],
  [columns.target, ({ provider, upstreamModel }) => `${provider}/${upstreamModel}`],
  [columns.outcome, ({ outcome }) => <Outcome of={outcome ?? 'running'} />],
  [columns.status, ({ status }) => status ?? '–', true],
  [columns.duration, ({ durationMs }) => formatMs(durationMs), true],
  [columns.first, ({ firstTokenMs }) => formatMs(firstTokenMs), true],
  [columns.input, ({ inputTokens }) => formatCount(inputTokens), true],
  [columns.output, ({ outputTokens }) => formatCount(outputTokens), true],
  [columns.cost, ({ costMicroUsd }) => formatMicroUsd(costMicroUsd), true],
  [columns.key, ({ key }) => key],
]

interface RequestTableProps {
  readonly rows: readonly LiveRequest[]
  /** Told when the last rows are near. */
  readonly onEnd: () => void
}

/** Only the rows that are seen are in the page, however many there are. */
export function RequestTable({ rows, onEnd }: RequestTableProps) {
  const [seen, setSeen] = useState<Seen>({ top: 0, height: rowHeight * ahead })
  const from = Math.max(0, Math.floor(seen.top / rowHeight) - beyond)
  const to = Math.min(rows.length, Math.ceil((seen.top + seen.height) / rowHeight) + beyond)
  const isNearEnd = to + ahead >= rows.length
  useEffect(() => {
    if (isNearEnd) onEnd()
  }, [isNearEnd, onEnd])
  return (
    <section
      onScroll={({ currentTarget: { scrollTop, clientHeight } }) =>
        setSeen({ top: scrollTop, height: clientHeight })
      }
      className={classes.frame}
      aria-label={`${texts.pages.requests}: ${rows.length} ${requestTexts.loaded}`}
      tabIndex={0}
    >
      <table className={classes.table} aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {cells.map(([title, , isNumber]) => (
              <th key={title} scope="col" data-number={isNumber}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap height={from * rowHeight} />
          {rows.slice(from, to).map((row, at) => (
            <tr key={row.id} aria-rowindex={from + at + 2}>
              {cells.map(([title, cell, isNumber]) => (
                <td key={title} data-number={isNumber}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
          <Gap height={(rows.length - to) * rowHeight} />
        </tbody>
      </table>
    </section>
  )
}

/** Stands for the rows that are not seen. */
function Gap({ height }: { readonly height: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden="true">
      <td colSpan={cells.length} style={{ height, padding: 0, border: 0 }}>
        {'\u00a0'}
      </td>
    </tr>
  )
}
