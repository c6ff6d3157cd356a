import { gzipSync } from 'node:zlib'
import { chunkedHead, chunks, type Step, send, stall } from './steps.ts'
import { goodSteps } from './upstream.ts'
import type { Words } from './words-form.ts'

/** What a caller does with its connection, one step after the other. */
export type Move =
  | { readonly do: 'send'; readonly bytes: (request: Sent) => Uint8Array | string }
  /** The head or the body, a few bytes at a time. */
  | { readonly do: 'drip'; readonly part: 'head' | 'body'; readonly pieces: number }
  /** Waits until the upstream has been asked so often in all. */
  | { readonly do: 'asked'; readonly times: number }
  /** Waits until these bytes have come. */
  | { readonly do: 'read'; readonly text: string }
  /** Reads no more, and waits until nothing more is taken from the upstream. */
  | { readonly do: 'read nothing' }
  | { readonly do: 'read slowly' }
  | { readonly do: 'reset' }
  /** Closes its half of the connection and reads on. */
  | { readonly do: 'end' }

/** A good request, in parts. */
export interface Sent {
  /** The head without its end, and without what says of the body how long it is. */
  readonly head: string
  readonly body: string
}

export interface CallerFault {
  readonly name: string
  readonly moves: readonly Move[]
  /** What the upstream says; default the good answer. */
  readonly steps?: (words: Words) => readonly Step[]
  /** What comes back: the good answer, that many of them, an error of this status, or nothing that is over. */
  readonly gets: 'answer' | 'two answers' | 'nothing' | number
  /** The bytes were no request, so the error is OpenAI's whatever was asked for. */
  readonly isPlain?: boolean
  /** The usage records of the target. Default one that is completed for an answer, and else none. */
  readonly records?: readonly string[]
  /** Only whole answers, or only streams, can have it. */
  readonly only?: 'whole' | 'stream'
  readonly isHeavy?: boolean
}

const withLength = ({ head, body }: Sent, length = Buffer.byteLength(body)): string =>
  `${head}content-length: ${length}\r\n\r\n`
