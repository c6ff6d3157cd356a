import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { GatewayError, type Store, type VideoJob } from '@sluice/contract'
import {
  type Columns,
  durably,
  fieldsOf,
  fromRow,
  json,
  number,
  prepareInsert,
  text,
  toValues,
} from './sqlite-rows.ts'

const columns: Columns<VideoJob> = {
  id: text('id'),
  keyId: text('key_id'),
  provider: text('provider'),
  model: text('model'),
  upstreamId: text('upstream_id'),
  status: text('status'),
  progress: number('progress'),
  prompt: text('prompt'),
  seconds: text('seconds'),
  size: text('size'),
  request: text('request'),
  error: json('error'),
  contentFile: text('content_file'),
  createdAt: number('created_at'),
  completedAt: number('completed_at'),
  expiresAt: number('expires_at'),
  remixedFromVideoId: text('remixed_from_video_id'),
}

const known = fieldsOf(columns)
const fields = known.map(([field]) => field)
const unfinished = "status IN ('queued', 'in_progress')"

type VideoJobStore = Pick<
  Store,
  | 'addVideoJob'
  | 'findVideoJob'
  | 'listVideoJobs'
  | 'updateVideoJob'
  | 'deleteVideoJob'
  | 'unfinishedVideoJobs'
>

/** The part of the store that keeps video tasks. */
export function videoJobTable(db: DatabaseSync): VideoJobStore {
  const insert = prepareInsert(db, 'video_jobs', columns)
  const find = db.prepare('SELECT * FROM video_jobs WHERE id = ?')
  const remove = db.prepare('DELETE FROM video_jobs WHERE id = ?')
  const undone = db.prepare(
    `SELECT * FROM video_jobs WHERE provider = ? AND ${unfinished} ORDER BY sequence`,
  )
  const pages = preparePages(db)
  const updates = new Map<string, StatementSync>()

  return {
    async addVideoJob(job) {
      durably(db, () => {
        if (find.get(job.id)) throw new GatewayError('conflict', 'There is such a video already')
        insert.run(...toValues(columns, job, fields))
      })
    },
    async findVideoJob(id) {
      const row = find.get(id)
      return row && fromRow(columns, row)
    },
    async listVideoJobs(keyId, { limit, after, ascending = false }) {
      const page = pages[ascending ? 'ascending' : 'descending']
      const rows =
        after === undefined
          ? page.first.all(keyId, limit)
          : page.next.all(keyId, after, keyId, limit)
      return rows.map((row) => fromRow(columns, row))
    },
    async updateVideoJob(id, change) {
      const given = new Map(Object.entries(change))
      const changed = known.filter(([field]) => field !== 'id' && given.get(field) !== undefined)
      const sets = ['id = id', ...changed.map(([, { column }]) => `${column} = ?`)].join(', ')
      const update =
        updates.get(sets) ??
        db.prepare(`UPDATE video_jobs SET ${sets} WHERE id = ? AND ${unfinished}`)
      updates.set(sets, update)
      const values = toValues(
        columns,
        change,
        changed.map(([field]) => field),
      )
      return update.run(...values, id).changes === 1
    },
    async deleteVideoJob(id) {
      return remove.run(id).changes === 1
    },
    async unfinishedVideoJobs(provider) {
      return undone.all(provider).map((row) => fromRow(columns, row))
    },
  }
}

/** A page begins behind the row that `after` names; where the key has no such row, nothing follows it. */
function preparePages(db: DatabaseSync) {
  const select = (condition: string, order: string) =>
    db.prepare(
      `SELECT * FROM video_jobs WHERE key_id = ? ${condition} ORDER BY sequence ${order} LIMIT ?`,
    )
  const mark = '(SELECT sequence FROM video_jobs WHERE id = ? AND key_id = ?)'
  return {
    ascending: { first: select('', 'ASC'), next: select(`AND sequence > ${mark}`, 'ASC') },
    descending: { first: select('', 'DESC'), next: select(`AND sequence < ${mark}`, 'DESC') },
  }
}
