import type { Transform } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
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

/**
 * Creates the decoder for a response that begins with `first`. Some servers send deflate without the zlib header that RFC 9110
 * (8.4.1.2) asks for, which browsers read too.
 */
export function createAnswerDecoder(encoding: string, first: Uint8Array): Decoder | undefined {
  const isBare = encoding === 'deflate' && ((first[0] ?? 8) & 0x0f) !== 8
  return isBare ? createInflateRaw() : createDecoder(encoding)
}

/** The encoding to remove from a response; undefined if there is none or it is unknown. */
export function decodedEncoding(header: string): string | undefined {
  const encodings = header
    .toLowerCase()
    .split(',')
    .map((encoding) => encoding.trim())
  const [encoding = '', ...more] = encodings.filter((name) => name !== 'identity')
  return more.length === 0 && decoders.has(encoding) ? encoding : undefined
}
