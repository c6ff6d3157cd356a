import { GatewayError, type VideoJob } from '@sluice/contract'
import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Store } from '../../ports/store.ts'
import { assignments, type Columns, fromRow, insertNew, integer, json, text } from './columns.ts'
import type { Database } from '../database.ts'

const columns: Columns<VideoJob> = {
  id: text('id'),
  keyId: text('key_id'),
  provider: text('provider'),
  model: text('model'),
  upstreamId: text('upstream_id'),
  status: text('status'),
  progress: integer('progress'),
  prompt: text('prompt'),
  seconds: text('seconds'),
  size: text('size'),
  request: text('request'),
  error: json('error'),
  contentFile: text('content_file'),
  createdAt: integer('created_at'),
  completedAt: integer('completed_at'),
  expiresAt: integer('expires_at'),
  remixedFromVideoId: text('remixed_from_video_id'),
  bytes: integer('bytes'),
}

const unfinished = raw("status IN ('queued', 'in_progress')")

type VideoJobStore = Pick<
  Store,
  | 'addVideoJob'
  | 'findVideoJob'
  | 'listVideoJobs'
  | 'updateVideoJob'
  | 'deleteVideoJob'
  | 'takeVideoSlot'
  | 'renewVideoSlot'
  | 'freeVideoSlot'
  | 'claimVideoJobs'
  | 'videoJobOwners'
  | 'releaseVideoJobs'
  | 'updateClaimedVideoJob'
>

/** The part of the store for video jobs. */
export function videoJobTable(database: Database): VideoJobStore {
  type Change = Parameters<Store['updateVideoJob']>[1]
  async function update(id: string, change: Change, condition: Sql): Promise<boolean> {
    const changed = assignments<Partial<VideoJob>>(columns, change) ?? sql`id = id`
    const [updated] = await database.change(
      sql`UPDATE video_jobs SET ${changed} WHERE id = ${id} AND ${unfinished} ${condition}`,
    )
    return updated === 1
  }

  return {
    async addVideoJob(job, slotId) {
      const add = insertNew('video_jobs', columns, job)
      const [added] = await (slotId === undefined
        ? database.changeDurably(add)
        : database.changeDurably(add, sql`DELETE FROM video_places WHERE id = ${slotId}`))
      if (added !== 1) throw new GatewayError('conflict', 'This video exists already')
    },
    async findVideoJob(id) {
      const [row] = await database.rows(sql`SELECT * FROM video_jobs WHERE id = ${id}`)
      return row && fromRow(columns, row)
    },
    async listVideoJobs(keyId, { limit, after, ascending = false }) {
      // If the key has no such row, the comparison with NULL matches nothing.
      const mark = sql`(SELECT sequence FROM video_jobs WHERE id = ${after} AND key_id = ${keyId})`
      const behind =
        after === undefined ? empty : sql`AND sequence ${raw(ascending ? '>' : '<')} ${mark}`
      const rows = await database.rows(
        sql`SELECT * FROM video_jobs WHERE key_id = ${keyId} ${behind}
          ORDER BY sequence ${raw(ascending ? 'ASC' : 'DESC')} LIMIT ${limit}`,
      )
      return rows.map((row) => fromRow(columns, row))
    },
    updateVideoJob: (id, change) => update(id, change, empty),
    updateClaimedVideoJob: (id, owner, change) =>
      update(id, change, sql`AND claimed_by = ${owner}`),
    ...claims(database),
    async deleteVideoJob(id) {
      const [deleted] = await database.change(
        sql`DELETE FROM video_jobs WHERE id = ${id}`,
        sql`DELETE FROM kept_files WHERE id = ${id}`,
      )
      return deleted === 1
    },
    ...videoSlots(database),
  }
}

type VideoSlots = Pick<Store, 'freeVideoSlot' | 'renewVideoSlot' | 'takeVideoSlot'>

