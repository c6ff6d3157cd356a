// The thread started by append-thread.ts.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { toValue } from '../tables/columns.ts'
import type { Column, NewRows } from '../database.ts'
import type { FromThread, SharedRows, ToThread } from './append-thread.ts'

/** Longer than in the main thread, because nothing is blocked by this one. */
const lockWaitMs = 5_000

if (parentPort) serve(parentPort, String(workerData))

type Prepare = (text: string) => StatementSync

function serve(port: MessagePort, file: string): void {
  const db = new DatabaseSync(file, { timeout: lockWaitMs })
  db.exec('PRAGMA synchronous = NORMAL')
  // There are few statements, and SQLite re-prepares them itself when a table has changed. Preparing one per batch would keep
  // native memory until this thread collects garbage, which it rarely does.
  const statements = new Map<string, StatementSync>()
  const prepare: Prepare = (text) => {
    const statement = statements.get(text) ?? db.prepare(text)
    statements.set(text, statement)
    return statement
  }
  port.on('message', (message: ToThread) => {
    if (message.kind === 'append') return port.postMessage(append(db, prepare, message))
    db.close()
    port.close()
  })
}

function append(db: DatabaseSync, prepare: Prepare, rows: SharedRows): FromThread {
  try {
    const documents = documentsIn(rows)
    db.exec('BEGIN IMMEDIATE')
    insertAll(prepare, rows, documents)
    db.exec('COMMIT')
    return { kind: 'done' }
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    const message = error instanceof Error ? error.message : String(error)
    return { kind: isConstraintFailure(error) ? 'refused' : 'failed', message }
  }
}

type Document = Readonly<Record<string, unknown>>

function documentsIn({ bytes, ends }: SharedRows): readonly Document[] {
  const source = Buffer.from(bytes)
  let begin = 0
  return Array.from(ends, (end) => {
    const document: Document = JSON.parse(source.toString('utf8', begin, end))
    begin = end
    return document
  })
}

type Table = Pick<NewRows, 'table' | 'columns'>

/** Rows of one statement. Binding many values at once takes less time than running a statement as many times. */
const rowsAtOnce = 16

/** Statements for rows with the same fields. */
interface Insert {
  readonly fields: readonly string[]
  /** Undefined if the table has no column for the field. */
  readonly kinds: readonly (Column['as'] | undefined)[]
  readonly one: StatementSync
  /** Prepared when it is first needed: few combinations of fields have so many rows. */
  several: StatementSync | undefined
  readonly prepareFor: (rowCount: number) => StatementSync
}

/**
 * Most columns are NULL in most rows, so a statement names only the others. Most rows have the same fields as the previous
 * one.
 */
function insertAll(prepare: Prepare, rows: Table, documents: readonly Document[]): void {
  let insert: Insert | undefined
  let waiting: SQLInputValue[][] = []
  const flush = (): void => {
    if (!insert) return
    if (waiting.length === rowsAtOnce) {
      insert.several ??= insert.prepareFor(rowsAtOnce)
      insert.several.run(...waiting.flat())
    } else for (const values of waiting) insert.one.run(...values)
    waiting = []
  }
  for (const document of documents) {
    const fields = Object.keys(document)
    if (!insert || !areSame(insert.fields, fields)) {
      flush()
      insert = insertOf(prepare, rows, fields)
    }
    const values: SQLInputValue[] = []
    for (const [at, field] of fields.entries()) {
      const as = insert.kinds[at]
      if (as !== undefined) values.push(toValue(as, document[field]))
    }
    waiting.push(values)
    if (waiting.length === rowsAtOnce) flush()
  }
  flush()
}

function insertOf(prepare: Prepare, { table, columns }: Table, fields: readonly string[]): Insert {
  const known = new Map(columns)
  const named = fields.map((field) => known.get(field))
  const names = named.flatMap((column) => column?.column ?? [])
  const places = `(${names.map(() => '?').join(', ')})`
  const prepareFor = (rowCount: number): StatementSync =>
    prepare(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES ${Array.from({ length: rowCount }, () => places).join(', ')} ON CONFLICT DO NOTHING`,
    )
  return {
    fields,
    kinds: named.map((column) => column?.as),
    one: prepareFor(1),
    several: undefined,
    prepareFor,
  }
}

function areSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((field, at) => field === other[at])
}

/** SQLite's primary result code 19 (https://sqlite.org/rescode.html); the upper bits identify the constraint. */
function isConstraintFailure(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false
  return typeof error.errcode === 'number' && (error.errcode & 0xff) === 19
}
