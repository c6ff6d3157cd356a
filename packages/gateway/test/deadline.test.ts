import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { GatewayError } from '../../contract/src/core/errors.ts'
import { Deadline, type Phase } from '../src/attempt/deadline.ts'

const timeouts = {
  connectMs: 10,
  headersMs: 1_000,
  firstTokenMs: 2_000,
  idleMs: 500,
  totalMs: 10_000,
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** What happens to a deadline; a number lets so many milliseconds pass. */
type Step = number | Phase | 'progress' | 'hold' | 'resume'

function happen(deadline: Deadline, steps: readonly Step[]): void {
  for (const step of steps) {
    if (typeof step === 'number') vi.advanceTimersByTime(step)
    else if (step === 'progress') deadline.progress()
    else if (step === 'hold') deadline.hold()
    else if (step === 'resume') deadline.resume()
    else deadline.wait(step)
  }
}

interface Opened extends Disposable {
  readonly deadline: Deadline
  /** What it was told, in order. */
  readonly expired: readonly GatewayError[]
}

function open(): Opened {
  const expired: GatewayError[] = []
  const deadline = new Deadline(timeouts, { break: (reached) => void expired.push(reached) })
  return { deadline, expired, [Symbol.dispose]: () => deadline[Symbol.dispose]() }
}

const streaming: readonly Step[] = ['headers', 'first token', 'idle']

describe('the timeout that expires first', () => {
  test.each<[string, readonly Step[], string | undefined]>([
    ['the whole answer comes in time', ['total', 9_990], undefined],
    ['the whole answer takes too long', ['total', 10_001], 'totalMs'],
    ['headers arrive in time', ['headers', 990], undefined],
    ['headers are late', ['headers', 1_010], 'headersMs'],
    ['the first content comes in time', ['headers', 900, 'first token', 1_090], undefined],
    [
      'waiting for headers counts toward the first content',
      ['headers', 900, 'first token', 1_110],
      'firstTokenMs',
    ],
    ['keep-alives are not content', ['first token', 1_990, 'progress', 20], 'firstTokenMs'],
    ['an event comes in time', [...streaming, 490], undefined],
    ['no event comes', [...streaming, 510], 'idleMs'],
    ['events arrive', [...streaming, 400, 'progress', 400, 'progress', 400], undefined],
    ['events stop', [...streaming, 400, 'progress', 400, 'progress', 510], 'idleMs'],
    ['a whole answer has no idle timeout', ['headers', 'total', 5_000], undefined],
    ['a whole answer has only the total timeout', ['headers', 'total', 10_001], 'totalMs'],
    ['a slow caller pauses the idle timeout', [...streaming, 'hold', 5_000], undefined],
    [
      'the idle timeout resumes when the caller reads',
      [...streaming, 'hold', 5_000, 'resume', 490],
      undefined,
    ],
    [
      'the upstream is silent after a slow caller',
      [...streaming, 'hold', 5_000, 'resume', 1_010],
      'idleMs',
    ],
    [
      'the wait before a slow caller counts',
      [...streaming, 300, 'hold', 5_000, 'resume', 190],
      undefined,
    ],
    [
      'a caller that is slow repeatedly',
      [
        ...streaming,
        'hold',
        400,
        'resume',
        100,
        'hold',
        400,
        'resume',
        100,
        'hold',
        400,
        'resume',
        100,
      ],
      undefined,
    ],
    ['the total timeout includes a slow caller', [...streaming, 'hold', 10_001], 'totalMs'],
  ])('%s', (_name, steps, limit) => {
    using opened = open()
    happen(opened.deadline, steps)
    const limits = opened.expired.map(({ message }) => /\((\w+)\)$/.exec(message)?.[1])
    expect(limits).toEqual(limit === undefined ? [] : [limit])
    for (const error of opened.expired) expect(error.code).toBe('upstream_timeout')
  })
})

test.each<[string, readonly Step[]]>([
  ['before anything', []],
  ['while waiting for headers', ['headers']],
  ['between events', streaming],
  ['while the caller is slow', [...streaming, 'hold', 1_200]],
])('disposed %s it leaves no timer and expires nothing', (_name, steps) => {
  const { deadline, expired } = open()
  happen(deadline, steps)
  deadline[Symbol.dispose]()
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(60_000)
  expect(expired).toEqual([])
})
