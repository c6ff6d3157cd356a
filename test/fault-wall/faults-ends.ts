import {
  answer,
  cut,
  type Expected,
  errorEvent,
  type Fault,
  type FaultGroup,
  garbled,
  type Limits,
  soon,
  timeout,
  unreachable,
} from './fault.ts'
import {
  chunkedHead,
  chunks,
  drip,
  end,
  head,
  keep,
  reset,
  type Step,
  send,
  stall,
} from './steps.ts'
import type { Words, WordsId } from './words-form.ts'

/** Streams whose answer is whole before their last event: what comes then is the format's own end. */
const wholeBeforeLast: readonly WordsId[] = ['chat', 'completions', 'messages', 'converse']
const arrayWhole = 'Only the closing bracket is missing; every element has arrived'

interface Stage {
  readonly name: string
  readonly pieces: (words: Words) => readonly Uint8Array[]
  /** A caller of a stream has seen content. */
  readonly isBegun: boolean
}

const half = (piece: Uint8Array): Uint8Array => piece.subarray(0, piece.length >> 1)

/** Stages after the head. */
const stages: readonly Stage[] = [
  { name: 'after the headers', pieces: () => [], isBegun: false },
  {
    name: 'after the first event',
    pieces: ({ preamble, content }) => [...preamble, content[0]],
    isBegun: true,
  },
  {
    name: 'in the middle of an event',
    pieces: ({ preamble, content }) => [...preamble, content[0], half(content[1])],
    isBegun: true,
  },
  {
    name: 'before the last event',
    pieces: ({ preamble, content, ending }) => [...preamble, ...content, ...ending.slice(0, -1)],
    isBegun: true,
  },
]

const chunked = (words: Words, pieces: readonly Uint8Array[]) =>
  send(chunkedHead(words.contentType), chunks(...pieces))

type Way = {
  readonly verb: string
  readonly last: Step
  readonly before: Expected
  readonly inside: Expected
}

/** Three ways to stop, at every stage. */
const ways: readonly Way[] = [
  { verb: 'stalls', last: stall, before: timeout, inside: timeout },
  { verb: 'resets the connection', last: reset, before: unreachable, inside: cut },
  { verb: 'closes the connection', last: end, before: unreachable, inside: cut },
]

const limitsAt = (stage: string): Limits => {
  if (stage === 'before the headers' || stage === 'within the headers')
    return { whole: soon('headersMs'), stream: soon('headersMs') }
  return {
    whole: soon('totalMs'),
    stream: stage === 'after the headers' ? soon('firstTokenMs') : soon('idleMs'),
  }
}

const stopping: readonly Fault[] = ways.flatMap(({ verb, last, before, inside }) => [
  ...[
    { name: 'before the headers', sent: '' },
    { name: 'within the headers', sent: 'HTTP/1.1 200 OK\r\nContent-Ty' },
  ].map(
    ({ name, sent }): Fault => ({
      name: `${verb} ${name}`,
      steps: () => (sent === '' ? [last] : [send(sent), last]),
      limits: verb === 'stalls' ? limitsAt(name) : {},
      whole: before,
      stream: before,
    }),
  ),
  ...stages.map(
    ({ name, pieces, isBegun }): Fault => ({
      name: `${verb} ${name}`,
      steps: (words) => [chunked(words, pieces(words)), last],
      limits: verb === 'stalls' ? limitsAt(name) : {},
      whole: inside,
      stream: isBegun ? errorEvent : inside,
    }),
  ),
])

/** HTTP says that the answer is over, and it is not. */
const endings = [
  {
    name: 'ends a chunked response',
    steps: (words: Words, pieces: readonly Uint8Array[]): readonly Step[] => [
      chunked(words, pieces),
      send('0\r\n\r\n'),
      keep,
    ],
  },
  {
    name: 'ends a response without a length',
    steps: (words: Words, pieces: readonly Uint8Array[]): readonly Step[] => [
      send(
        head(200, { 'content-type': words.contentType, connection: 'close' }),
        Buffer.concat(pieces),
      ),
      end,
    ],
  },
  {
    name: 'ends a response of the declared length',
    steps: (words: Words, pieces: readonly Uint8Array[]): readonly Step[] => {
      const body = Buffer.concat(pieces)
      return [
        send(
          head(200, {
            'content-type': words.contentType,
            'content-length': String(body.length),
          }),
          body,
        ),
        keep,
      ]
    },
  },
]

