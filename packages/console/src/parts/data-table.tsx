import type { ReactNode } from 'react'
import classes from './data-table.module.css'

export interface TableColumn<Row> {
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  /** Numbers stand under each other. */
  readonly isNumber?: boolean
}

interface DataTableProps<Row> {
  /** What the rows are, for those who do not see the page around it. */
  readonly label: string
  readonly columns: readonly TableColumn<Row>[]
  readonly rows: readonly Row[]
  readonly idOf: (row: Row) => string
}

/** Rows of one kind; on a phone it scrolls inside of itself. */
export function DataTable<Row>({ label, columns, rows, idOf }: DataTableProps<Row>) {
  return (
    <section className={classes.frame} aria-label={label} tabIndex={0}>
      <table className={classes.table}>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" data-number={isNumber === true || undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={idOf(row)}>
              {columns.map(({ title, cell, isNumber }) => (
                <td key={title} data-number={isNumber === true || undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
