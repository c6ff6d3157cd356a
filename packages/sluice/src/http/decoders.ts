import type { Transform } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib'

/** Takes compressed bytes and gives what they were made of. */
export type Decoder = Transform & { readonly bytesWritten: number }

// A larger window than RFC 8878 recommends to accept would be room that a few bytes take.
const zstdOptions = { params: { [constants.ZSTD_d_windowLogMax]: 23 } }

const decoders = new Map<string, () => Decoder>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', () => createZstdDecompress(zstdOptions)],
])

/** For a content encoding (RFC 9110, 8.4.1; zstd: RFC 8878) in lower case; undefined for one that is not known. */
export function createDecoder(encoding: string): Decoder | undefined {
  return decoders.get(encoding)?.()
}

export function isDecoded(encoding: string): boolean {
  return decoders.has(encoding)
}
