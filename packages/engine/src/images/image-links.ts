import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'

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
  const kept = new LRUCache<string, LinkedImage>({
    max: entriesMax,
    maxSize: bytesMax,
    sizeCalculation: ({ bytes }) => Math.max(1, bytes.length),
  })
  return {
    publish(bytes, contentType) {
      const id = randomBytes(24).toString('base64url')
      kept.set(id, { bytes, contentType, expiresAt: now() + ttlMs })
      return `${id}${endings[contentType] ?? ''}`
    },
    find(id) {
      // Looking does not make it any newer.
      const image = kept.peek(id)
      if (image === undefined || image.expiresAt > now()) return image
      kept.delete(id)
      return undefined
    },
  }
}
