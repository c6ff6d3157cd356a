// The thread started by append-thread.ts.
import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { serveThread } from '../threads/serve-thread.ts'
import type { Column, NewRows } from '../database.ts'
import { toValue } from '../tables/columns.ts'
import type { AppendMethods, BoundStatement, EncodedRows } from './append-thread.ts'
import { connectThread, transaction } from './connection.ts'

serveThread<AppendMethods>((file) => {
  const db = connectThread(file)
  // There are few statements, and SQLite re-prepares them itself when a table has changed. Preparing one per batch would keep
  // native memory until this thread collects garbage, which it rarely does.
  const statements = new Map<string, StatementSync>()
  const prepare: Prepare = (text) => {
    const statement = statements.get(text) ?? db.prepare(text)
    statements.set(text, statement)
    return statement
  }
  return {
    methods: {
      append(rows) {
        const documents = documentsIn(rows)
        transaction(db, () => insertAll(prepare, rows, documents))
      },
      change(changes) {
        const runOne = ({ text, values }: BoundStatement) =>
          Number(prepare(text).run(...values).changes)
        return transaction(db, () => changes.map((statements) => statements.map(runOne)))
      },
    },
    [Symbol.dispose]: () => db.close(),
  }
})

type Prepare = (text: string) => StatementSync

type Document = Readonly<Record<string, unknown>>

function documentsIn({ bytes, ends }: EncodedRows): readonly Document[] {
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
