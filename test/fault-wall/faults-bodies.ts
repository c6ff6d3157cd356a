import { gzipSync } from 'node:zlib'
import {
  answer,
  cut,
  errorEvent,
  type FaultGroup,
  garbled,
  missingAt,
  retry,
  soon,
  timeout,
  unreachable,
} from './fault.ts'
import {
  chunkedHead,
  chunks,
  end,
  head,
  keep,
  repeat,
  type Step,
  send,
  stall,
  whole,
} from './steps.ts'
import type { Words } from './words-form.ts'

const partsOf = ({ preamble, content, ending }: Words) => [...preamble, ...content, ...ending]
const bodyOf = (words: Words) => Buffer.concat(partsOf(words))
/** A stream in order, of these parts. */
const streamOf = ({ contentType }: Words, parts: readonly Uint8Array[]): readonly Step[] => [
  send(chunkedHead(contentType), chunks(...parts), '0\r\n\r\n'),
  keep,
]
const json = (body: Uint8Array | string): readonly Step[] =>
  whole(200, body, { 'content-type': 'application/json' })
/** The same bytes every time, of all values. */
const noise = Buffer.from(Array.from({ length: 4_000 }, (_, index) => (index * 151 + 7) % 256))
const page = '<!doctype html><html><body><h1>Sign in</h1></body></html>'

export const garbage: FaultGroup = {
  title: 'Unreadable responses',
  faults: [
    {
      name: 'sends something that is not HTTP',
      steps: () => [send('SSH-2.0-OpenSSH_9.6\r\n'), stall],
      whole: unreachable,
      stream: unreachable,
    },
    {
      name: 'sends meaningless bytes',
      steps: ({ contentType }) => whole(200, noise, { 'content-type': contentType }),
      whole: garbled,
      stream: garbled,
    },
    {
      name: 'begins with an unreadable event',
      steps: (words) =>
        streamOf(words, [...words.preamble, words.broken, ...words.content, ...words.ending]),
      stream: garbled,
    },
    {
      name: 'sends one unreadable event among valid ones',
      steps: (words) => {
        const { preamble, content, ending, broken } = words
        return streamOf(words, [...preamble, content[0], broken, content[1], ...ending])
      },
      stream: answer,
    },
    {
      name: 'sends two consecutive unreadable events',
      steps: (words) => {
        const { preamble, content, ending, broken } = words
        const parts = [...preamble, content[0], broken, broken, content[1], ...ending]
        return [
          send(chunkedHead(words.contentType)),
          ...parts.flatMap((part): Step[] => [send(chunks(part)), { do: 'pause', ms: 1 }]),
          stall,
        ]
      },
      stream: errorEvent,
    },
    {
      name: 'sends an event of an unknown type',
      steps: (words) => {
        const { preamble, content, ending, unknown } = words
        return streamOf(words, [...preamble, unknown, ...content, unknown, ...ending])
      },
      stream: answer,
    },
    {
      name: 'sends a valid response as text/plain',
      steps: (words) => whole(200, bodyOf(words), { 'content-type': 'text/plain' }),
      whole: answer,
      stream: garbled,
    },
    {
      name: 'sends a valid response without a content type',
      steps: (words) => whole(200, bodyOf(words)),
      whole: answer,
      stream: answer,
    },
    {
      name: 'returns a whole response to a streaming request',
      steps: (words) => json(words.whole),
      stream: garbled,
      except: [
        {
          words: ['gemini-array'],
          stream: answer,
          why: 'One object is one element of the requested array',
        },
      ],
    },
    {
      name: 'returns a web page',
      steps: () => whole(200, page, { 'content-type': 'text/html' }),
      whole: garbled,
      stream: garbled,
      except: [missingAt(retry(502, 'bad_response'))],
    },
    {
      name: 'returns a web page with the requested content type',
      steps: ({ contentType }) => whole(200, page, { 'content-type': contentType }),
      whole: garbled,
      stream: garbled,
    },
    {
      name: 'returns an empty body',
      steps: ({ contentType }) => whole(200, '', { 'content-type': contentType }),
      whole: garbled,
      stream: cut,
    },
    {
      name: 'returns 204 with an empty body',
      steps: () => [send(head(204, {})), keep],
      whole: garbled,
      stream: cut,
    },
    {
      name: 'returns an empty object',
      steps: () => json('{}'),
      whole: garbled,
      stream: garbled,
    },
    { name: 'returns null', steps: () => json('null'), whole: garbled, stream: garbled },
    {
      name: 'returns a list',
      steps: () => json('[]'),
      whole: garbled,
      stream: garbled,
      except: [
        {
          words: ['gemini-array'],
          stream: cut,
          why: 'It is a stream that ends before its content',
        },
      ],
    },
    { name: 'returns a number', steps: () => json('7'), whole: garbled, stream: garbled },
  ],
}

