import { setTimeout as wait } from 'node:timers/promises'
import { type Client, DatabaseError } from 'pg'

/**
 * How long a change waits for a table lock, in milliseconds. Queries that arrive meanwhile queue behind it, so it then gives up,
 * pauses, and tries again.
 */
const tableWaitMs = 2_000
const againMs = 500
const triesMax = 120

/**
 * Changes tables that are in use, in a transaction. Processes with the same `lockNumber` do so one after the other.
 *
 * @throws Error of `work`, or if a table stays locked for minutes.
 */
export async function changeTables(
  client: Client,
  lockNumber: number,
  work: () => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      await client.query('BEGIN')
      await client.query(`SELECT pg_advisory_xact_lock(${lockNumber})`)
      await client.query(`SET LOCAL lock_timeout = ${tableWaitMs}`)
      await work()
      await client.query('COMMIT')
      return
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined)
      // lock_not_available, https://www.postgresql.org/docs/current/errcodes-appendix.html
      const isHeld = error instanceof DatabaseError && error.code === '55P03'
      if (!isHeld || tries === triesMax) throw error
      await wait(againMs)
    }
}
