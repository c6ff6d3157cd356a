import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'

/** As data-table.module.css has it. */
const rowHeight = 37
/** So many rows before the last one is seen more are asked for. */
const ahead = 60
/** So many more are in the page above and below those that are seen. */
const overscan = 12

interface VirtualRowsProps<Row> {
  /** What scrolls. */
  readonly frame: HTMLElement
  readonly rows: readonly Row[]
  /** How many there are beside each other. */
  readonly columns: number
  /** Told when the last rows are near. */
  readonly onEnd: () => void
  readonly children: (row: Row, index: number) => ReactNode
}

/** Only the rows that are seen, however many there are, and room for the others. */
export function VirtualRows<Row extends { readonly id: string }>(props: VirtualRowsProps<Row>) {
  const { frame, rows, columns, onEnd, children } = props
  // oxlint-disable-next-line react/incompatible-library -- its functions are called in this component alone
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan,
  })
  useSteadyPlace(frame, rows)
  const seen = virtual.getVirtualItems()
  const last = seen.at(-1)
  const isNearEnd = (last?.index ?? 0) + ahead >= rows.length
  useEffect(() => {
    if (isNearEnd) onEnd()
  }, [isNearEnd, onEnd])
  return (
    <>
      <Gap height={seen[0]?.start ?? 0} columns={columns} />
      {seen.map(({ index }) => {
        const row = rows[index]
        return row && children(row, index)
      })}
      <Gap height={virtual.getTotalSize() - (last?.end ?? 0)} columns={columns} />
    </>
  )
}

/** What is read stays where it is while rows come above it; at the top the new ones are seen. */
function useSteadyPlace(frame: HTMLElement, rows: readonly { readonly id: string }[]): void {
  const first = useRef<string>(undefined)
  useLayoutEffect(() => {
    const before = rows.findIndex(({ id }) => id === first.current)
    first.current = rows[0]?.id
    if (before > 0 && frame.scrollTop > 0) frame.scrollBy(0, before * rowHeight)
  }, [frame, rows])
}

/** Stands for the rows that are not seen. */
function Gap({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ height, padding: 0, border: 0 }}>
        {'\u00a0'}
      </td>
    </tr>
  )
}
