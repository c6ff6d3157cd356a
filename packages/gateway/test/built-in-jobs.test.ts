import { join } from 'node:path'
import sharp from 'sharp'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { GatewayError } from '../../contract/src/core/errors.ts'
import type { VideoJob } from '../../contract/src/core/ports.ts'
import { EngineJobs, type JobsOptions } from '../../engine/src/video/jobs.ts'
import { WorkerPool } from '../../engine/src/workers/pool.ts'
import { readMp4 } from '../../engine/test/support/mp4-boxes.ts'
import {
  jobFilesIn,
  saveJobChange,
  openBuiltInJobs,
  type VideoWorker,
} from '../src/stored/built-in-jobs.ts'
import type { StoredFileKind } from '../src/ports/file-store.ts'
import type { Store } from '../src/ports/store.ts'
import { openSqlite } from '../../store/src/sqlite/open-sqlite.ts'

const soon = { timeout: 20_000 }

const request = {
  keyId: 'key_1',
  model: 'sora-2',
  prompt: 'a red circle',
  seconds: '1',
  size: '64x64',
}

type Run = JobsOptions['workers']['run']
const rendered = { video: Buffer.from('clip'), thumbnail: Buffer.from('still') }

/** Stands in for the worker pool: each job waits for the test to end it, or for the signal that it `leavesAtOnce` on. */
function heldWorkers({ leavesAtOnce = true } = {}) {
  const calls: {
    readonly input: Record<string, unknown>
    readonly options: Parameters<Run>[2]
    readonly finish: () => void
    readonly fail: (error: unknown) => void
  }[] = []
  const run = (_task: string, input: unknown, options: Parameters<Run>[2]) =>
    new Promise((resolve, reject) => {
      if (leavesAtOnce)
        options.signal?.addEventListener('abort', () =>
          reject(new GatewayError('cancelled', 'gone')),
        )
      calls.push({
        input: input as Record<string, unknown>,
        options,
        finish: () => resolve(rendered),
        fail: reject,
      })
    })
  return { calls, run: run as unknown as Run }
}

class World implements AsyncDisposable {
  readonly folder = temporaryFolder()
  readonly store: Store = openSqlite({ file: join(this.folder.path, 'sluice.db') })
  readonly opened: (VideoWorker & AsyncDisposable)[] = []
  time = 1_760_000_000_000
  ids = 0

  /** Processes that are known to have died. */
  readonly gone = new Set<string>()
  processes = 0

  get owner(): string {
    return `process ${this.processes}`
  }

  /** The process before dies without a word. */
  kill(): void {
    this.gone.add(this.owner)
  }

  /** A process that begins: an engine of its own, over the same store. */
  async open(workers: { readonly run: Run }): Promise<VideoWorker & AsyncDisposable> {
    const now = () => this.time
    this.processes += 1
    const { owner } = this
    const jobs = new EngineJobs({
      workers,
      files: jobFilesIn(this.store, now),
      now,
      newId: (prefix) => `${prefix}_${(this.ids += 1)}`,
      onChange: (id, change) => saveJobChange(this.store, owner, { id, change }),
    })
    const kept = await openBuiltInJobs({
      engine: { id: 'builtin', jobs },
      store: this.store,
      owner,
      isGone: (other) => this.gone.has(other),
      now,
      log: { warn() {} },
    })
    const worker = {
      ...kept,
      async [Symbol.asyncDispose]() {
        kept[Symbol.dispose]()
        await jobs[Symbol.asyncDispose]()
        await world.store.releaseVideoJobs(owner)
      },
    }
    this.opened.push(worker)
    return worker
  }

  async job(id: string): Promise<VideoJob> {
    return (await this.store.findVideoJob(id))!
  }

  /** Which files of a job are there. */
  async files(id: string): Promise<readonly string[]> {
    const kinds: readonly StoredFileKind[] = ['clip', 'input', 'still']
    const found = await Promise.all(
      kinds.map((kind) => this.store.findFile({ id, kind, at: this.time })),
    )
    return kinds.filter((_, at) => found[at] !== undefined)
  }

  async reaches(id: string, status: VideoJob['status']): Promise<VideoJob> {
    await vi.waitFor(
      async () => {
        const now = (await this.job(id)).status
        if (now !== status) throw new Error(`The job is ${now}`)
      },
      { timeout: 15_000, interval: 5 },
    )
    return this.job(id)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const jobs of this.opened) await jobs[Symbol.asyncDispose]()
    await this.store[Symbol.asyncDispose]()
    this.folder[Symbol.dispose]()
  }
}

