import { GatewayError } from '@sluice/contract'
import { sql as fragment } from 'kysely'
import sql, { raw, type Sql } from 'sql-template-tag'
import type { Store } from '@sluice/gateway/ports/store.ts'
import type { Database } from '../database.ts'
import { findNumber } from './columns.ts'
import { videoColumns } from './schema.ts'
import { compiled, pickColumns, select, tables } from './statements.ts'

/** Not as values: SQLite uses the index of unfinished jobs only if it sees its condition. */
const unfinished = "status IN ('queued', 'in_progress')"
const isUnfinished = fragment<boolean>`${fragment.raw(unfinished)}`

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
  const jobs = tables.selectFrom('videoJobs').selectAll()
  type Change = Parameters<Store['updateVideoJob']>[1]
  function update(id: string, change: Change) {
    // With the id, because a change may be empty.
    const fields = { ...pickColumns(videoColumns, change), id }
    return tables.updateTable('videoJobs').set(fields).where('id', '=', id).where(isUnfinished)
  }

  return {
    async addVideoJob(job, slotId) {
      const add = tables.insertInto('videoJobs').values(pickColumns(videoColumns, job))
      const used = slotId === undefined ? [] : [freedSlot(slotId)]
      const [added] = await database.changeDurably(
        compiled(add.onConflict((conflict) => conflict.doNothing())),
        ...used,
      )
      if (added !== 1) throw new GatewayError('conflict', 'This video exists already')
    },
    async findVideoJob(id) {
      const [found] = await select(database, videoColumns, jobs.where('id', '=', id))
      return found
    },
    listVideoJobs(keyId, { limit, after, ascending = false }) {
      let page = jobs.where('keyId', '=', keyId)
      if (after !== undefined)
        page = page.where('sequence', ascending ? '>' : '<', (job) =>
          // If the key has no such row, the comparison with NULL matches nothing.
          job
            .selectFrom('videoJobs')
            .select('sequence')
            .where((last) => last.and({ id: after, keyId })),
        )
      const ordered = page.orderBy('sequence', ascending ? 'asc' : 'desc')
      return select(database, videoColumns, ordered.limit(limit))
    },
    async updateVideoJob(id, change) {
      const [updated] = await database.change(compiled(update(id, change)))
      return updated === 1
    },
    async updateClaimedVideoJob(id, owner, change) {
      const own = update(id, change).where('claimedBy', '=', owner)
      const [updated] = await database.change(compiled(own))
      return updated === 1
    },
    ...claims(database),
    async deleteVideoJob(id) {
      const [deleted] = await database.change(
        compiled(tables.deleteFrom('videoJobs').where('id', '=', id)),
        compiled(tables.deleteFrom('keptFiles').where('id', '=', id)),
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
          CASE WHEN ${raw(unfinished)} OR expires_at > ${seconds} THEN COALESCE(bytes, 0) ELSE 0 END AS weight,
          CASE WHEN ${raw(unfinished)} OR expires_at > ${seconds} THEN 0 ELSE 1 END AS is_over
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
      const found = await findNumber(database, sql`SELECT ${count} AS count`)
      return found !== undefined && found >= most.count ? 'count' : 'bytes'
    },
    async renewVideoSlot(id, until) {
      const renew = tables.updateTable('videoPlaces').set({ until })
      await database.change(compiled(renew.where('id', '=', id)))
    },
    async freeVideoSlot(id) {
      await database.change(freedSlot(id))
    },
  }
}

function freedSlot(id: string): Sql {
  return compiled(tables.deleteFrom('videoPlaces').where('id', '=', id))
}

type Claims = Pick<Store, 'claimVideoJobs' | 'videoJobOwners' | 'releaseVideoJobs'>

/** Which process works on which job. */
function claims(database: Database): Claims {
  return {
    async claimVideoJobs({ provider, owner, gone, at, until }) {
      const claim = tables
        .updateTable('videoJobs')
        .set({ claimedBy: owner, claimedUntil: until })
        .where('provider', '=', provider)
        .where(isUnfinished)
        .where((job) =>
          job.or([
            job('claimedBy', 'is', null),
            job('claimedUntil', '<=', at),
            job('claimedBy', 'in', [owner, ...gone]),
          ]),
        )
      await database.change(compiled(claim))
      const own = tables
        .selectFrom('videoJobs')
        .selectAll()
        .where((job) => job.and({ provider, claimedBy: owner }))
        .where(isUnfinished)
      return select(database, videoColumns, own.orderBy('sequence'))
    },
    async videoJobOwners(provider) {
      const owners = tables.selectFrom('videoJobs').select('claimedBy').distinct()
      const found = await select<{ readonly claimedBy?: string }>(
        database,
        { claimedBy: 'text' },
        owners.where('provider', '=', provider).where(isUnfinished),
      )
      return found.map(({ claimedBy }) => claimedBy)
    },
    async releaseVideoJobs(owner) {
      const release = tables.updateTable('videoJobs').set({ claimedUntil: 0 })
      await database.change(compiled(release.where('claimedBy', '=', owner).where(isUnfinished)))
    },
  }
}
