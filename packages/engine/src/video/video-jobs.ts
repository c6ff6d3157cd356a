import { GatewayError, invalidRequest, type Store, type VideoJob } from '@sluice/contract'
import { imageFormatOf } from '../images/image-format.ts'
import type { WorkerPool } from '../workers/pool.ts'
import { type ClipFolder, openClipFolder } from './clip-folder.ts'
import { planClip } from './clip-plan.ts'

export interface NewVideo {
  readonly keyId: string
  /** The name to answer under. */
  readonly model: string
  readonly prompt: string
  /** "1" to "60". */
  readonly seconds: string
  /** Such as "720x1280". */
  readonly size: string
  /** The picture to begin from. */
  readonly image?: Uint8Array
}

/**
 * The built-in engine's video tasks: one is rendered at a time, the others wait. Disposing stops the running one, which
 * the next start takes up again.
 */
export interface VideoJobs extends AsyncDisposable {
  /** Keeps a queued job. Throws invalid_request for what cannot be rendered, overloaded when too many wait. */
  create(request: NewVideo): Promise<VideoJob>
  /** Stops a job that is being deleted, and removes its files. */
  cancel(id: string): Promise<void>
  /** Absolute path of a finished clip; undefined when there is none or it has expired. */
  file(id: string): string | undefined
  /** A still of a finished clip, as WebP. */
  thumbnail(id: string): Promise<Uint8Array | undefined>
}

export interface VideoJobsOptions {
  readonly store: Store
  readonly workers: Pick<WorkerPool, 'run'>
  /** Where clips are kept; made if it is not there. */
  readonly folder: string
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly newId: (prefix: string) => string
  readonly log?: { warn(fields: object, message: string): void }
  /** Limit for one clip, in milliseconds; default five minutes. */
  readonly timeoutMs?: number
}

export const builtinProvider = 'builtin'

/** Finished clips are kept for a day, in seconds. */
const keptSeconds = 86_400
const waitingMax = 100
/** A job whose process died this often while rendering it is not tried again. */
const startsMax = 3
const sweepMs = 600_000
const progressEveryMs = 300

/** Opens the folder, takes up what an earlier process left undone, and removes what has expired. */
export async function openVideoJobs(options: VideoJobsOptions): Promise<VideoJobs> {
  const jobs = new RenderedJobs(options, await openClipFolder(options.folder))
  await jobs.resume()
  return jobs
}

/** What is kept of the request, to begin the work again. */
interface KeptRequest {
  readonly hasImage: boolean
  /** How often rendering has begun. */
  readonly starts: number
}

interface Running {
  readonly id: string
  readonly stop: AbortController
  readonly done: Promise<void>
}

class RenderedJobs implements VideoJobs {
  readonly #options: VideoJobsOptions
  readonly #folder: ClipFolder
  readonly #waiting: string[] = []
  /** Jobs whose files may be there before they are in the store. */
  readonly #making = new Set<string>()
  /** Finished jobs and when their clips expire, in seconds since the epoch. */
  readonly #finished = new Map<string, number>()
  readonly #sweeper: NodeJS.Timeout
  #running: Running | undefined
  #isClosing = false

  constructor(options: VideoJobsOptions, folder: ClipFolder) {
    this.#options = options
    this.#folder = folder
    this.#sweeper = setInterval(() => void this.#sweep().catch(this.#warn), sweepMs)
    this.#sweeper.unref()
  }