const atCapacity = retry(503, 'upstream_unavailable')
const plainMessage = 'Its error body has no field that distinguishes it from a response'

export const hiddenErrors: FaultGroup = {
  title: 'Errors with status 200',
  faults: [
    {
      name: 'returns 200 with an error as JSON',
      steps: ({ refusal }) => json(refusal),
      whole: atCapacity,
      stream: atCapacity,
      except: [
        { words: ['converse', 'cohere'], whole: garbled, stream: garbled, why: plainMessage },
      ],
    },
    {
      name: 'begins a stream with an error',
      steps: (words) => streamOf(words, [...words.preamble, words.error]),
      stream: atCapacity,
    },
    {
      name: 'sends an error in the middle of a stream',
      steps: (words) => streamOf(words, [...words.preamble, words.content[0], words.error]),
      stream: errorEvent,
    },
    {
      name: 'sends an error in the middle of a stream, then continues',
      steps: (words) => {
        const { preamble, content, ending, error } = words
        return [
          send(chunkedHead(words.contentType), chunks(...preamble, content[0], error)),
          send(chunks(content[1], ...ending)),
          stall,
        ]
      },
      stream: errorEvent,
    },
  ],
}

const inHead = (line: string): readonly Step[] => [
  send(`HTTP/1.1 200 OK\r\n${line}\r\n\r\n`),
  stall,
]

export const broken: FaultGroup = {
  title: 'Invalid and unusual HTTP',
  faults: [
    {
      name: 'sends more bytes than declared',
      steps: (words) => {
        const body = bodyOf(words)
        const length = String(body.length)
        const { contentType } = words
        return [
          send(head(200, { 'content-type': contentType, 'content-length': length }), body, noise),
          stall,
        ]
      },
      whole: answer,
      stream: answer,
    },
    {
      name: 'declares fewer bytes than the response has',
      steps: ({ contentType, preamble, content, ending }) => {
        const said = Buffer.concat([...preamble, content[0]])
        const length = String(said.length)
        return [
          send(head(200, { 'content-type': contentType, 'content-length': length }), said),
          send(content[1], ...ending),
          stall,
        ]
      },
      whole: garbled,
      stream: errorEvent,
    },
    {
      name: 'sends invalid chunks',
      steps: ({ contentType }) => [send(chunkedHead(contentType), 'xyz\r\nHello\r\n'), stall],
      whole: cut,
      stream: cut,
    },
    {
      name: 'sends two different lengths',
      steps: () => inHead('content-length: 10\r\ncontent-length: 20'),
      whole: unreachable,
      stream: unreachable,
    },
    {
      name: 'sends a length and chunks',
      steps: () => inHead('content-length: 10\r\ntransfer-encoding: chunked'),
      whole: unreachable,
      stream: unreachable,
    },
    {
      name: 'sends headers with a control character',
      steps: () => inHead('x-thing: a\u0000b'),
      whole: unreachable,
      stream: unreachable,
    },
    {
      name: 'switches protocols',
      steps: () => [
        send(
          'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
        ),
        stall,
      ],
      whole: unreachable,
      stream: unreachable,
    },
    {
      name: 'sends informational responses first',
      steps: (words) => [
        send(
          'HTTP/1.1 102 Processing\r\n\r\n'.repeat(5),
          'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(5),
          head(200, {
            'content-type': words.contentType,
            'content-length': String(bodyOf(words).length),
          }),
          bodyOf(words),
        ),
        keep,
      ],
      whole: answer,
      stream: answer,
    },
    {
      name: 'sends endless 102 Processing responses',
      steps: () => [repeat(Buffer.from('HTTP/1.1 102 Processing\r\n\r\n'.repeat(20)), 2)],
      limits: { whole: soon('headersMs'), stream: soon('headersMs') },
      whole: timeout,
      stream: timeout,
    },
    {
      name: 'responds in HTTP/1.0',
      steps: (words) => [
        send(`HTTP/1.0 200 OK\r\ncontent-type: ${words.contentType}\r\n\r\n`, bodyOf(words)),
        end,
      ],
      whole: answer,
      stream: answer,
    },
    ...[300, 301, 302, 303, 304, 307, 308].map((status) => ({
      name: `returns ${status}`,
      steps: () =>
        whole(status, '', status === 304 ? {} : { location: '/elsewhere/chat/completions' }),
      whole: garbled,
      stream: garbled,
    })),
  ],
}

