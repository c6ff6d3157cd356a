import type { Sql } from 'sql-template-tag'

/** A row by the names of its columns: text, whole numbers and fractions as numbers, and null. */
export type Row = Readonly<Record<string, unknown>>

/**
 * What a database is to the tables of this folder. Their statements are written once, with the `sql` tag, in what SQLite
 * and PostgreSQL have in common: text, whole numbers and fractions, JSON as text; no booleans, arrays or dates.
 */
export interface Database extends AsyncDisposable {
  readonly dialect: Dialect
  /** The rows of a query. */
  rows(query: Sql): Promise<readonly Row[]>
  /** Runs the statements in one transaction, and returns how many rows each has changed. */
  change(...statements: readonly Sql[]): Promise<readonly number[]>
  /** As `change`, and returns only when a power cut cannot undo it: for what a caller is promised. */
  changeDurably(...statements: readonly Sql[]): Promise<readonly number[]>
  /**
   * Runs one statement without holding up this thread, one call at a time.
   *
   * @throws RefusedData when the data break a constraint, so that trying again is useless.
   */
  changeAside(statement: Sql): Promise<void>
}

/** Where the two databases differ in words. */
export interface Dialect {
  /** A FROM item that gives a JSON array's elements, as `value`, with their positions, as `key`. */
  elements(json: string): Sql
  /** Turns the text of a JSON number or truth value into what a column of this kind takes. */
  readonly fromText: Readonly<Record<'integer' | 'number' | 'boolean', (text: string) => string>>
}

/** A constraint of the database refuses the data, and nothing of the statement was done. */
export class RefusedData extends Error {
  override readonly name = 'RefusedData'
}
