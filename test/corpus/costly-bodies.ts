import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'

/** A body that costs much more to read than to send, or that is large in all honesty. */
interface CostlyBody {
  readonly name: string
  readonly body: () => Uint8Array
  readonly encoding?: 'gzip' | 'br' | 'zstd'
  /** What it is answered with; where it is read, no model has the name that it asks for. */
  readonly status: 400 | 404 | 413
}

const MiB = 1024 * 1024
const longInteger = '1234567890123456789'

/** A chat request with one more field. */
const chat = (field: string): string =>
  `{"model":"nobody","messages":[{"role":"user","content":"Hi"}],"extra":${field}}`
/** With one that no double holds. */
const withInteger = (field: string): string => chat(`[${longInteger},${field}]`)
const many = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => item(index)).join()
const text = (document: string): Uint8Array => Buffer.from(document)
const filled = (size: number, item: string): string => item.repeat(Math.floor(size / item.length))
const nested = (levels: number, open: string, close: string): string =>
  open.repeat(levels) + close.repeat(levels)
const gzip = (document: string): Uint8Array => gzipSync(document, { level: 1 })

export const costlyBodies: readonly CostlyBody[] = [
  // Many values.
  { name: 'empty lists', body: () => text(chat(`[${filled(32 * MiB, '[],')}[]]`)), status: 413 },
  {
    name: 'as many empty lists as pass',
    body: () => text(chat(`[${many(99_000, () => '[]')}]`)),
    status: 404,
  },
  {
    name: 'as many numbers as pass',
    body: () => text(chat(`[${many(490_000, () => '0')}]`)),
    status: 404,
  },
  {
    name: 'as many texts as pass',
    body: () => text(chat(`[${many(99_000, (index) => `"t${index}"`)}]`)),
    status: 404,
  },
  {
    name: 'as many names as pass',
    body: () => text(chat(`{${many(54_000, (index) => `"n${index}":0`)}}`)),
    status: 404,
  },
  {
    name: 'as many shapes as pass',
    body: () => text(chat(`[${many(38_000, (index) => `{"n${index}":0}`)}]`)),
    status: 404,
  },
  {
    name: 'numbers by the million',
    body: () => text(chat(`[${filled(16 * MiB, '0,')}0]`)),
    status: 413,
  },
  // Integers that no double holds.
  {
    name: 'one long integer among numbers',
    body: () => text(withInteger(many(480_000, () => '0'))),
    status: 404,
  },
  {
    name: 'one among texts',
    body: () => text(withInteger(many(98_000, (index) => `"#${index}:"`))),
    status: 404,
  },
  {
    name: 'one beside a text of what stands in for it',
    body: () => text(withInteger(`"${filled(8 * MiB, '#')}"`)),
    status: 404,
  },
  {
    name: 'one beside escaped quotes',
    body: () => text(withInteger(`"${filled(8 * MiB, '\\"')}"`)),
    status: 404,
  },
  {
    name: 'as many long integers as pass',
    body: () => text(chat(`[${many(49_000, () => longInteger)}]`)),
    status: 404,
  },
  {
    name: 'more of them',
    body: () => text(chat(`[${many(60_000, () => longInteger)}]`)),
    status: 413,
  },
  {
    name: 'an integer of eight million digits',
    body: () => text(chat(filled(8 * MiB, '7'))),
    status: 404,
  },
  // What becomes large.
  {
    name: 'numbers in gzip',
    encoding: 'gzip',
    body: () => gzip(withInteger(`${filled(24 * MiB, '0,')}0`)),
    status: 413,
  },
  {
    name: 'one text in gzip',
    encoding: 'gzip',
    body: () => gzip(chat(`"${filled(100 * MiB, 'a')}"`)),
    status: 413,
  },
  {
    name: 'one text in br',
    encoding: 'br',
    body: () =>
      brotliCompressSync(chat(`"${filled(32 * MiB, 'a')}"`), {
        params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
      }),
    status: 413,
  },
  {
    name: 'one text in zstd',
    encoding: 'zstd',
    body: () => zstdCompressSync(chat(`"${filled(100 * MiB, 'a')}"`)),
    status: 413,
  },
  // Much text.
  {
    name: 'a text of escapes',
    body: () => text(chat(`"${filled(24 * MiB, '\\u00e9\\n\\"')}"`)),
    status: 404,
  },
  {
    name: 'short texts of 20 MiB',
    body: () => text(chat(`[${many(2_000, () => `"${'a'.repeat(10_000)}"`)}]`)),
    status: 413,
  },
  {
    name: 'short texts of 12 MiB',
    body: () => text(chat(`[${many(1_200, () => `"${'é'.repeat(5_000)}"`)}]`)),
    status: 404,
  },
  { name: 'a name of 8 MiB', body: () => text(chat(`{"${filled(8 * MiB, 'n')}":0}`)), status: 404 },
  { name: 'a large picture', body: () => text(chat(`"${filled(32 * MiB, 'QUJD')}"`)), status: 404 },
  // Deep ones.
  { name: 'lists in each other', body: () => text(chat(nested(100_000, '[', ']'))), status: 400 },
  {
    name: 'objects in each other',
    body: () => text(chat(`${'{"a":'.repeat(50_000)}0${'}'.repeat(50_000)}`)),
    status: 400,
  },
  { name: 'lists without their ends', body: () => text(chat('['.repeat(100_000))), status: 400 },
]
