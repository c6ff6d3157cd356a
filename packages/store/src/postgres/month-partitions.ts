import { setTimeout as wait } from 'node:timers/promises'
import type { Client, ClientConfig } from 'pg'
import { partitionIndexes } from './large-indexes.ts'
import { connect } from './connect.ts'
import { changeTables } from './change-tables.ts'
import type { StoreOptions } from '../store.ts'

/** An advisory lock of this program, different from the ones in migrate.ts and large-indexes.ts. */
const lockNumber = 7_582_235
/** How many months ahead partitions are made. An older program, which makes none, may run alone for that long. */
const monthsAhead = 3
const lookEveryMs = 60 * 60_000

/** A partition of `usage_records`, by the start time of its records: from `from` to before `to`, in milliseconds since the epoch. */
interface Part {
  readonly name: string
  /** Undefined for the first partition, which has no lower bound. */
  readonly from?: number
  readonly to: number
}

/** The default partition. It has records only when a clock is wrong, or when no gateway has made partitions for months. */
const others = 'usage_records_others'

/** Makes the missing partitions for this month and the next ones, each in its own transaction. */
export async function addMonths(config: ClientConfig, now: number): Promise<void> {
  await using connected = await connect(config)
  const { client } = connected
  // Checked without the lock first, because most of the time nothing is missing.
  while ((await missingParts(client, now)).length > 0)
    await changeTables(client, lockNumber, async () => {
      const [next] = await missingParts(client, now)
      if (next) for (const statement of creationOf(next)) await client.query(statement)
    })
}

/**
 * Makes the partitions for the coming months, now and every hour, until disposed. If that fails, records go to the default
 * partition, and are moved when their month is made.
 */
export function openMonths(
  config: ClientConfig,
  { failed }: NonNullable<StoreOptions['keepsTables']>,
): AsyncDisposable {
  const stopping = new AbortController()
  const { signal } = stopping

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await addMonths(config, Date.now()).catch((error: unknown) => failed(error))
      await wait(lookEveryMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await running
    },
  }
}

/** The default partition first, then the months after the last existing one, up to `monthsAhead`. */
async function missingParts(client: Client, now: number): Promise<readonly (Part | 'others')[]> {
  const { parts, hasOthers } = await partsOf(client)
  const last = startOfMonth(now, monthsAhead + 1)
  const missing: Part[] = []
  let from = parts.at(-1)?.to ?? startOfMonth(now)
  while (from < last) {
    const to = startOfMonth(from, 1)
    missing.push({ name: nameOf(from), from, to })
    from = to
  }
  return hasOthers ? missing : ['others', ...missing]
}

function startOfMonth(time: number, further = 0): number {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + further)
}

function nameOf(from: number): string {
  return `usage_records_${new Date(from).toISOString().slice(0, 7).replace('-', '_')}`
}

/** Moves rows of the new month out of the default partition. Writes wait for that; usually there are no such rows. */
function creationOf(part: Part | 'others'): readonly string[] {
  const name = part === 'others' ? others : part.name
  const table = [
    `CREATE TABLE ${name} (LIKE usage_records INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
    `ALTER TABLE ${name} ADD CONSTRAINT ${name}_pkey PRIMARY KEY (sequence)`,
    ...partitionIndexes('usage_records', name),
  ]
  const attach = `ALTER TABLE usage_records ATTACH PARTITION ${name}`
  if (part === 'others') return [...table, `${attach} DEFAULT`]
  const { from = 0, to } = part
  return [
    ...table,
    `LOCK TABLE ${others} IN ACCESS EXCLUSIVE MODE`,
    `WITH moved AS (DELETE FROM ${others} WHERE started_at >= ${from} AND started_at < ${to} RETURNING *)
      INSERT INTO ${name} SELECT * FROM moved`,
    `${attach} FOR VALUES FROM (${from}) TO (${to})`,
  ]
}

/** The existing partitions in the order of their time. */
async function partsOf(
  client: Client,
): Promise<{ readonly parts: readonly Part[]; readonly hasOthers: boolean }> {
  const { rows } = await client.query<{ name: string; bounds: string }>(
    `SELECT relname AS name, pg_get_expr(relpartbound, oid) AS bounds FROM pg_inherits JOIN pg_class ON oid = inhrelid
      WHERE inhparent = CAST('usage_records' AS regclass)`,
  )
  const parts = rows.flatMap(({ name, bounds }) => {
    const [, from, to] = /FROM \((?:MINVALUE|'(\d+)')\) TO \('(\d+)'\)/.exec(bounds) ?? []
    if (to === undefined) return []
    return [{ name, ...(from && { from: Number(from) }), to: Number(to) }]
  })
  return {
    parts: parts.toSorted((one, other) => one.to - other.to),
    hasOthers: rows.some(({ bounds }) => bounds === 'DEFAULT'),
  }
}

/**
 * Drops the oldest partition if all of its records started before `before`, are in the sums, and have lower numbers than the
 * newest record. Returns the number of dropped records, or undefined if there is no such partition.
 */
export async function dropPart(config: ClientConfig, before: number): Promise<number | undefined> {
  await using connected = await connect(config)
  const { client } = connected
  const [oldest] = (await partsOf(client)).parts
  if (!oldest || oldest.to > before) return undefined
  const { name } = oldest
  // Counted before the table is locked: records this old are not written any more.
  const { rows } = await client.query<{ n: string }>(`SELECT COUNT(*) AS n FROM ${name}`)
  let isDropped = false
  await changeTables(client, lockNumber, async () => {
    // Locks in the order in which queries do, so that there is no deadlock.
    await client.query('LOCK TABLE usage_records IN ACCESS EXCLUSIVE MODE')
    const { parts } = await partsOf(client)
    isDropped = parts[0]?.name === name && (await isSummed(client, name))
    if (isDropped) await client.query(`DROP TABLE ${name}`)
  })
  return isDropped ? Number(rows[0]?.n) : undefined
}

async function isSummed(client: Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ summed: boolean }>(
    `SELECT COALESCE(MAX(sequence), 0) <= (SELECT MIN(value) FROM usage_state WHERE name IN ('folded', 'folded_further', 'folded_rests'))
        AND COALESCE(MAX(sequence), 0) < (SELECT MAX(sequence) FROM usage_records) AS summed
      FROM ${name}`,
  )
  return rows[0]?.summed === true
}
