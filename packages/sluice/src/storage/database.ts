import type { Sql } from 'sql-template-tag'

/** How one field of a record is kept: its column, and what stands for what neither database has a type for. */
export interface Column {
  readonly column: string
  readonly as: 'text' | 'integer' | 'number' | 'boolean' | 'json'
}

/** A row by the names of its columns: text, whole numbers and fractions as numbers, and null. */
export type Row = Readonly<Record<string, unknown>>

/**
 * What a database is to the tables of this folder. Their statements are written once, with the `sql` tag, in what SQLite
 * and PostgreSQL have in common: text, whole numbers and fractions, JSON as text; no booleans, arrays or dates.
 */
export interface Database extends AsyncDisposable {
  /** The rows of a query. */
  rows(query: Sql): Promise<readonly Row[]>
  /**
   * Runs the statements in one transaction, and returns how many rows each has changed.
   *
   * @throws RefusedData when one breaks a constraint, and nothing is done.
   */
  change(...statements: readonly Sql[]): Promise<readonly number[]>
  /** As `change`, and returns only when a power cut cannot undo it: for what a caller is promised. */
  changeDurably(...statements: readonly Sql[]): Promise<readonly number[]>
  /**
   * Adds rows without holding up this thread, all of them or none. A row whose unique value is there already is left out.
   *
   * @throws RefusedData when the data break another constraint, so that trying again is useless.
   */
  append(rows: NewRows): Promise<void>
}

/** Rows of one table. */
export interface NewRows {
  readonly table: string
  /** The columns of those fields that a row may have. */
  readonly columns: readonly (readonly [field: string, column: Column])[]
  /**
   * The rows as the text of a JSON array of objects, which no thread but the one that writes them has to take apart. A
   * field that is absent or null is NULL. Texts hold no NUL and no half of a surrogate pair; see `storableJson`.
   */
  readonly documents: string
}

/** A constraint of the database refuses the data, and nothing of the statement was done. */
export class RefusedData extends Error {
  override readonly name = 'RefusedData'
}
