import type { Transform } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib'

/** A stream that decompresses what is written to it. */
export type Decoder = Transform & { readonly bytesWritten: number }

// RFC 8878 recommends to accept windows up to 8 MiB. Larger ones would let a few bytes allocate a lot of memory.
const zstdOptions = { params: { [constants.ZSTD_d_windowLogMax]: 23 } }

const decoders = new Map<string, () => Decoder>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', () => createZstdDecompress(zstdOptions)],
])

/** Creates the decoder of a content encoding in lower case (RFC 9110, 8.4.1; zstd: RFC 8878); undefined if unknown. */
export function createDecoder(encoding: string): Decoder | undefined {
  return decoders.get(encoding)?.()
}

export function isDecoded(encoding: string): boolean {
  return decoders.has(encoding)
}
