import type { Sql } from 'sql-template-tag'

/** How a field of a record is stored: its column, and its encoding where the databases have no common type. */
export interface Column {
  readonly column: string
  readonly as: 'text' | 'integer' | 'number' | 'boolean' | 'json'
}

/** A row by column name: text, numbers and null. */
export type Row = Readonly<Record<string, unknown>>

/**
 * The database interface used by the tables in this folder. Their statements use the `sql` tag and only what SQLite and
 * PostgreSQL have in common: text, integers and floats, and JSON as text; no booleans, arrays or dates. Every method rejects with a
 * GatewayError `overloaded` while the database cannot be used; the same call may succeed later.
 */
export interface Database extends AsyncDisposable {
  /** Returns the rows of a query. */
  rows(query: Sql): Promise<readonly Row[]>
  /**
   * Runs the statements in one transaction and returns how many rows each has changed.
   *
   * @throws RefusedData if a statement breaks a constraint; nothing is changed then.
   */
  change(...statements: readonly Sql[]): Promise<readonly number[]>
  /** As `change`, but returns only when the change survives a power failure. For changes that are confirmed to a caller. */
  changeDurably(...statements: readonly Sql[]): Promise<readonly number[]>
  /**
   * As `change`, but without blocking this thread, and in one transaction with the other such changes that wait: for changes of
   * many calls at once. A change that is refused fails alone.
   */
  changeTogether(...statements: readonly Sql[]): Promise<readonly number[]>
  /**
   * Adds rows without blocking this thread, all or none. Rows whose unique value already exists are skipped.
   *
   * @throws RefusedData if the data break another constraint, so that retrying is useless.
   */
  append(rows: NewRows): Promise<void>
  /** @throws Error if what is written goes to a file that nobody can open anymore. Absent for a server. */
  checkPresent?(): void
}

/** Rows of one table. */
export interface NewRows {
  readonly table: string
  /** The columns of all fields that a row may have. */
  readonly columns: readonly (readonly [field: string, column: Column])[]
  /**
   * Each row as the text of a JSON object, so that only the writing thread parses it. Absent and null fields are NULL. Strings
   * hold no NUL and no lone surrogates; see `storableJson`.
   */
  readonly documents: readonly string[]
}

/** A constraint refused the data, and the statement had no effect. */
export class RefusedData extends Error {
  override readonly name = 'RefusedData'
}
