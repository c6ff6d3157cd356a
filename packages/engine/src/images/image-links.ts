import { randomBytes } from 'node:crypto'

/** A published file, served to whoever has its id. */
export interface LinkedImage {
  readonly bytes: Uint8Array
  readonly contentType: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Pictures kept in memory under unguessable ids for a while. Nothing here survives a restart. */
export interface ImageLinks {
  /** Keeps bytes and returns a file name: 32 characters of URL-safe base64, 192 random bits, and an ending. */
  publish(bytes: Uint8Array, contentType: string): string
  /** By the name without its ending; undefined once expired or displaced by newer ones. */
  find(id: string): LinkedImage | undefined
}

export interface ImageLinksOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Default: one hour, as long as OpenAI's own links live. */
  readonly ttlMs?: number
  /** Total of all kept; the oldest go first. Default 256 MiB. */
  readonly bytesMax?: number
  /** Default 2,000. */
  readonly entriesMax?: number
}

const endings: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/webp': '.webp',
}

export function openImageLinks({
  now,
  ttlMs = 3_600_000,
  bytesMax = 256 * 1024 * 1024,
  entriesMax = 2000,
}: ImageLinksOptions): ImageLinks {
  // A Map keeps the order of insertion, which is the order of expiry.
  const kept = new Map<string, LinkedImage>()
  let bytesKept = 0
  const remove = (id: string, { bytes }: LinkedImage): void => {
    kept.delete(id)
    bytesKept -= bytes.length
  }
  const makeRoom = (): void => {
    for (const [id, image] of kept) {
      const isOver = bytesKept > bytesMax || kept.size > entriesMax
      if (!isOver && image.expiresAt > now()) return
      remove(id, image)
    }
  }
  return {
    publish(bytes, contentType) {
      const id = randomBytes(24).toString('base64url')
      kept.set(id, { bytes, contentType, expiresAt: now() + ttlMs })
      bytesKept += bytes.length
      makeRoom()
      return `${id}${endings[contentType] ?? ''}`
    },
    find(id) {
      const image = kept.get(id)
      if (image === undefined) return undefined
      if (image.expiresAt > now()) return image
      remove(id, image)
      return undefined
    },
  }
}