const spaces = 8 * 1024 * 1024

export const sizes: FaultGroup = {
  title: 'Oversized responses',
  faults: [
    {
      name: 'sends a header of 200 kB',
      steps: () => inHead(`x-thing: ${'x'.repeat(200_000)}`),
      whole: unreachable,
      stream: unreachable,
    },
    {
      name: 'sends 5,000 headers',
      steps: () => inHead(Array.from({ length: 5_000 }, (_, n) => `x-${n}: ${n}`).join('\r\n')),
      whole: unreachable,
      stream: unreachable,
    },
    {
      name: 'sends endless headers',
      steps: () => [send('HTTP/1.1 200 OK\r\n'), repeat(Buffer.from('x-thing: x\r\n'), 2)],
      limits: { whole: soon('headersMs'), stream: soon('headersMs') },
      whole: timeout,
      stream: timeout,
    },
    {
      name: 'sends an event of 300 kB',
      steps: (words) => {
        const { preamble, content, ending, said } = words
        return streamOf(words, [...preamble, ...content, said(' '.repeat(300_000)), ...ending])
      },
      stream: answer,
    },
    {
      name: 'sends an endless line',
      steps: (words) => [
        send(chunkedHead(words.contentType), chunks(...words.preamble, words.content[0])),
        send(chunks(lineOf(words))),
        repeat(chunks(Buffer.alloc(1024 * 1024, 'x')), 0),
      ],
      stream: errorEvent,
      isHeavy: true,
    },
    {
      name: 'returns 8 MiB of spaces',
      steps: ({ contentType }) =>
        whole(200, Buffer.alloc(spaces, ' '), { 'content-type': contentType }),
      whole: garbled,
      stream: garbled,
      except: [
        {
          words: ['gemini-array'],
          stream: cut,
          why: 'Spaces may separate elements, and no element has arrived',
        },
      ],
      isHeavy: true,
    },
    {
      name: 'returns 32 kB that decompress to 32 MiB',
      steps: ({ contentType }) =>
        whole(200, bomb(), { 'content-type': contentType, 'content-encoding': 'gzip' }),
      whole: garbled,
      stream: garbled,
      isHeavy: true,
    },
  ],
}

/** The beginning of an event whose text never ends. */
function lineOf({ said }: Words): Uint8Array {
  const event = said('SPLIT')
  return event.subarray(0, Buffer.from(event).indexOf('SPLIT'))
}

let compressed: Buffer | undefined
const bomb = (): Buffer => {
  compressed ??= gzipSync(Buffer.alloc(32 * 1024 * 1024, 'x'))
  return compressed
}