  async resume(): Promise<void> {
    await this.#sweep()
    for (const { id } of await this.#options.store.unfinishedVideoJobs(builtinProvider))
      this.#waiting.push(id)
    this.#startNext()
  }

  async create({ image, ...request }: NewVideo): Promise<VideoJob> {
    const { store, now, newId } = this.#options
    planClip(request.size, request.seconds)
    if (image !== undefined && imageFormatOf(image) === undefined)
      throw invalidRequest('The reference is not a readable image', 'input_reference')
    if (this.#waiting.length >= waitingMax || this.#isClosing)
      throw new GatewayError('overloaded', 'Too many videos are waiting; try again later')
    const kept: KeptRequest = { hasImage: image !== undefined, starts: 0 }
    const job: VideoJob = {
      ...request,
      id: newId('video_'),
      provider: builtinProvider,
      status: 'queued',
      progress: 0,
      request: JSON.stringify(kept),
      createdAt: this.#seconds(now()),
    }
    this.#making.add(job.id)
    try {
      if (image !== undefined) await this.#folder.write(job.id, 'input', image)
      await store.addVideoJob(job)
      this.#waiting.push(job.id)
    } finally {
      this.#making.delete(job.id)
    }
    this.#startNext()
    return job
  }

  async cancel(id: string): Promise<void> {
    const at = this.#waiting.indexOf(id)
    if (at >= 0) this.#waiting.splice(at, 1)
    if (this.#running?.id === id) {
      this.#running.stop.abort()
      await this.#running.done
    }
    this.#finished.delete(id)
    await this.#folder.remove(id)
  }

  file(id: string): string | undefined {
    const expiresAt = this.#finished.get(id)
    if (expiresAt === undefined || expiresAt <= this.#seconds(this.#options.now())) return undefined
    return this.#folder.path(id, 'clip')
  }

  async thumbnail(id: string): Promise<Uint8Array | undefined> {
    return this.file(id) === undefined ? undefined : this.#folder.read(id, 'still')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#sweeper)
    this.#running?.stop.abort()
    await this.#running?.done
  }

  #seconds(milliseconds: number): number {
    return Math.floor(milliseconds / 1000)
  }

  readonly #warn = (thrown: unknown): void => {
    this.#options.log?.warn({ err: thrown }, 'A video job could not be kept up to date')
  }

  #startNext(): void {
    if (this.#running !== undefined || this.#isClosing) return
    const id = this.#waiting.shift()
    if (id === undefined) return
    const stop = new AbortController()
    const done = this.#render(id, stop.signal)
      .catch(this.#warn)
      .finally(() => {
        this.#running = undefined
        this.#startNext()
      })
    this.#running = { id, stop, done }
  }

  /** One job from where it is to its end, unless it is stopped. */
  async #render(id: string, signal: AbortSignal): Promise<void> {
    const { store } = this.#options
    const job = await store.findVideoJob(id)
    if (job === undefined || signal.aborted) return
    const kept = parseKept(job.request)
    if (kept.starts >= startsMax) return this.#fail(id, tooManyStarts())
    const starting = { status: 'in_progress', request: keptText(kept, 1) } as const
    if (!(await store.updateVideoJob(id, starting))) return
    try {
      const rendered = await this.#renderFrames(job, kept, signal)
      await this.#folder.write(id, 'still', rendered.thumbnail)
      await this.#folder.write(id, 'clip', rendered.video)
      await this.#complete(id)
    } catch (thrown) {
      // A regular stop is not the job's fault: it does not count as a start.
      if (this.#isClosing) await store.updateVideoJob(id, { request: keptText(kept, 0) })
      else if (!signal.aborted) await this.#fail(id, GatewayError.from(thrown))
    }
  }

  async #renderFrames(job: VideoJob, { hasImage }: KeptRequest, signal: AbortSignal) {
    const { workers, timeoutMs = 300_000 } = this.#options
    const { prompt, seconds, size } = job
    const image = hasImage ? await this.#folder.read(job.id, 'input') : undefined
    if (hasImage && image === undefined)
      throw new GatewayError('not_found', 'The picture this video begins from is gone')
    const input = { prompt, seconds, size, ...(image === undefined ? {} : { image }) }
    const onProgress = this.#progressWriter(job)
    return workers.run('renderVideo', input, { signal, timeoutMs, onProgress })
  }

  /** Writes progress a few times a second at most, never backwards, one write at a time. */
  #progressWriter({ id, progress }: VideoJob): (done: number) => void {
    const { store, now } = this.#options
    let written = progress
    let writtenAt = now()
    let isWriting = false
    return (done) => {
      const percent = Math.min(99, Math.floor(done * 100))
      if (isWriting || percent <= written || now() - writtenAt < progressEveryMs) return
      isWriting = true
      written = percent
      writtenAt = now()
      void store
        .updateVideoJob(id, { progress: percent })
        .catch(this.#warn)
        .finally(() => {
          isWriting = false
        })
    }
  }

  async #complete(id: string): Promise<void> {
    const completedAt = this.#seconds(this.#options.now())
    const expiresAt = completedAt + keptSeconds
    const isKept = await this.#options.store.updateVideoJob(id, {
      status: 'completed',
      progress: 100,
      completedAt,
      expiresAt,
      contentFile: this.#folder.nameOf(id, 'clip'),
    })
    if (isKept) this.#finished.set(id, expiresAt)
    await this.#folder.remove(id, isKept ? ['input'] : undefined)
  }

  async #fail(id: string, error: GatewayError): Promise<void> {
    if (error.blame !== 'caller') this.#warn(error)
    const code = error.publicCode ?? error.code
    await this.#options.store.updateVideoJob(id, {
      status: 'failed',
      error: { code, message: error.message },
    })
    await this.#folder.remove(id)
  }

  /** Removes files of jobs that are gone, failed or expired, and learns which clips are still good. */
  async #sweep(): Promise<void> {
    const time = this.#seconds(this.#options.now())
    for (const id of await this.#folder.ids()) {
      const job = await this.#options.store.findVideoJob(id)
      const isOpen = job?.status === 'queued' || job?.status === 'in_progress'
      const isGood = job?.status === 'completed' && (job.expiresAt ?? 0) > time
      if (isGood) this.#finished.set(id, job.expiresAt ?? 0)
      else if (!isOpen && !this.#making.has(id) && this.#running?.id !== id) {
        this.#finished.delete(id)
        await this.#folder.remove(id)
      }
    }
  }
}

function parseKept(request: string): KeptRequest {
  const kept = JSON.parse(request) as Partial<KeptRequest>
  return { hasImage: kept.hasImage === true, starts: kept.starts ?? 0 }
}

function keptText({ hasImage, starts }: KeptRequest, more: 0 | 1): string {
  return JSON.stringify({ hasImage, starts: starts + more })
}

function tooManyStarts(): GatewayError {
  return new GatewayError('internal', 'The process stopped each time this video was rendered', {
    publicCode: 'restarted_too_often',
  })
}
