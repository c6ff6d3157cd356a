import { types } from 'pg'
import type { Row } from '../database.ts'
import { connect } from './connect.ts'

const connectMs = 5_000
/** A table of another gateway may be large. */
const statementMs = 300_000

/**
 * Reads whole tables of another program, as they are at one moment; those that are not there are absent. Changes nothing. Times
 * without a zone are taken as UTC. `schema` in the URL is the schema, as Prisma has it.
 *
 * @throws Error if the server cannot be reached or a table may not be read.
 */
export async function readPostgresTables(
  url: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly Row[]>> {
  const address = new URL(url)
  const schema = address.searchParams.get('schema')
  address.searchParams.delete('schema')
  await using connection = await connect({
    connectionString: address.href,
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs,
    application_name: 'sluice import',
    types: { getTypeParser: parserOf },
  })
  const { client } = connection
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  if (schema !== null) await client.query(`SET LOCAL search_path TO ${quoted(schema)}`)
  const found = new Map<string, readonly Row[]>()
  for (const name of names) {
    const { rows: known } = await client.query<{ table: unknown }>(
      'SELECT to_regclass($1) AS "table"',
      [quoted(name)],
    )
    if (known[0]?.table === null) continue
    found.set(
      name,
      (await client.query<Record<string, unknown>>(`SELECT * FROM ${quoted(name)}`)).rows,
    )
  }
  await client.query('COMMIT')
  return found
}

/** Names of tables may have capital letters. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function parserOf(oid: number, format?: 'text' | 'binary') {
  if (oid === types.builtins.INT8 || oid === types.builtins.NUMERIC) return Number
  if (oid === types.builtins.TIMESTAMP)
    return (text: string) => new Date(`${text.replace(' ', 'T')}Z`)
  return types.getTypeParser(oid, format)
}
