import { setImmediate as nextTurn } from 'node:timers/promises'
import sql from 'sql-template-tag'
import type { StoredFileKind, FileStore } from '@sluice/gateway/ports/file-store.ts'
import type { Database } from '../database.ts'
import type { Columns } from './columns.ts'
import type { Tables } from './schema.ts'
import { compiled, select, tables } from './statements.ts'

/** What is read of a part. */
const partColumns: Columns<Pick<Tables['keptFiles'], 'parts' | 'contentType' | 'content'>> = {
  parts: 'integer',
  contentType: 'text',
  content: 'text',
}

/** SQLite writes in this thread; one part takes some milliseconds. */
const partBytes = 512 * 1024
/** A job's first file may be stored before the job itself. */
const orphanMs = 600_000

/** The part of the store for files. */
export function keptFileTable(database: Database): FileStore {
  async function removeFiles(id: string, kinds: readonly StoredFileKind[]): Promise<void> {
    const files = tables.deleteFrom('keptFiles').where('id', '=', id)
    await database.change(compiled(files.where('kind', 'in', kinds)))
  }

  return {
    async addFile({ bytes, ...file }) {
      const { id, kind, contentType, createdAt, expiresAt } = file
      const fields = { id, kind, contentType, createdAt, expiresAt }
      const parts = Math.max(1, Math.ceil(bytes.length / partBytes))
      await removeFiles(id, [kind])
      for (let part = 0; part < parts; part += 1) {
        const piece = bytes.subarray(part * partBytes, (part + 1) * partBytes)
        const content = Buffer.from(piece.buffer, piece.byteOffset, piece.length)
        const row = {
          ...fields,
          part,
          parts,
          bytes: piece.length,
          content: content.toString('base64'),
        }
        await database.change(compiled(tables.insertInto('keptFiles').values(row)))
        await nextTurn()
      }
    },
    async findFile({ id, kind, at }) {
      const pieces: Buffer[] = []
      for (let part = 0; ; part += 1) {
        const [found] = await select(
          database,
          partColumns,
          tables
            .selectFrom('keptFiles')
            .select(['parts', 'contentType', 'content'])
            .where((file) => file.and({ id, kind, part }))
            .where('expiresAt', '>', at),
        )
        if (!found) return undefined
        const { contentType, content, parts } = found
        pieces.push(Buffer.from(content, 'base64'))
        if (pieces.length === parts) return { contentType, bytes: Buffer.concat(pieces) }
        await nextTurn()
      }
    },
    removeFiles,
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
