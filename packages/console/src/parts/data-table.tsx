import {
  type ColumnDef,
  columnVisibilityFeature,
  type ColumnVisibilityState,
  createSortedRowModel,
  functionalUpdate,
  type Row as TableRow,
  rowSortingFeature,
  type RowData,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { memo, type ReactNode, useCallback, useMemo, useState } from 'react'
import { ColumnChoice, keepColumns, keptColumns } from './column-choice.tsx'
import classes from './data-table.module.css'
import { VirtualRows } from './virtual-rows.tsx'

export interface TableColumn<Row> {
  /** Unique within the table. */
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  /** Numbers are aligned to the right. */
  readonly isNumber?: boolean
  /**
   * The value by which rows are sorted when the title is pressed; absent if the column is not sortable. Rows without a value
   * come last.
   */
  readonly sortValue?: (row: Row) => string | number | null | undefined
  /** Whether long text may take several lines. */
  readonly wraps?: boolean
  /** Hidden until the user chooses it. */
  readonly isExtra?: boolean
}

/** A column that shows a value, and by which rows can be sorted. */
export function valueColumn<Row, Value extends string | number | null | undefined>(
  title: string,
  value: (row: Row) => Value,
  format: (value: Value) => ReactNode = (shown) => shown,
): TableColumn<Row> {
  return { title, cell: (row) => format(value(row)), sortValue: value }
}

/** The same for numbers. */
export function numberColumn<Row>(
  title: string,
  value: (row: Row) => number | null | undefined,
  format?: (value: number | null | undefined) => ReactNode,
): TableColumn<Row> {
  return { ...valueColumn(title, value, format), isNumber: true }
}

export interface DataTableProps<Row> {
  /** What the rows are, for screen readers. */
  readonly label: string
  readonly columns: readonly TableColumn<Row>[]
  readonly rows: readonly Row[]
  readonly idOf: (row: Row) => string
  /** Shown in place of a table without rows. Default: the titles alone. */
  readonly empty?: ReactNode
  /** The name under which this browser saves the column choice; if absent, there is no choice. */
  readonly choiceOf?: string
  /** On a phone, show each row as a card with the titles beside the values. Default false: the table scrolls sideways. */
  readonly isCards?: boolean
  /** Each row is one line high, and of many rows only the visible ones are rendered. Default false. */
  readonly isOfLines?: boolean
  /** Like `isOfLines` for any number of rows; called when the end of the list comes near. */
  readonly onEnd?: () => void
}

/** Up to this many rows are all rendered. */
const wholeMax = 100

const features = tableFeatures({
  rowSortingFeature,
  columnVisibilityFeature,
  sortedRowModel: createSortedRowModel(),
})
type Features = typeof features

/** A table of rows of one kind; on a phone it scrolls within its own frame. */
export function DataTable<Row extends RowData>(props: DataTableProps<Row>) {
  const { label, columns, rows, idOf, choiceOf, isCards = false, isOfLines = false, onEnd } = props
  const isTall = onEnd !== undefined || (isOfLines && rows.length > wholeMax)
  const [frame, setFrame] = useState<HTMLElement | null>(null)
  const [columnVisibility, setVisibility] = useState(() => visibilityOf(columns, choiceOf))
  const definitions = useMemo(() => columns.map(definitionOf), [columns])
  const table = useTable<Features, Row>({
    features,
    columns: definitions,
    data: rows,
    getRowId: idOf,
    enableMultiSort: false,
    state: { columnVisibility },
    onColumnVisibilityChange: (change) => {
      const changed = functionalUpdate(change, columnVisibility)
      setVisibility(changed)
      if (choiceOf !== undefined) keepColumns(choiceOf, changed)
    },
  })
  const shown = useMemo(
    () => columns.filter(({ title }) => columnVisibility[title] !== false),
    [columns, columnVisibility],
  )
  const { rows: sorted } = table.getRowModel()
  const rowOf = useCallback(
    (row: TableRow<Features, Row>, index?: number) => (
      <Cells key={row.id} of={row.original} columns={shown} index={index} />
    ),
    [shown],
  )
  if (rows.length === 0 && props.empty !== undefined) return props.empty
  return (
    <div data-table="">
      {choiceOf !== undefined && <ColumnChoice columns={table.getAllLeafColumns()} />}
      <section
        ref={setFrame}
        className={classes.frame}
        data-tall={isTall || undefined}
        data-cards={isCards || undefined}
        aria-label={label}
        tabIndex={0}
      >
        <table className={classes.table} aria-rowcount={isTall ? rows.length + 1 : undefined}>
          <thead>
            <tr aria-rowindex={isTall ? 1 : undefined}>
              {shown.map((column) => (
                <Heading key={column.title} column={column} of={table.getColumn(column.title)} />
              ))}
            </tr>
          </thead>
          <tbody>
            {isTall
              ? frame && (
                  <VirtualRows
                    frame={frame}
                    rows={sorted}
                    columns={shown.length}
                    onEnd={onEnd ?? nothing}
                  >
                    {rowOf}
                  </VirtualRows>
                )
              : sorted.map((row) => rowOf(row))}
          </tbody>
        </table>
      </section>
    </div>
  )
}

function nothing(): void {}

interface CellsProps<Row> {
  readonly of: Row
  readonly columns: readonly TableColumn<Row>[]
  /** The index among all rows, if not all of them are rendered. */
  readonly index: number | undefined
}

function CellsOf<Row>({ of, columns, index }: CellsProps<Row>) {
  return (
    <tr aria-rowindex={index === undefined ? undefined : index + 2}>
      {columns.map((column) => (
        <td key={column.title} data-title={column.title} {...marksOf(column)}>
          {isBounded(column, index) ? (
            <div className={classes.text}>{column.cell(of)}</div>
          ) : (
            column.cell(of)
          )}
        </td>
      ))}
    </tr>
  )
}

/**
 * Limits the width of a cell, so that a long name leaves room for the other columns: it wraps or, in rows of one line, ends in
 * an ellipsis.
 */
function isBounded<Row>({ isNumber, wraps }: TableColumn<Row>, index: number | undefined): boolean {
  return index === undefined && isNumber !== true && wraps !== true
}

/** Unchanged rows are not rendered again when the table is scrolled. It has the props of `CellsOf`. */
const Cells = memo(CellsOf) as typeof CellsOf

function definitionOf<Row extends RowData>({
  title,
  sortValue,
  isNumber = false,
}: TableColumn<Row>): ColumnDef<Features, Row> {
  return {
    id: title,
    header: title,
    accessorFn: (row) => sortValue?.(row) ?? undefined,
    enableSorting: sortValue !== undefined,
    sortDescFirst: isNumber,
    sortUndefined: 'last',
    sortFn: (one, other, id) => compared(one.getValue(id), other.getValue(id)),
  }
}

function compared(one: unknown, other: unknown): number {
  return typeof one === 'number' && typeof other === 'number'
    ? one - other
    : String(one).localeCompare(String(other), 'en', { numeric: true })
}

function visibilityOf<Row>(
  columns: readonly TableColumn<Row>[],
  choiceOf: string | undefined,
): ColumnVisibilityState {
  const usual = columns.map(({ title, isExtra }) => [title, isExtra !== true] as const)
  return { ...Object.fromEntries(usual), ...(choiceOf !== undefined && keptColumns(choiceOf)) }
}

function marksOf<Row>({ isNumber, wraps }: TableColumn<Row>) {
  return {
    'data-number': isNumber === true || undefined,
    'data-wraps': wraps === true || undefined,
  }
}

/** The properties of a column that its title uses. */
interface Sortable {
  getCanSort(): boolean
  getIsSorted(): false | 'asc' | 'desc'
  toggleSorting(): void
}

interface HeadingProps<Row> {
  readonly column: TableColumn<Row>
  readonly of: Sortable | undefined
}

const orders = { asc: 'ascending', desc: 'descending' } as const
const arrows = { asc: '↑', desc: '↓' } as const

function Heading<Row>({ column, of }: HeadingProps<Row>) {
  const { title } = column
  if (of?.getCanSort() !== true)
    return (
      <th scope="col" {...marksOf(column)}>
        {title}
      </th>
    )
  const order = of.getIsSorted()
  return (
    <th scope="col" aria-sort={order === false ? 'none' : orders[order]} {...marksOf(column)}>
      <button type="button" className={classes.sort} onClick={() => of.toggleSorting()}>
        {title}
        <span aria-hidden="true" className={classes.arrow}>
          {order === false ? '' : arrows[order]}
        </span>
      </button>
    </th>
  )
}
