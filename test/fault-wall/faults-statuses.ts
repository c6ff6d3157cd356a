import {
  type Exception,
  type Expected,
  type Fault,
  type FaultGroup,
  missingAt,
  next,
  retry,
  stop,
} from './fault.ts'
import { whole } from './steps.ts'
import type { Words } from './words-form.ts'

const refusedUs = next(502, 'upstream_authentication')
const unavailable = retry(503, 'upstream_unavailable')
const late = next(504, 'upstream_timeout')

const limited = { status: 429, code: 'rate_limit_exceeded' } as const

/** What each status means; a code of null is the upstream's own, which is kept where its words have one. */
const statuses: readonly (readonly [status: number, expected: Expected])[] = [
  [400, stop(400, null)],
  [401, refusedUs],
  [402, refusedUs],
  [403, refusedUs],
  [404, next(404, null)],
  [408, late],
  [409, stop(409, null)],
  [413, stop(413, null)],
  [418, stop(418, null)],
  [422, stop(422, null)],
  [425, unavailable],
  [429, { ...limited, outcome: 'limited' }],
  [500, unavailable],
  [502, unavailable],
  [503, unavailable],
  [504, late],
  [529, unavailable],
  [599, unavailable],
]

const bodies: readonly (readonly [
  name: string,
  body: (words: Words) => Uint8Array | string,
  type: string,
])[] = [
  ['a JSON error', ({ refusal }) => refusal, 'application/json'],
  ['text', () => 'It cannot be done', 'text/plain'],
  ['an empty body', () => '', 'application/json'],
]

const missingAddress: Exception = missingAt(retry(404, null))

export const errorStatuses: FaultGroup = {
  title: 'Status codes',
  faults: statuses.flatMap(([status, expected]) =>
    bodies.map(
      ([name, body, type]): Fault => ({
        name: `returns ${status} with ${name}`,
        steps: (words) => whole(status, body(words), { 'content-type': type }),
        whole: expected,
        stream: expected,
        ...(status === 404 && { except: [missingAddress] }),
      }),
    ),
  ),
}

const waits: readonly (readonly [name: string, value: () => string, expected: Expected])[] = [
  ['in seconds', () => '7', { ...limited, outcome: 'next', retryAfter: /^7$/ }],
  ['as a fraction', () => '0.5', { ...limited, outcome: 'next', retryAfter: /^1$/ }],
  [
    'as a date',
    () => new Date(Date.now() + 30_000).toUTCString(),
    { ...limited, outcome: 'next', retryAfter: /^(?:2\d|30)$/ },
  ],
  [
    'as a past date',
    () => 'Wed, 21 Oct 2015 07:28:00 GMT',
    { ...limited, outcome: 'limited', retryAfter: /^1$/ },
  ],
  ['as a negative number', () => '-3', { ...limited, outcome: 'limited', retryAfter: /^1$/ }],
  ['as invalid text', () => 'in a while', { ...limited, outcome: 'limited' }],
  ['of centuries', () => '9999999999', { ...limited, outcome: 'next', retryAfter: /^60$/ }],
  ['beyond the range of numbers', () => '9'.repeat(400), { ...limited, outcome: 'limited' }],
  ['empty', () => '', { ...limited, outcome: 'limited' }],
]

export const retryAfters: FaultGroup = {
  title: 'Retry-After',
  faults: waits.map(([name, value, expected]) => ({
    name: `returns 429 with Retry-After ${name}`,
    steps: ({ refusal }) =>
      whole(429, refusal, { 'content-type': 'application/json', 'retry-after': value() }),
    whole: expected,
    stream: expected,
  })),
}
