import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { isObject, listOf } from '@sluice/contract'
import { readCsv } from '@sluice/gateway/prices/read-csv.ts'
import { CommandError } from '../command-error.ts'
import { databaseName } from '../open-data.ts'
import type { Row } from './source-rows.ts'

/** Tables of another gateway by name. What is absent was not given. */
export type Tables = ReadonlyMap<string, readonly Row[]>

interface Sources {
  /** A URL of PostgreSQL, or a file of SQLite. */
  readonly database?: string | undefined
  /** JSON with rows by table, or rows of one table as JSON or CSV, in a file that is named after it. */
  readonly exported?: readonly string[] | undefined
}

/**
 * Reads the tables with these names.
 *
 * @throws CommandError if something cannot be read.
 */
export async function readTables(
  names: readonly string[],
  { database, exported = [] }: Sources,
): Promise<Tables> {
  const found = new Map<string, readonly Row[]>()
  if (database !== undefined)
    for (const [name, rows] of await readDatabase(database, names)) found.set(name, rows)
  for (const file of exported)
    for (const [name, rows] of await readExport(file, names))
      found.set(name, [...(found.get(name) ?? []), ...rows])
  return found
}

async function readDatabase(database: string, names: readonly string[]): Promise<Tables> {
  const scheme = /^([a-z][a-z0-9+]*):\/\//i.exec(database)?.[1]?.toLowerCase()
  if (scheme === 'mysql')
    throw new CommandError(
      'MySQL is not read: write its tables to files and give them with --export',
    )
  if (scheme === 'postgres' || scheme === 'postgresql') {
    const { readPostgresTables } = await import('@sluice/store/postgres/read-tables.ts')
    try {
      return await readPostgresTables(database, names)
    } catch (cause) {
      throw CommandError.because(`${databaseName(database)} cannot be read`, cause)
    }
  }
  const file = database.replace(/^(?:sqlite|file):(?:\/\/)?/, '')
  if (!existsSync(file))
    throw new CommandError(
      `There is no file ${file}: --database takes postgres://user:password@host/database, or a file of SQLite`,
    )
  const { readSqliteTables } = await import('@sluice/store/sqlite/read-tables.ts')
  try {
    return readSqliteTables(file, names)
  } catch (cause) {
    throw CommandError.because(`${file} cannot be read as a database of SQLite`, cause)
  }
}

async function readExport(file: string, names: readonly string[]): Promise<Tables> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw CommandError.because(`${file} cannot be read`, cause)
  }
  const stem = basename(file)
    .replace(/\.\w+$/, '')
    .toLowerCase()
  const named = names.find(
    (name) => stem === name.toLowerCase() || stem.endsWith(`.${name.toLowerCase()}`),
  )
  if (/\.(?:csv|tsv)$/i.test(file)) {
    if (named === undefined) throw unnamed(file, names)
    try {
      return new Map([[named, await Array.fromAsync(readCsv([text]))]])
    } catch (cause) {
      throw CommandError.because(`${file} cannot be read`, cause)
    }
  }
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch (cause) {
    throw CommandError.because(`${file} is neither JSON nor CSV`, cause)
  }
  if (Array.isArray(content)) {
    if (named === undefined) throw unnamed(file, names)
    return new Map([[named, rowsIn(content)]])
  }
  const tables = Object.entries(isObject(content) ? content : {}).filter(([name]) =>
    names.includes(name),
  )
  if (tables.length === 0) throw unnamed(file, names)
  return new Map(tables.map(([name, rows]) => [name, rowsIn(rows)]))
}

function rowsIn(value: unknown): readonly Row[] {
  return listOf(value).filter(isObject)
}

function unnamed(file: string, names: readonly string[]): CommandError {
  return new CommandError(
    `${file} does not say of which table its rows are: name the file after the table, or write {"table": [rows]} (${names.join(', ')})`,
  )
}
