import { expect, test, vi } from 'vitest'
import { GatewayError } from '../../contract/src/core/errors.ts'
import { EngineJobs, type JobChange, type JobFiles, type JobsOptions } from '../src/video/jobs.ts'
import type { RunOptions } from '../src/workers/pool.ts'

const request = { keyId: 'key_1', prompt: 'a red circle', seconds: '1', size: '64x64' }

/** Jobs over a worker that never ends by itself: an abort is answered when the test lets it be. */
function openWorld(more: Partial<JobsOptions> = {}) {
  const kept = new Map<string, Uint8Array>()
  const changes: (JobChange & { readonly id: string })[] = []
  const stopped = Promise.withResolvers<void>()
  const running: AbortSignal[] = []
  const jobs = new EngineJobs({
    files: filesIn(kept),
    now: () => 1_760_000_000_000,
    newId: (prefix) => `${prefix}${changes.length}_${running.length}`,
    onChange: async (id, change) => {
      changes.push({ id, ...change })
      return true
    },
    workers: {
      run: (async (_task: string, _input: unknown, { signal }: { signal: AbortSignal }) => {
        running.push(signal)
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        await stopped.promise
        throw new GatewayError('cancelled', 'gone')
      }) as unknown as JobsOptions['workers']['run'],
    },
    ...more,
  })
  return { jobs, kept, changes, running, stopped }
}

function filesIn(kept: Map<string, Uint8Array>): JobFiles {
  return {
    write: async (id, file, bytes) => void kept.set(`${id} ${file}`, bytes),
    read: async (id, file) => kept.get(`${id} ${file}`),
    remove: async (id, files) => files.forEach((file) => kept.delete(`${id} ${file}`)),
  }
}

const started = (running: readonly AbortSignal[]) =>
  vi.waitFor(() => expect(running).toHaveLength(1), { timeout: 20_000, interval: 5 })

test('a job runs only after resume, and once', async () => {
  const { jobs, kept, running, changes, stopped } = openWorld()
  const job = await jobs.create(request)
  expect(job).toMatchObject({ ...request, status: 'queued', progress: 0 })
  expect([running.length, [...kept.keys()]]).toEqual([0, []])
  jobs.resume(job)
  jobs.resume(job)
  await started(running)
  jobs.resume(job)
  expect(changes.map(({ status }) => status)).toEqual(['in_progress'])
  stopped.resolve()
  await jobs[Symbol.asyncDispose]()
  expect(running).toHaveLength(1)
})

test('dispose waits for the running job and gives back its attempt', async () => {
  const { jobs, running, changes, stopped } = openWorld()
  const job = await jobs.create(request)
  jobs.resume(job)
  await started(running)
  let isDisposed = false
  const disposing = jobs[Symbol.asyncDispose]().then(() => (isDisposed = true))
  expect(running[0]?.aborted).toBe(true)
  await new Promise((resolve) => setImmediate(resolve))
  expect(isDisposed).toBe(false)
  stopped.resolve()
  await disposing
  expect(changes.map(({ state }) => state)).toEqual([
    expect.not.stringMatching(job.state),
    job.state,
  ])
})

test.each([0, 1])(
  'a job taken over by another process after %i changes is left to it',
  async (kept) => {
    let told = 0
    const { jobs, running, changes, stopped } = openWorld({
      onChange: async () => (told += 1) <= kept,
    })
    const image = Buffer.from('89504e470d0a1a0a', 'hex')
    jobs.resume(await jobs.create({ ...request, image }))
    stopped.resolve()
    if (kept > 0) await started(running)
    await jobs[Symbol.asyncDispose]()
    expect([running.length, changes.length]).toEqual([kept, 0])
  },
)

test.each([
  [0, 0, ['input']],
  [1, 1, ['input']],
  [2, 1, ['clip', 'input', 'still']],
  [3, 1, ['clip', 'still']],
])(
  'a job taken over after %i changes: rendered %i times, with the files %j',
  async (keptChanges, rendered, files) => {
    let told = 0
    let runs = 0
    const run = async () => {
      runs += 1
      return { video: Buffer.from('clip'), thumbnail: Buffer.from('still') }
    }
    const { jobs, kept } = openWorld({
      onChange: async () => (told += 1) <= keptChanges,
      workers: { run: run as unknown as JobsOptions['workers']['run'] },
    })
    const job = await jobs.create({ ...request, image: Buffer.from('89504e470d0a1a0a', 'hex') })
    jobs.resume(job)
    const changes = Math.min(keptChanges + 1, 3)
    await vi.waitFor(() => expect(told).toBe(changes), { timeout: 20_000, interval: 5 })
    await jobs[Symbol.asyncDispose]()
    expect(runs).toBe(rendered)
    expect(new Set([...kept.keys()].map((name) => name.split(' ')[1]))).toEqual(new Set(files))
  },
)

test('a running job is aborted when its progress is rejected', async () => {
  let time = 1_760_000_000_000
  let report: ((done: number) => void) | undefined
  let signal: AbortSignal | undefined
  const run = async (_task: string, _input: unknown, options: RunOptions) => {
    report = options.onProgress
    signal = options.signal
    await new Promise((resolve) => options.signal?.addEventListener('abort', resolve))
    throw new GatewayError('cancelled', 'gone')
  }
  const { jobs } = openWorld({
    now: () => time,
    onChange: async (_id, { progress }) => progress === undefined,
    workers: { run: run as unknown as JobsOptions['workers']['run'] },
  })
  jobs.resume(await jobs.create(request))
  await vi.waitFor(() => expect(report).toBeDefined(), { timeout: 20_000, interval: 5 })
  time += 1_000
  report?.(0.5)
  await vi.waitFor(() => expect(signal?.aborted).toBe(true), { timeout: 20_000, interval: 5 })
  await jobs[Symbol.asyncDispose]()
})

test('keys take turns, and a key over its share is refused without affecting others', async () => {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const run = async (_task: string, { prompt }: { prompt: string }) => {
    begun.push(prompt)
    await new Promise<void>((resolve) => ends.push(resolve))
    return { video: Buffer.from('clip'), thumbnail: Buffer.from('still') }
  }
  let ids = 0
  const { jobs } = openWorld({
    newId: (prefix) => `${prefix}${(ids += 1)}`,
    workers: { run: run as unknown as JobsOptions['workers']['run'] },
  })
  const add = async (keyId: string, prompt: string) =>
    jobs.resume(await jobs.create({ ...request, keyId, prompt }))
  await add('bob', 'bob 0')
  await vi.waitFor(() => expect(begun).toHaveLength(1), { timeout: 20_000, interval: 5 })
  for (let count = 1; count <= 20; count++) await add('bob', `bob ${count}`)
  await expect(add('bob', 'one more')).rejects.toMatchObject({ code: 'rate_limited' })
  await add('alice', 'alice 1')
  await add('alice', 'alice 2')
  for (let count = 1; count < 5; count++) {
    ends[count - 1]?.()
    await vi.waitFor(() => expect(begun).toHaveLength(count + 1), { timeout: 20_000, interval: 5 })
  }
  expect(begun).toEqual(['bob 0', 'bob 1', 'alice 1', 'bob 2', 'alice 2'])
  const stopping = jobs[Symbol.asyncDispose]()
  ends.at(-1)?.()
  await stopping
})
