import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { answer, cut, type Fault, type FaultGroup, garbled } from './fault.ts'
import { whole } from './steps.ts'
import type { Words } from './words-form.ts'

const bodyOf = ({ preamble, content, ending }: Words) =>
  Buffer.concat([...preamble, ...content, ...ending])

const said = (encoding: string, bytes: (body: Buffer) => Uint8Array): Pick<Fault, 'steps'> => ({
  steps: (words) =>
    whole(200, bytes(bodyOf(words)), {
      'content-type': words.contentType,
      'content-encoding': encoding,
    }),
})

/** Nobody asks for it: a gateway says that it takes what is not compressed. */
export const compressed: FaultGroup = {
  title: 'Unrequested compression',
  faults: [
    {
      name: 'compresses with gzip',
      ...said('gzip', (body) => gzipSync(body)),
      whole: answer,
      stream: answer,
    },
    {
      name: 'compresses with Brotli',
      ...said('br', (body) => brotliCompressSync(body)),
      whole: answer,
      stream: answer,
    },
    {
      name: 'compresses with Zstandard',
      ...said('zstd', (body) => zstdCompressSync(body)),
      whole: answer,
      stream: answer,
    },
    {
      name: 'declares gzip without compressing',
      ...said('gzip', (body) => body),
      whole: garbled,
      stream: garbled,
    },
    {
      name: 'declares an unknown encoding',
      ...said('lzma9', (body) => gzipSync(body)),
      whole: garbled,
      stream: garbled,
    },
    {
      name: 'truncates compressed data',
      ...said('gzip', (body) => gzipSync(body).subarray(0, 24)),
      whole: cut,
      stream: cut,
    },
  ],
}
