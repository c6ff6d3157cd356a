import type { Sql } from 'sql-template-tag'

/** A row by the names of its columns: text, whole numbers and fractions as numbers, and null. */
export type Row = Readonly<Record<string, unknown>>

/**
 * What a database is to the tables of this folder. Their statements are written once, with the `sql` tag, in what SQLite
 * and PostgreSQL have in common: text, whole numbers and fractions, JSON as text; no booleans, arrays or dates.
 */
export interface Database extends AsyncDisposable {
  /** The rows of a query. */
  rows(query: Sql): Promise<readonly Row[]>
  /** Runs the statements in one transaction, and returns how many rows each has changed. */
  change(...statements: readonly Sql[]): Promise<readonly number[]>
  /** As `change`, and returns only when a power cut cannot undo it: for what a caller is promised. */
  changeDurably(...statements: readonly Sql[]): Promise<readonly number[]>
  /**
   * Adds rows without holding up this thread, all of them or none, one call at a time. A row whose unique value is there
   * already is left out.
   *
   * @throws RefusedData when the data break another constraint, so that trying again is useless.
   */
  append(rows: NewRows): Promise<void>
}

export type Value = string | number | null

/** Rows of one table. */
export interface NewRows {
  readonly table: string
  readonly columns: readonly string[]
  /** Of each row, in the order of the columns. Texts hold no NUL and no half of a surrogate pair. */
  readonly values: readonly (readonly Value[])[]
}

/** A constraint of the database refuses the data, and nothing of the statement was done. */
export class RefusedData extends Error {
  override readonly name = 'RefusedData'
}
