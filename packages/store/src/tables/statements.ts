import {
  CamelCasePlugin,
  type Compilable,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import { Sql } from 'sql-template-tag'
import type { Database } from '../database.ts'
import { type Columns, readRows } from './columns.ts'
import type { Tables } from './schema.ts'

/**
 * Builds statements on the plain tables, in what SQLite and PostgreSQL have in common. `select` and a `Database` run them, given
 * `compiled`; their own `execute` has no database and finds nothing.
 */
export const tables = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
  plugins: [new CamelCasePlugin()],
})

/** A statement for a `Database`. */
export function compiled(statement: Compilable): Sql {
  const { sql: text, parameters } = statement.compile()
  // A question mark is always a value: no name has one, and texts are values.
  return new Sql(text.split('?'), parameters.map(stored))
}

/** A query that finds every field of a record; one that may be absent is NULL in the row. */
interface QueryOf<Record> extends Compilable {
  execute(): Promise<readonly { readonly [Field in keyof Required<Record>]: Record[Field] }[]>
}

/** The records that a query finds. */
export function select<Record>(
  database: Pick<Database, 'rows'>,
  columns: Columns<Record>,
  query: QueryOf<NoInfer<Record>>,
): Promise<readonly Record[]> {
  return readRows(database, columns, compiled(query))
}

/** The fields that have a column: objects of callers may have others. */
export function pickColumns<Fields extends object>(columns: object, record: Fields): Fields {
  const fields = Object.entries(record).filter(([field]) => field in columns)
  // Only fields that Fields does not name are missing.
  return Object.fromEntries(fields) as Fields
}

/** What an upsert sets to replace a whole record: fields that are absent become NULL. */
export function replaceColumns(columns: object) {
  const fields = Object.keys(columns).filter((field) => field !== 'id')
  return Object.fromEntries(fields.map((field) => [field, sql.ref(`excluded.${field}`)]))
}

/** The plain tables have no fractions: PostgreSQL would refuse them, and SQLite would store them. */
function stored(value: unknown): string | number | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  if (typeof value === 'number') return Math.round(value)
  if (typeof value === 'boolean') return value ? 1 : 0
  return JSON.stringify(value)
}
