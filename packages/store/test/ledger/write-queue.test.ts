import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sampleUsage } from '../../../../test/support/store-samples.ts'
import { RefusedData } from '../../src/database.ts'
import { OpenRecord } from '../../src/ledger/ledger.ts'
import { openUsageQueue } from '../../src/ledger/write-queue.ts'

interface Waiting {
  readonly document: string
  readonly open: OpenRecord
}

type Batch = readonly Waiting[]

const attemptOf = ({ document }: Waiting) =>
  (JSON.parse(document) as { readonly attempt: number }).attempt

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A queue before a database that does as the test says; `written` has each record's attempt. */
function open(recordsMax?: number) {
  const written: number[] = []
  const tries: Batch[] = []
  const told: [error: string, waiting: number, lost: number][] = []
  let answer = (_batch: Batch): Promise<void> => Promise.resolve()
  const queue = openUsageQueue<Waiting>({
    async write(batch) {
      tries.push(batch)
      await answer(batch)
      written.push(...batch.map(attemptOf))
    },
    writeFailed: (error, waiting, lost) => told.push([String(error), waiting, lost]),
    ...(recordsMax !== undefined && { recordsMax }),
  })
  return {
    queue,
    written,
    tries,
    told,
    add: (from: number, to: number) => {
      for (let n = from; n <= to; n++) {
        const open = new OpenRecord(`record_${n}`, { journal: undefined, queue: { add() {} } })
        queue.add({ document: JSON.stringify(sampleUsage({ attempt: n })), open })
      }
    },
    answers: (next: typeof answer) => {
      answer = next
    },
  }
}

const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1)
const works = () => Promise.resolve()
const fails = () => Promise.reject(new Error('disk full'))

test('writes records in batches after a moment', async () => {
  const { add, tries, written } = open()
  add(1, 1_100)
  expect(tries).toEqual([])
  await vi.advanceTimersByTimeAsync(50)
  // The rest is no full batch, and waits for more.
  expect(tries.map(({ length }) => length)).toEqual([500, 500])
  add(1_101, 1_101)
  await vi.advanceTimersByTimeAsync(50)
  expect(written).toEqual(upTo(1_101))
  expect(tries).toHaveLength(3)
  expect(vi.getTimerCount()).toBe(0)
})

test('retries a failed batch once a second, reporting each failure', async () => {
  const { add, tries, told, written, answers } = open()
  answers(fails)
  add(1, 2)
  await vi.advanceTimersByTimeAsync(50)
  add(3, 3)
  await vi.advanceTimersByTimeAsync(999)
  expect(told).toEqual([['Error: disk full', 2, 0]])
  await vi.advanceTimersByTimeAsync(1)
  expect(told).toEqual([
    ['Error: disk full', 2, 0],
    ['Error: disk full', 3, 0],
  ])
  answers(works)
  await vi.advanceTimersByTimeAsync(1_050)
  expect(written).toEqual([1, 2, 3])
  expect(tries.map((batch) => batch.map(({ open }) => open.id))).toEqual([
    ['record_1', 'record_2'],
    ['record_1', 'record_2'],
    ['record_1', 'record_2'],
    ['record_3'],
  ])
})

test('runs one write at a time, and flush waits for it', async () => {
  const { add, queue, tries, written, answers } = open()
  const first = Promise.withResolvers<void>()
  answers(() => first.promise)
  add(1, 1)
  await vi.advanceTimersByTimeAsync(50)
  add(2, 2)
  const flushed = queue.flush()
  await vi.advanceTimersByTimeAsync(500)
  expect(tries).toHaveLength(1)
  first.resolve()
  await flushed
  expect(written).toEqual([1, 2])
})

test('a failed flush rejects and keeps the records', async () => {
  const { add, queue, written, answers } = open()
  answers(fails)
  add(1, 3)
  await expect(queue.flush()).rejects.toThrow('disk full')
  answers(works)
  await queue.flush()
  expect(written).toEqual([1, 2, 3])
})

test('drops only the records that violate a constraint', async () => {
  const { add, queue, told, written, answers } = open()
  const broken = new Set([1, 37, 38, 500])
  answers(async (batch) => {
    if (batch.some((record) => broken.has(attemptOf(record)))) throw new RefusedData('odd')
  })
  add(1, 600)
  await queue.flush()
  expect(written).toEqual(upTo(600).filter((n) => !broken.has(n)))
  expect(told.map(([, , lost]) => lost)).toEqual([1, 2, 3, 4])
})

test('a full queue drops the newest records and reports how many', async () => {
  const { add, queue, told, written, answers } = open(10)
  answers(fails)
  add(1, 8)
  await vi.advanceTimersByTimeAsync(50)
  add(9, 15)
  answers(works)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(written).toEqual(upTo(8))
  expect(told.at(-1)).toEqual([expect.stringContaining('faster than the database'), 2, 5])
  add(16, 16)
  await queue.flush()
  expect(written).toEqual([...upTo(10), 16])
  expect(told).toHaveLength(2)
})

test('dispose retries until all is written', async () => {
  const { add, queue, written, answers } = open()
  answers(fails)
  add(1, 3)
  const stopped = queue[Symbol.asyncDispose]()
  await vi.advanceTimersByTimeAsync(1_000)
  answers(works)
  await vi.advanceTimersByTimeAsync(100)
  await stopped
  expect(written).toEqual([1, 2, 3])
  expect(vi.getTimerCount()).toBe(0)
})

test('dispose gives up after a while and reports the loss', async () => {
  const { add, queue, answers } = open()
  answers(fails)
  add(1, 3)
  const stopped = expect(queue[Symbol.asyncDispose]()).rejects.toThrow(
    '3 usage records could not be written',
  )
  await vi.advanceTimersByTimeAsync(5_100)
  await stopped
  expect(vi.getTimerCount()).toBe(0)
})