/** Reservations for videos being created. */
function videoSlots(database: Database): VideoSlots {
  return {
    async takeVideoSlot({ id, keyId, bytes, most, at, until }) {
      const seconds = Math.floor(at / 1000)
      // An ended job has no files, or only until they are removed, so its size is not counted.
      const weighed = sql`SELECT id, sequence,
          CASE WHEN ${unfinished} OR expires_at > ${seconds} THEN COALESCE(bytes, 0) ELSE 0 END AS weight,
          CASE WHEN ${unfinished} OR expires_at > ${seconds} THEN 0 ELSE 1 END AS is_over
        FROM video_jobs WHERE key_id = ${keyId}`
      const taken = sql`SELECT bytes FROM video_places WHERE key_id = ${keyId}`
      const count = sql`((SELECT COUNT(*) FROM (${weighed}) AS kept) + (SELECT COUNT(*) FROM (${taken}) AS held))`
      const weight = sql`((SELECT COALESCE(SUM(weight), 0) FROM (${weighed}) AS kept)
        + (SELECT COALESCE(SUM(bytes), 0) FROM (${taken}) AS held))`
      const changes = await database.change(
        // Serializes concurrent reservations of a key in PostgreSQL; SQLite does so anyway.
        sql`INSERT INTO video_turns (key_id, turn) VALUES (${keyId}, 1)
          ON CONFLICT (key_id) DO UPDATE SET turn = video_turns.turn + 1`,
        sql`DELETE FROM video_places WHERE until <= ${at}`,
        sql`DELETE FROM video_jobs WHERE id IN (
          SELECT id FROM (
            SELECT id, is_over, ROW_NUMBER() OVER (ORDER BY is_over, sequence DESC) AS place
            FROM (${weighed}) AS weighed
          ) AS kept
          WHERE is_over = 1 AND place > ${most.count - 1} - (SELECT COUNT(*) FROM (${taken}) AS held)
        )`,
        sql`INSERT INTO video_places (id, key_id, bytes, until)
          SELECT CAST(${id} AS TEXT), CAST(${keyId} AS TEXT), CAST(${bytes} AS BIGINT), CAST(${until} AS BIGINT)
          WHERE ${count} < ${most.count} AND ${weight} < ${most.bytes} AND ${weight} + ${bytes} <= ${most.bytes}`,
      )
      if (changes.at(-1) === 1) return undefined
      const [row] = await database.rows(sql`SELECT ${count} AS count`)
      return Number(row?.['count']) >= most.count ? 'count' : 'bytes'
    },
    async renewVideoSlot(id, until) {
      await database.change(sql`UPDATE video_places SET until = ${until} WHERE id = ${id}`)
    },
    async freeVideoSlot(id) {
      await database.change(sql`DELETE FROM video_places WHERE id = ${id}`)
    },
  }
}

type Claims = Pick<Store, 'claimVideoJobs' | 'videoJobOwners' | 'releaseVideoJobs'>

/** Which process works on which job. */
function claims(database: Database): Claims {
  return {
    async claimVideoJobs({ provider, owner, gone, at, until }) {
      const isOwn = sql`claimed_by IN (${join([owner, ...gone])})`
      await database.change(
        sql`UPDATE video_jobs SET claimed_by = ${owner}, claimed_until = ${until}
          WHERE provider = ${provider} AND ${unfinished}
            AND (claimed_by IS NULL OR claimed_until <= ${at} OR ${isOwn})`,
      )
      const rows = await database.rows(
        sql`SELECT * FROM video_jobs
          WHERE provider = ${provider} AND ${unfinished} AND claimed_by = ${owner} ORDER BY sequence`,
      )
      return rows.map((row) => fromRow(columns, row))
    },
    async videoJobOwners(provider) {
      const rows = await database.rows(
        sql`SELECT DISTINCT claimed_by FROM video_jobs WHERE provider = ${provider} AND ${unfinished}`,
      )
      return rows.map(({ claimed_by: owner }) => (typeof owner === 'string' ? owner : undefined))
    },
    async releaseVideoJobs(owner) {
      await database.change(
        sql`UPDATE video_jobs SET claimed_until = 0 WHERE claimed_by = ${owner} AND ${unfinished}`,
      )
    },
  }
}
