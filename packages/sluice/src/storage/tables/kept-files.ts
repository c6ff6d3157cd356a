import { setImmediate as nextTurn } from 'node:timers/promises'
import sql, { join } from 'sql-template-tag'
import type { KeptFiles } from '../../ports/kept-files.ts'
import { type Columns, insert, integer, text } from './columns.ts'
import type { Database } from '../database.ts'

interface Part {
  readonly id: string
  readonly kind: string
  readonly part: number
  readonly parts: number
  readonly contentType: string
  readonly bytes: number
  readonly createdAt: number
  readonly expiresAt: number
  /** Base64, which both databases store as text. */
  readonly content: string
}

const columns: Columns<Part> = {
  id: text('id'),
  kind: text('kind'),
  part: integer('part'),
  parts: integer('parts'),
  contentType: text('content_type'),
  bytes: integer('bytes'),
  createdAt: integer('created_at'),
  expiresAt: integer('expires_at'),
  content: text('content'),
}

/** SQLite writes in this thread; one part takes some milliseconds. */
const partBytes = 512 * 1024
/** A job's first file may be stored before the job itself. */
const orphanMs = 600_000

/** The part of the store for files. */
export function keptFileTable(database: Database): KeptFiles {
  return {
    async addFile({ bytes, ...file }) {
      const { id, kind } = file
      const parts = Math.max(1, Math.ceil(bytes.length / partBytes))
      await database.change(sql`DELETE FROM kept_files WHERE id = ${id} AND kind = ${kind}`)
      for (let part = 0; part < parts; part += 1) {
        const piece = bytes.subarray(part * partBytes, (part + 1) * partBytes)
        const content = Buffer.from(piece.buffer, piece.byteOffset, piece.length)
        const row = {
          ...file,
          part,
          parts,
          bytes: piece.length,
          content: content.toString('base64'),
        }
        await database.change(insert('kept_files', columns, row))
        await nextTurn()
      }
    },
    async findFile({ id, kind, at }) {
      const pieces: Buffer[] = []
      for (let part = 0; ; part += 1) {
        const [row] = await database.rows(
          sql`SELECT parts, content_type, content FROM kept_files
            WHERE id = ${id} AND kind = ${kind} AND part = ${part} AND expires_at > ${at}`,
        )
        if (!row) return undefined
        pieces.push(Buffer.from(String(row['content']), 'base64'))
        if (pieces.length === Number(row['parts']))
          return { contentType: String(row['content_type']), bytes: Buffer.concat(pieces) }
        await nextTurn()
      }
    },
    async removeFiles(id, kinds) {
      await database.change(
        sql`DELETE FROM kept_files WHERE id = ${id} AND kind IN (${join([...kinds])})`,
      )
    },
    async sweepFiles({ at, imageBytes }) {
      await database.change(
        sql`DELETE FROM kept_files WHERE expires_at <= ${at}`,
        sql`DELETE FROM kept_files WHERE kind <> 'image' AND created_at <= ${at - orphanMs}
          AND id NOT IN (SELECT id FROM video_jobs)`,
        sql`DELETE FROM kept_files WHERE kind = 'image' AND id IN (
          SELECT id FROM (
            SELECT id, SUM(bytes) OVER (ORDER BY created_at DESC, id ROWS UNBOUNDED PRECEDING) AS total
            FROM kept_files WHERE kind = 'image'
          ) AS kept WHERE total > ${imageBytes}
        )`,
      )
    },
  }
}
