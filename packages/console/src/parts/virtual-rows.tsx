import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'

/** In pixels, as in data-table.module.css. */
const rowHeight = 37
/** More rows are loaded when this many or fewer remain below the visible ones. */
const ahead = 60
/** Number of rows rendered above and below the visible ones. */
const overscan = 12

interface VirtualRowsProps<Row> {
  /** The scrolling element. */
  readonly frame: HTMLElement
  readonly rows: readonly Row[]
  /** Number of columns. */
  readonly columns: number
  /** Called when the last rows come near. */
  readonly onEnd: () => void
  readonly children: (row: Row, index: number) => ReactNode
}

/** Renders only the visible rows, and gaps in place of the others. */
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

/** Keeps the visible rows in place when rows are added above them; at the top, the new rows are shown. */
function useSteadyPlace(frame: HTMLElement, rows: readonly { readonly id: string }[]): void {
  const first = useRef<string>(undefined)
  useLayoutEffect(() => {
    const before = rows.findIndex(({ id }) => id === first.current)
    first.current = rows[0]?.id
    if (before > 0 && frame.scrollTop > 0) frame.scrollBy(0, before * rowHeight)
  }, [frame, rows])
}

/** Fills the place of the rows that are not rendered. */
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