const endingEarly: readonly Fault[] = endings.flatMap(({ name, steps }) =>
  stages.map(
    (stage): Fault => ({
      name: `${name} ${stage.name}`,
      steps: (words) => steps(words, stage.pieces(words)),
      whole: garbled,
      stream: stage.isBegun ? errorEvent : cut,
      ...(stage.name === 'before the last event' && {
        except: [
          {
            words: wholeBeforeLast,
            stream: answer,
            why: 'The finish reason has arrived, and nothing that a caller needs follows',
          },
          { words: ['gemini-array'] as const, stream: answer, why: arrayWhole },
        ],
      }),
    }),
  ),
)

export const connections: FaultGroup = {
  title: 'Connections',
  faults: [
    { name: 'refuses the connection', place: 'closed', whole: unreachable, stream: unreachable },
    {
      name: 'stalls while connecting',
      place: 'mute',
      limits: { whole: soon('connectMs'), stream: soon('connectMs') },
      whole: timeout,
      stream: timeout,
    },
    {
      name: 'resets every connection',
      place: 'resetting',
      whole: unreachable,
      stream: unreachable,
    },
    { name: 'closes every connection', place: 'ending', whole: unreachable, stream: unreachable },
  ],
}

export const stops: FaultGroup = { title: 'Interrupted responses', faults: stopping }

export const earlyEnds: FaultGroup = {
  title: 'Truncated responses',
  faults: [
    ...endingEarly,
    {
      name: 'cuts off its last event',
      steps: (words) => {
        const { preamble, content, ending } = words
        const body = Buffer.concat([...preamble, ...content, ...ending])
        // Of some it is the blank line or the bracket, of a frame its checksum.
        return endings[0]?.steps(words, [body.subarray(0, body.length - 4)]) ?? []
      },
      stream: answer,
      except: [
        {
          words: ['responses', 'cohere', 'gemini-array'],
          stream: errorEvent,
          why: 'The broken event holds the finish reason',
        },
      ],
    },
    {
      name: 'declares more bytes than it sends',
      steps: ({ contentType, preamble, content, ending }) => {
        const body = Buffer.concat([...preamble, ...content, ...ending.slice(0, -1)])
        const length = String(body.length + 100)
        return [
          send(head(200, { 'content-type': contentType, 'content-length': length }), body),
          end,
        ]
      },
      whole: cut,
      stream: errorEvent,
    },
  ],
}

export const slowAnswers: FaultGroup = {
  title: 'Slow responses',
  faults: [
    {
      name: 'drips a valid response',
      steps: (words) => {
        const body = Buffer.concat([...words.preamble, ...words.content, ...words.ending])
        return [
          send(chunkedHead(words.contentType)),
          ...[0, 1, 2, 3].flatMap((quarter): Step[] => {
            const size = Math.ceil(body.length / 4)
            const part = body.subarray(quarter * size, (quarter + 1) * size)
            return [drip(chunks(part), Math.ceil(part.length / 6), 1)]
          }),
          send('0\r\n\r\n'),
          keep,
        ]
      },
      whole: answer,
      stream: answer,
    },
    {
      name: 'drips an event that never ends',
      steps: (words) => [
        chunked(words, [...words.preamble, words.content[0]]),
        { do: 'repeat', bytes: chunks(Buffer.from(' ')), ms: 4 },
      ],
      limits: { whole: soon('totalMs'), stream: soon('idleMs') },
      whole: timeout,
      stream: errorEvent,
    },
    {
      name: 'sends endless content',
      steps: (words) => [
        chunked(words, words.preamble),
        { do: 'repeat', bytes: chunks(words.said('x')), ms: 10 },
      ],
      limits: { whole: soon('totalMs'), stream: { totalMs: 2_500 } },
      whole: timeout,
      stream: errorEvent,
    },
    {
      name: 'sends endless comments',
      steps: (words) => [
        chunked(words, []),
        words.comment.length === 0 ? stall : { do: 'repeat', bytes: chunks(words.comment), ms: 2 },
      ],
      limits: { stream: soon('firstTokenMs') },
      stream: timeout,
    },
    {
      name: 'sends endless events without content',
      steps: (words) => [
        chunked(words, words.preamble),
        { do: 'repeat', bytes: chunks(words.idle), ms: 2 },
      ],
      limits: { stream: soon('firstTokenMs') },
      stream: timeout,
    },
  ],
}
