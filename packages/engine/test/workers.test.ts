import { execFile } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { GatewayError } from '../../contract/src/core/errors.ts'
import { WorkerPool, type WorkerPoolOptions } from '../src/workers/pool.ts'
import type { poolTasks } from './support/pool-tasks.ts'

type Table = typeof poolTasks
const entry = new URL('./support/pool-tasks.ts', import.meta.url)
const pools: WorkerPool<Table>[] = []

function open(options: Omit<WorkerPoolOptions, 'entry'> = {}) {
  const pool = new WorkerPool<Table>({ entry, size: 1, ...options })
  pools.push(pool)
  return pool
}

afterAll(async () => {
  for (const pool of pools) await pool[Symbol.asyncDispose]()
})

async function failure(work: Promise<unknown>): Promise<GatewayError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(GatewayError)
  return error as GatewayError
}

const timeoutMs = 20_000

describe('worker pool', () => {
  test('runs many jobs, with binary data', async () => {
    const pool = open({ size: 2 })
    const numbers = Array.from({ length: 20 }, (_, index) => index)
    const doubled = await Promise.all(numbers.map((n) => pool.run('double', n, { timeoutMs })))
    expect(doubled).toEqual(numbers.map((n) => n * 2))
    const bytes = Uint8Array.of(1, 2, 250)
    expect(await pool.run('echoBytes', bytes, { timeoutMs })).toEqual(bytes)
  })

  test('returns a GatewayError of a task, and hides other errors', async () => {
    const pool = open()
    const refused = await failure(pool.run('refuse', 'image[1]', { timeoutMs }))
    expect(refused.toJSON().error).toEqual({
      message: 'not this one',
      type: 'invalid_request_error',
      param: 'image[1]',
      code: 'unsupported_value',
    })
    const plain = await failure(pool.run('throwPlain', null, { timeoutMs }))
    expect(plain.code).toBe('internal')
    expect(plain.message).not.toContain('inner detail')
    expect(String(plain.details.cause)).toContain('inner detail')
  })

  test('stops a job over its time limit and runs the next', async () => {
    const pool = open()
    const late = failure(pool.run('spin', null, { timeoutMs: 300 }))
    const next = pool.run('double', 4, { timeoutMs })
    expect((await late).code).toBe('overloaded')
    expect(await next).toBe(8)
  })

  test('a crashed worker process fails only its own job', async () => {
    const pool = open({ memoryMaxMb: 256 })
    const crashed = failure(pool.run('exit', 3, { timeoutMs }))
    const objects = failure(pool.run('eatMemory', null, { timeoutMs }))
    const buffers = failure(pool.run('eatBuffers', null, { timeoutMs }))
    const next = pool.run('double', 5, { timeoutMs })
    expect((await crashed).code).toBe('internal')
    expect((await objects).code).toBe('overloaded')
    expect((await buffers).code).toBe('overloaded')
    expect(await next).toBe(10)
  })

  test('reports time and memory limits as errors of the given field', async () => {
    const pool = open({ memoryMaxMb: 256 })
    const late = failure(pool.run('spin', null, { timeoutMs: 300, param: 'file' }))
    const large = failure(pool.run('eatBuffers', null, { timeoutMs, param: 'image' }))
    for (const [error, param] of [[await late, 'file'] as const, [await large, 'image'] as const])
      expect(error).toMatchObject({ code: 'invalid_request', details: { param } })
  })

  test('retires a process that keeps much memory', async () => {
    const pool = open({ memoryMaxMb: 512 })
    const first = await pool.run('keepBuffers', 300, { timeoutMs })
    expect(await pool.run('keepBuffers', 1, { timeoutMs })).not.toBe(first)
  })

  test('does not pass the gateway’s environment to workers', async () => {
    process.env['SLUICE_TEST_SECRET'] = 'hidden'
    try {
      expect(await open().run('environment', null, { timeoutMs })).not.toContain(
        'SLUICE_TEST_SECRET',
      )
    } finally {
      delete process.env['SLUICE_TEST_SECRET']
    }
  })

  test('a key with many jobs does not refuse or delay another', async () => {
    const pool = open({ size: 2, waitingPerKeyMax: 3 })
    const stop = new AbortController()
    const bob = { timeoutMs, key: 'bob', signal: stop.signal }
    const running = failure(pool.run('spin', null, bob))
    const waiting = [1, 2, 3].map(() => failure(pool.run('spin', null, bob)))
    expect((await failure(pool.run('double', 1, bob))).code).toBe('rate_limited')
    // One process is always left for others.
    expect(await pool.run('double', 2, { timeoutMs, key: 'alice' })).toBe(4)
    stop.abort()
    for (const error of [running, ...waiting]) expect((await error).code).toBe('cancelled')
  })

  test('waiting keys take turns', async () => {
    const pool = open()
    const stop = new AbortController()
    const running = failure(pool.run('spin', null, { timeoutMs, signal: stop.signal }))
    const order: string[] = []
    const jobs = ['bob 1', 'bob 2', 'bob 3', 'alice 1', 'alice 2', 'carol 1'].map(async (name) => {
      const [key = ''] = name.split(' ')
      await pool.run('double', 1, { timeoutMs, key })
      order.push(name)
    })
    stop.abort()
    await Promise.all([running, ...jobs])
    expect(order).toEqual(['bob 1', 'alice 1', 'carol 1', 'bob 2', 'alice 2', 'bob 3'])
  })

  test('abort ends a running job and dequeues a waiting one', async () => {
    const pool = open()
    const running = new AbortController()
    const waiting = new AbortController()
    const first = failure(pool.run('spin', null, { timeoutMs, signal: running.signal }))
    const second = failure(pool.run('double', 1, { timeoutMs, signal: waiting.signal }))
    waiting.abort()
    expect((await second).code).toBe('cancelled')
    running.abort()
    expect((await first).code).toBe('cancelled')
    expect(await pool.run('double', 6, { timeoutMs })).toBe(12)
    const gone = failure(pool.run('double', 1, { timeoutMs, signal: AbortSignal.abort() }))
    expect((await gone).code).toBe('cancelled')
  })

  test('an aborted waiting job never runs and frees its slot', async () => {
    const pool = open({ waitingMax: 1 })
    const running = new AbortController()
    const waiting = new AbortController()
    const first = failure(pool.run('spin', null, { timeoutMs, signal: running.signal }))
    const seen: number[] = []
    const left = failure(
      pool.run('count', 4, {
        timeoutMs,
        signal: waiting.signal,
        onProgress: (done) => seen.push(done),
      }),
    )
    waiting.abort()
    expect((await left).code).toBe('cancelled')
    const next = pool.run('double', 6, { timeoutMs })
    running.abort()
    expect((await first).code).toBe('cancelled')
    expect(await next).toBe(12)
    expect(seen).toEqual([])
  })

  test('removes its abort listeners however a job ends', async () => {
    const pool = open()
    const { signal } = new AbortController()
    const listening = () => getEventListeners(signal, 'abort').length
    const done = pool.run('double', 1, { timeoutMs, signal })
    expect(listening()).toBe(1)
    await done
    expect(listening()).toBe(0)
    await failure(pool.run('refuse', 'x', { timeoutMs, signal }))
    await failure(pool.run('exit', 1, { timeoutMs, signal }))
    await failure(pool.run('spin', null, { timeoutMs: 50, signal }))
    expect(listening()).toBe(0)
  })

  test('refuses a job when the queue is full', async () => {
    const pool = open({ waitingMax: 1 })
    const stop = new AbortController()
    const running = failure(pool.run('spin', null, { timeoutMs, signal: stop.signal }))
    const waiting = pool.run('double', 2, { timeoutMs })
    expect((await failure(pool.run('double', 3, { timeoutMs }))).code).toBe('overloaded')
    stop.abort()
    await running
    expect(await waiting).toBe(4)
  })

  test('reports progress in order', async () => {
    const pool = open()
    const seen: number[] = []
    const answer = await pool.run('count', 4, { timeoutMs, onProgress: (done) => seen.push(done) })
    expect(answer).toBe('counted')
    expect(seen).toEqual([0.25, 0.5, 0.75, 1])
  })

  test('dispose fails open jobs and refuses new ones', async () => {
    const pool = new WorkerPool<Table>({ entry, size: 1 })
    const running = failure(pool.run('spin', null, { timeoutMs }))
    const waiting = failure(pool.run('double', 1, { timeoutMs }))
    await pool[Symbol.asyncDispose]()
    expect((await running).code).toBe('overloaded')
    expect((await waiting).code).toBe('overloaded')
    expect((await failure(pool.run('double', 1, { timeoutMs }))).code).toBe('overloaded')
  })

  const poolUrl = new URL('../src/workers/pool.ts', import.meta.url).href

  /** What a process prints that has a pool, has had a number doubled and then has nothing else to wait for. */
  async function printed(rest: string): Promise<string> {
    const script = `
      const { WorkerPool } = await import('${poolUrl}')
      const pool = new WorkerPool({ entry: new URL('${entry.href}') })
      console.log(await pool.run('double', 21, { timeoutMs: 20000 }))
      ${rest}`
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', script],
      { timeout: 20_000 },
    )
    return stdout
  }

  test('an idle pool does not keep the process alive', async () => {
    expect(await printed('')).toBe('42\n')
  })

  test('disposing an idle pool completes although nothing keeps the process alive', async () => {
    expect(await printed("await pool[Symbol.asyncDispose]()\nconsole.log('over')")).toBe(
      '42\nover\n',
    )
  })
})