let world: World
function newWorld(): World {
  world = new World()
  return world
}
afterEach(() => world[Symbol.asyncDispose]())

async function called(workers: ReturnType<typeof heldWorkers>, count: number) {
  await vi.waitFor(() => expect(workers.calls).toHaveLength(count), {
    timeout: 20_000,
    interval: 5,
  })
  return workers.calls[count - 1]!
}

describe('video jobs of the built-in engine', () => {
  test('are queued, in progress, then completed with a clip and a thumbnail', async () => {
    newWorld()
    await using pool = new WorkerPool({ size: 1 })
    const jobs = await world.open(pool)
    const queued = await jobs.create(request)
    expect(queued).toMatchObject({
      status: 'queued',
      progress: 0,
      provider: 'builtin',
      createdAt: 1_760_000_000,
    })
    const done = await world.reaches(queued.id, 'completed')
    expect(done).toMatchObject({
      progress: 100,
      completedAt: 1_760_000_000,
      expiresAt: 1_760_086_400,
    })
    expect(readMp4(Buffer.from((await jobs.clip(done))!)).seconds).toBeCloseTo(1, 2)
    expect((await sharp(await jobs.thumbnail(done)).metadata()).format).toBe('webp')
  })

  test('run one at a time, in order, with increasing progress', async () => {
    newWorld()
    const workers = heldWorkers()
    const jobs = await world.open(workers)
    const [first, second] = [await jobs.create(request), await jobs.create(request)]
    const { options, finish } = await called(workers, 1)
    world.time += 1000
    options.onProgress?.(0.42)
    await vi.waitFor(async () => expect((await world.job(first.id)).progress).toBe(42), soon)
    options.onProgress?.(0.9)
    world.time += 1000
    options.onProgress?.(0.3)
    expect(await world.job(first.id)).toMatchObject({ status: 'in_progress', progress: 42 })
    expect((await world.job(second.id)).status).toBe('queued')
    finish()
    await world.reaches(first.id, 'completed')
    ;(await called(workers, 2)).finish()
    await world.reaches(second.id, 'completed')
  })

  test('report failures and refusals without internal details', async () => {
    newWorld()
    const workers = heldWorkers()
    const jobs = await world.open(workers)
    const [first, second] = [await jobs.create(request), await jobs.create(request)]
    ;(await called(workers, 1)).fail(new TypeError('secret detail'))
    const failed = await world.reaches(first.id, 'failed')
    expect(failed.error).toEqual({
      code: 'internal',
      message: 'The gateway failed to process this request',
    })
    ;(await called(workers, 2)).fail(
      new GatewayError('overloaded', 'The work did not finish within its limit'),
    )
    expect((await world.reaches(second.id, 'failed')).error?.code).toBe('overloaded')
    expect(await jobs.clip(await world.job(first.id))).toBeUndefined()
    expect(await world.files(first.id)).toEqual([])
  })

  test('reject an invalid size, length or image at once', async () => {
    newWorld()
    const jobs = await world.open(heldWorkers())
    for (const [change, param] of [
      [{ size: '65x64' }, 'size'],
      [{ seconds: '61' }, 'seconds'],
      [{ image: new Uint8Array([1, 2, 3]) }, 'input_reference'],
    ] as const) {
      const error = await jobs.create({ ...request, ...change }).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(GatewayError)
      expect((error as GatewayError).details.param).toBe(param)
    }
  })

  test('are stopped or removed from the queue by deletion', async () => {
    newWorld()
    const workers = heldWorkers()
    const jobs = await world.open(workers)
    const [first, second, third] = [
      await jobs.create(request),
      await jobs.create(request),
      await jobs.create(request),
    ]
    const { options } = await called(workers, 1)
    await jobs.cancel(second.id)
    await world.store.deleteVideoJob(second.id)
    await jobs.cancel(first.id)
    await world.store.deleteVideoJob(first.id)
    expect(options.signal?.aborted).toBe(true)
    ;(await called(workers, 2)).finish()
    await world.reaches(third.id, 'completed')
    expect(await world.files(third.id)).toEqual(['clip', 'still'])
    await world.store.deleteVideoJob(third.id)
    expect(await world.files(third.id)).toEqual([])
  })

  test('interrupted by shutdown are completed after the next start', async () => {
    newWorld()
    const before = heldWorkers()
    const jobs = await world.open(before)
    const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#00f' } })
      .png()
      .toBuffer()
    const { id } = await jobs.create({ ...request, image })
    await called(before, 1)
    await jobs[Symbol.asyncDispose]()
    expect(await world.job(id)).toMatchObject({ status: 'in_progress' })
    const after = heldWorkers()
    await world.open(after)
    const { input, finish } = await called(after, 1)
    expect(Buffer.from(input['image'] as Uint8Array)).toEqual(image)
    finish()
    await world.reaches(id, 'completed')
    await vi.waitFor(async () => expect(await world.files(id)).toEqual(['clip', 'still']), soon)
  })

  test('are not failed by repeated shutdowns', async () => {
    newWorld()
    const first = heldWorkers()
    let jobs = await world.open(first)
    const { id } = await jobs.create(request)
    await called(first, 1)
    for (let stop = 1; stop <= 5; stop += 1) {
      await jobs[Symbol.asyncDispose]()
      expect(await world.job(id)).toMatchObject({ status: 'in_progress' })
      const workers = heldWorkers()
      jobs = await world.open(workers)
      await called(workers, 1)
      if (stop === 5) workers.calls[0]?.finish()
    }
    await world.reaches(id, 'completed')
  })

  test('save their state before shutdown completes', async () => {
    newWorld()
    const workers = heldWorkers({ leavesAtOnce: false })
    const jobs = await world.open(workers)
    const { id } = await jobs.create(request)
    const { options, fail } = await called(workers, 1)
    const kept = (await world.job(id)).request
    let isStopped = false
    const stopping = Promise.resolve(jobs[Symbol.asyncDispose]()).then(() => {
      isStopped = true
    })
    expect(options.signal?.aborted).toBe(true)
    for (let n = 0; n < 20; n += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(isStopped).toBe(false)
    fail(new GatewayError('cancelled', 'gone'))
    await stopping
    // Written before the store, which is closed next, is gone.
    expect((await world.job(id)).request).not.toBe(kept)
  })

  test('whose process died three times fail', async () => {
    newWorld()
    const first = heldWorkers()
    const { id } = await (await world.open(first)).create(request)
    await called(first, 1)
    for (let death = 1; death <= 2; death += 1) {
      // It is never disposed, and its worker never answers.
      world.kill()
      const workers = heldWorkers()
      await world.open(workers)
      await called(workers, 1)
    }
    world.kill()
    const last = heldWorkers()
    await world.open(last)
    const failed = await world.reaches(id, 'failed')
    expect(failed.error?.code).toBe('restarted_too_often')
    expect(last.calls).toHaveLength(0)
  })

  test('expire after a day, and orphaned files are removed', async () => {
    newWorld()
    const workers = heldWorkers()
    const jobs = await world.open(workers)
    const { id } = await jobs.create(request)
    ;(await called(workers, 1)).finish()
    const done = await world.reaches(id, 'completed')
    await jobFilesIn(world.store, () => world.time).write('video_gone', 'clip', rendered.video)
    await world.open(workers)
    expect([await world.files('video_gone'), await world.files(id)]).toEqual([
      ['clip'],
      ['clip', 'still'],
    ])
    world.time += 86_399_000
    expect(Buffer.from((await jobs.clip(done))!).toString()).toBe('clip')
    world.time += 1_000
    expect([await jobs.clip(done), await jobs.thumbnail(done)]).toEqual([undefined, undefined])
    await world.open(workers)
    expect(await world.files('video_gone')).toEqual([])
  })

  test('run in one process, and another takes over when the lease expires', async () => {
    newWorld()
    const [first, second, third] = [heldWorkers(), heldWorkers(), heldWorkers()]
    const { id } = await (await world.open(first)).create(request)
    const lost = await called(first, 1)
    await world.open(second)
    expect(second.calls).toHaveLength(0)
    // Nobody knows whether the first one lives: it has only been silent for too long.
    world.time += 31_000
    await world.open(third)
    const { finish } = await called(third, 1)
    const written = vi.spyOn(world.store, 'addFile')
    const changed = vi.spyOn(world.store, 'updateClaimedVideoJob')
    lost.finish()
    await vi.waitFor(() => expect(changed).toHaveBeenCalledOnce(), soon)
    expect(await changed.mock.results[0]?.value).toBe(false)
    expect(await world.job(id)).toMatchObject({ status: 'in_progress' })
    finish()
    await world.reaches(id, 'completed')
    // The first one has written nothing: both would have written the same files.
    expect(written.mock.calls.map(([{ kind }]) => kind)).toEqual(['still', 'clip'])
    expect(second.calls).toHaveLength(0)
  })
})
