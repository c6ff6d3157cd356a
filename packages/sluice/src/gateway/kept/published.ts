import { randomBytes } from 'node:crypto'
import type { KeptFile, KeptFiles } from '../../ports/kept-files.ts'

/** Pictures under addresses that nobody can guess, for as long as OpenAI's own links live. */
export interface Published {
  /** Keeps bytes and returns a file name: 32 characters of URL-safe base64, 192 random bits, and an ending. */
  publish(bytes: Uint8Array, contentType: string): Promise<string>
  /** By the name without its ending; undefined once expired or displaced by newer ones. */
  find(id: string): Promise<KeptFile | undefined>
}

const keptMs = 3_600_000
/** Of all pictures together; the oldest go first. */
const imageBytesUsual = 256 * 1024 * 1024
/** How much of that may be added before what is too much is looked for. */
const lookPart = 1 / 32

const endings: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/webp': '.webp',
}

/** Keeps pictures in the store, so that every process on the same database serves them. */
export function createPublished(
  store: KeptFiles,
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
      if (added >= imageBytes * lookPart) {
        added = 0
        await store.sweepFiles({ at: createdAt, imageBytes })
      }
      return `${id}${endings[contentType] ?? ''}`
    },
    find: (id) => store.findFile({ id, kind: 'image', at: now() }),
  }
}

/** Removes what nobody can ask for any more. */
export function sweepKeptFiles(store: KeptFiles, now: () => number): Promise<void> {
  return store.sweepFiles({ at: now(), imageBytes: imageBytesUsual })
}
