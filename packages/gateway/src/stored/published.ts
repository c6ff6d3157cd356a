import { randomBytes } from 'node:crypto'
import type { StoredFile, FileStore } from '../ports/file-store.ts'

/** Images at URLs that cannot be guessed, valid as long as OpenAI's own links. */
export interface Published {
  /** Stores the bytes and returns a file name: 32 characters of URL-safe base64 (192 random bits) and an extension. */
  publish(bytes: Uint8Array, contentType: string): Promise<string>
  /** Finds an image by its name without the extension; undefined once expired or displaced by newer images. */
  find(id: string): Promise<StoredFile | undefined>
}

const keptMs = 3_600_000
/** The limit for all images together; the oldest are removed first. */
const imageBytesUsual = 256 * 1024 * 1024
/** The store is checked whenever this fraction of the limit has been added. */
const checkedShare = 1 / 32

const endings: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/webp': '.webp',
}

/** Keeps images in the store, so that every process on the same database serves them. */
export function createPublished(
  store: FileStore,
  now: () => number,
  imageBytes = imageBytesUsual,
): Published {
  let added = 0
  return {
    async publish(bytes, contentType) {
      const id = randomBytes(24).toString('base64url')
      const createdAt = now()
      const expiresAt = createdAt + keptMs
      await store.addFile({ id, kind: 'image', contentType, bytes, createdAt, expiresAt })
      added += bytes.length
      if (added >= imageBytes * checkedShare) {
        added = 0
        await store.sweepFiles({ at: createdAt, imageBytes })
      }
      return `${id}${endings[contentType] ?? ''}`
    },
    find: (id) => store.findFile({ id, kind: 'image', at: now() }),
  }
}

/** Removes expired files. */
export function sweepStoredFiles(store: FileStore, now: () => number): Promise<void> {
  return store.sweepFiles({ at: now(), imageBytes: imageBytesUsual })
}
