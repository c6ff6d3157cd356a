import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { GatewayError } from '../../contract/src/core/errors.ts'
import { EngineJobs, type JobChange, type JobsOptions } from '../src/video/jobs.ts'

const request = { keyId: 'key_1', prompt: 'a red circle', seconds: '1', size: '64x64' }

/** Jobs over a worker that never ends by itself: an abort is answered when the test lets it be. */
function openWorld(more: Partial<JobsOptions> = {}) {
  const folder = temporaryFolder()
  const changes: (JobChange & { readonly id: string })[] = []
  const stopped = Promise.withResolvers<void>()
  const running: AbortSignal[] = []
  const jobs = new EngineJobs({
    folder: join(folder.path, 'videos'),
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
  return { jobs, folder, changes, running, stopped }
}

const started = (running: readonly AbortSignal[]) =>
  vi.waitFor(() => expect(running).toHaveLength(1), { interval: 5 })

test('a job runs only once it was handed to resume, and only once', async () => {
  const { jobs, folder, running, changes, stopped } = openWorld()
  using _folder = folder
  const job = await jobs.create(request)
  expect(job).toMatchObject({ ...request, status: 'queued', progress: 0 })
  expect([running.length, readdirSync(folder.path)]).toEqual([0, []])
  jobs.resume(job)
  jobs.resume(job)
  await started(running)
  jobs.resume(job)
  expect(changes.map(({ status }) => status)).toEqual(['in_progress'])
  stopped.resolve()
  await jobs[Symbol.asyncDispose]()
  expect(running).toHaveLength(1)
})

test('disposing waits for the running job, and gives its start back', async () => {
  const { jobs, folder, running, changes, stopped } = openWorld()
  using _folder = folder
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

test('a job that nobody keeps any more is not rendered, and its files go', async () => {
  const { jobs, folder, running } = openWorld({ onChange: async () => false })
  using _folder = folder
  const image = Buffer.from('89504e470d0a1a0a', 'hex')
  jobs.resume(await jobs.create({ ...request, image }))
  await vi.waitFor(async () => expect(await jobs.ids()).toEqual([]), { interval: 5 })
  expect(running).toHaveLength(0)
  await jobs[Symbol.asyncDispose]()
})

test('a finished job of an earlier process is found again until it expires', async () => {
  const { jobs, folder } = openWorld()
  using _folder = folder
  const kept = {
    id: 'video_1',
    status: 'completed',
    progress: 100,
    ...request,
    state: '{}',
  } as const
  jobs.resume({ ...kept, expiresAt: 1_760_000_001 })
  expect(jobs.file('video_1')).toBe(join(folder.path, 'videos', 'video_1.mp4'))
  jobs.resume({ ...kept, id: 'video_2', expiresAt: 1_760_000_000 })
  expect(jobs.file('video_2')).toBeUndefined()
  await jobs[Symbol.asyncDispose]()
})

test('keys take turns, and one that has its share waiting refuses only itself', async () => {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const run = async (_task: string, { prompt }: { prompt: string }) => {
    begun.push(prompt)
    await new Promise<void>((resolve) => ends.push(resolve))
    return { video: Buffer.from('clip'), thumbnail: Buffer.from('still') }
  }
  let ids = 0
  const { jobs, folder } = openWorld({
    newId: (prefix) => `${prefix}${(ids += 1)}`,
    workers: { run: run as unknown as JobsOptions['workers']['run'] },
  })
  using _folder = folder
  const add = async (keyId: string, prompt: string) =>
    jobs.resume(await jobs.create({ ...request, keyId, prompt }))
  await add('bob', 'bob 0')
  await vi.waitFor(() => expect(begun).toHaveLength(1), { interval: 5 })
  for (let count = 1; count <= 20; count++) await add('bob', `bob ${count}`)
  await expect(add('bob', 'one more')).rejects.toMatchObject({ code: 'rate_limited' })
  await add('alice', 'alice 1')
  await add('alice', 'alice 2')
  for (let count = 1; count < 5; count++) {
    ends[count - 1]?.()
    await vi.waitFor(() => expect(begun).toHaveLength(count + 1), { interval: 5 })
  }
  expect(begun).toEqual(['bob 0', 'bob 1', 'alice 1', 'bob 2', 'alice 2'])
  const stopping = jobs[Symbol.asyncDispose]()
  ends.at(-1)?.()
  await stopping
})
