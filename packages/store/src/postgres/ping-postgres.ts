import { connect } from './connect.ts'

/** Asks a PostgreSQL server for its version, and changes nothing. Rejects if it does not answer within `timeoutMs`. */
export async function pingPostgres(url: string, timeoutMs: number): Promise<string> {
  await using connection = await connect({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  })
  const { rows } = await connection.client.query<{ server_version: string }>('SHOW server_version')
  return rows[0]?.server_version ?? ''
}