const whole: Move = { do: 'send', bytes: (sent) => withLength(sent) + sent.body }
const half = (body: string): string => body.slice(0, body.length >> 1)
const halfBody: Move = { do: 'send', bytes: (sent) => withLength(sent) + half(sent.body) }
const reset: Move = { do: 'reset' }
const end: Move = { do: 'end' }
const asked = (times: number): Move => ({ do: 'asked', times })
const encoded = (encoding: string, bytes: (body: string) => Uint8Array): Move => ({
  do: 'send',
  bytes(sent) {
    const body = bytes(sent.body)
    const head = `${sent.head}content-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`
    return Buffer.concat([Buffer.from(head), body])
  },
})
const replaced = (body: Uint8Array | string): Move => ({
  do: 'send',
  bytes: ({ head }) =>
    Buffer.concat([
      Buffer.from(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n`),
      Buffer.from(body),
    ]),
})

const begun = ({ contentType, preamble, content }: Words): readonly Step[] => [
  send(chunkedHead(contentType), chunks(...preamble, content[0])),
  stall,
]
const flood = (words: Words): readonly Step[] => [
  send(chunkedHead(words.contentType), chunks(...words.preamble)),
  { do: 'repeat', bytes: chunks(words.said('x'.repeat(60_000))), ms: 0 },
]
const long = (words: Words): readonly Step[] =>
  goodSteps({ ...words, content: [words.content[0], words.said(`lo${' '.repeat(600_000)}`)] })

const leaves: readonly CallerFault[] = [
  { name: 'disconnects before sending anything', moves: [reset], gets: 'nothing' },
  {
    name: 'disconnects within its headers',
    moves: [{ do: 'send', bytes: ({ head }) => half(head) }, reset],
    gets: 'nothing',
  },
  { name: 'disconnects within its body', moves: [halfBody, reset], gets: 'nothing' },
  {
    name: 'half-closes the connection within its body',
    moves: [halfBody, end],
    gets: 400,
    isPlain: true,
  },
  {
    name: 'disconnects while the upstream is silent',
    moves: [whole, asked(1), reset],
    steps: () => [stall],
    gets: 'nothing',
    records: ['cancelled'],
  },
  {
    name: 'disconnects after the upstream’s headers',
    moves: [whole, asked(1), reset],
    steps: ({ contentType }) => [send(chunkedHead(contentType)), stall],
    gets: 'nothing',
    records: ['cancelled'],
  },
  {
    name: 'disconnects after the first event',
    moves: [whole, { do: 'read', text: 'Hel' }, reset],
    steps: begun,
    gets: 'nothing',
    records: ['cancelled'],
    only: 'stream',
  },
  {
    name: 'disconnects within the upstream’s response',
    moves: [whole, asked(1), reset],
    steps: begun,
    gets: 'nothing',
    records: ['cancelled'],
    only: 'whole',
  },
  {
    name: 'disconnects within an endless stream',
    moves: [whole, { do: 'read', text: 'xxxx' }, reset],
    steps: flood,
    gets: 'nothing',
    records: ['cancelled'],
    only: 'stream',
  },
  {
    name: 'disconnects while the second target is silent',
    moves: [whole, asked(2), reset],
    steps: () => [{ do: 'reset' }],
    gets: 'nothing',
    records: ['failed', 'cancelled'],
  },
  {
    // Nobody can tell it from one that was killed, and an answer costs money.
    name: 'half-closes the connection while waiting',
    moves: [whole, asked(1), end],
    steps: () => [stall],
    gets: 'nothing',
    records: ['cancelled'],
  },
]

const slow: readonly CallerFault[] = [
  {
    name: 'sends its headers slowly',
    moves: [
      { do: 'drip', part: 'head', pieces: 8 },
      { do: 'send', bytes: ({ body }) => body },
    ],
    gets: 'answer',
  },
  {
    name: 'sends its body slowly',
    moves: [
      { do: 'send', bytes: (sent) => withLength(sent) },
      { do: 'drip', part: 'body', pieces: 8 },
    ],
    gets: 'answer',
  },
  {
    name: 'stalls within its body',
    moves: [halfBody],
    gets: 408,
    isPlain: true,
    isHeavy: true,
  },
  {
    name: 'reads slowly to the end',
    moves: [whole, { do: 'read slowly' }],
    steps: long,
    gets: 'answer',
    only: 'stream',
  },
  {
    name: 'reads nothing of an endless stream, then disconnects',
    moves: [whole, asked(1), { do: 'read nothing' }, reset],
    steps: flood,
    gets: 'nothing',
    records: ['cancelled'],
    only: 'stream',
    isHeavy: true,
  },
]

const compressed = (body: string): Buffer => gzipSync(body)

const lying: readonly CallerFault[] = [
  {
    name: 'follows its request with invalid data',
    moves: [whole, asked(1), { do: 'send', bytes: () => '\u0000 more of it\r\n\r\n' }],
    steps: () => [stall],
    gets: 400,
    isPlain: true,
    records: ['cancelled'],
  },
  {
    name: 'declares fewer bytes than it sends',
    moves: [{ do: 'send', bytes: (sent) => withLength(sent, sent.body.length >> 1) + sent.body }],
    gets: 400,
    isPlain: true,
  },
  {
    name: 'sends two requests at once',
    moves: [{ do: 'send', bytes: (sent) => (withLength(sent) + sent.body).repeat(2) }],
    gets: 'two answers',
    records: ['completed', 'completed'],
  },
  {
    name: 'waits for 100 Continue',
    moves: [
      {
        do: 'send',
        bytes: (sent) => withLength({ ...sent, head: `${sent.head}expect: 100-continue\r\n` }),
      },
      { do: 'read', text: '100 Continue' },
      { do: 'send', bytes: ({ body }) => body },
    ],
    gets: 'answer',
  },
  { name: 'compresses its body', moves: [encoded('gzip', compressed)], gets: 'answer' },
  {
    name: 'declares gzip without compressing',
    moves: [encoded('gzip', (body) => Buffer.from(body))],
    gets: 400,
  },
  {
    name: 'compresses without declaring it',
    moves: [encoded('identity', compressed)],
    gets: 400,
  },
  {
    name: 'truncates compressed data',
    moves: [encoded('gzip', (body) => compressed(body).subarray(0, -12))],
    gets: 400,
  },
  {
    name: 'uses an unknown encoding',
    moves: [encoded('rot13', (body) => Buffer.from(body))],
    gets: 400,
  },
  {
    name: 'sends invalid chunks',
    moves: [
      { do: 'send', bytes: ({ head }) => `${head}transfer-encoding: chunked\r\n\r\nxyz\r\nhello` },
    ],
    gets: 400,
    isPlain: true,
  },
  {
    name: 'sends two lengths',
    moves: [
      {
        do: 'send',
        bytes: (sent) =>
          `${sent.head}content-length: 1\r\n${withLength(sent).slice(sent.head.length)}`,
      },
    ],
    gets: 400,
    isPlain: true,
  },
  { name: 'sends a body that is not JSON', moves: [replaced('{"model": tru')], gets: 400 },
  { name: 'sends a body that is not text', moves: [replaced(Buffer.alloc(64, 0xff))], gets: 400 },
  { name: 'sends no body', moves: [replaced('')], gets: 400 },
  {
    name: 'declares a body that is too large',
    moves: [{ do: 'send', bytes: (sent) => withLength(sent, 1024 ** 4) }],
    gets: 413,
  },
]

export const callerFaultGroups: readonly {
  readonly title: string
  readonly faults: readonly CallerFault[]
}[] = [
  { title: 'Callers that disconnect', faults: leaves },
  { title: 'Slow callers', faults: slow },
  { title: 'Invalid and unusual requests', faults: lying },
]
