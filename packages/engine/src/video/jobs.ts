import { GatewayError, invalidRequest } from '@sluice/contract'
import { imageFormatOf } from '../images/image-format.ts'
import { FairQueue } from '../workers/fair-queue.ts'
import type { WorkerPool } from '../workers/pool.ts'
import { createClipFolder } from './clip-folder.ts'
import { type ClipRequest, planClip } from './clip-plan.ts'

export interface VideoRequest extends ClipRequest {
  /** Whose video it is: keys take turns. */
  readonly keyId: string
}

/** A job as somebody else keeps it, to be handed back after a restart. */
export interface KeptJob extends Omit<VideoRequest, 'image'> {
  readonly id: string
  readonly status: 'queued' | 'in_progress' | 'completed' | 'failed'
  /** 0 to 100. */
  readonly progress: number
  /** The engine's own note, kept as it is. */
  readonly state: string
  /** What its files take. */
  readonly bytes?: number
  /** Seconds since the epoch, where it is completed. */
  readonly expiresAt?: number
}

/** What is new of a job; what is absent stays as it was. */
export interface JobChange {
  readonly status?: 'in_progress' | 'completed' | 'failed'
  /** 0 to 100; never falls. */
  readonly progress?: number
  readonly state?: string
  /** The finished clip's name below the folder that the job folder is in. */
  readonly file?: string
  /** What its files take. */
  readonly bytes?: number
  readonly error?: { readonly code: string; readonly message: string }
  /** Seconds since the epoch. */
  readonly completedAt?: number
  /** Seconds since the epoch: until then `file` finds the clip. */
  readonly expiresAt?: number
}

export interface JobsOptions {
  readonly workers: Pick<WorkerPool, 'run'>
  /** Where clips are kept. */
  readonly folder: string
  readonly now: () => number
  readonly newId: (prefix: string) => string
  /** Resolves to false where the job is gone or over. */
  readonly onChange: (id: string, change: JobChange) => Promise<boolean>
  readonly log?: { warn(fields: object, message: string): void }
}

/** Finished clips are kept for a day, in seconds. */
const keptSeconds = 86_400
const waitingMax = 1000
const waitingPerKeyMax = 20
/** A job whose process died this often while rendering it is not tried again. */
const startsMax = 3
const renderMs = 300_000
const progressEveryMs = 300

/** What `KeptJob.state` says. */
interface JobState {
  readonly hasImage: boolean
  /** How often rendering has begun. */
  readonly starts: number
}

interface Running {
  readonly id: string
  readonly stop: AbortController
  readonly done: Promise<void>
}

/**
 * Video jobs: one is rendered at a time, of each key in turn. The jobs themselves are kept by whoever made them.
 * Disposing stops the running job and waits for it; handed back to `resume`, it begins anew.
 */
export class EngineJobs implements AsyncDisposable {
  readonly #options: JobsOptions
  readonly #folder
  readonly #waiting = new FairQueue<KeptJob>({ of: 'videos', waitingMax, waitingPerKeyMax })
  /** Finished jobs and when their clips expire, in seconds since the epoch. */
  readonly #finished = new Map<string, number>()
  #running: Running | undefined
  #isClosing = false

  constructor(options: JobsOptions) {
    this.#options = options
    this.#folder = createClipFolder(options.folder)
  }

  /**
   * Checks a request and writes down its picture; nothing runs before the job is kept and handed to `resume`. Throws
   * invalid_request for what cannot be rendered, rate_limited when the key has its share waiting, overloaded when too
   * many wait.
   */
  async create({ image, keyId, prompt, seconds, size }: VideoRequest): Promise<KeptJob> {
    planClip(size, seconds)
    if (image !== undefined && imageFormatOf(image) === undefined)
      throw invalidRequest('The reference is not a readable image', 'input_reference')
    if (this.#isClosing) throw new GatewayError('overloaded', 'The gateway is stopping')
    this.#waiting.assertRoom(keyId)
    const id = this.#options.newId('video_')
    if (image !== undefined) await this.#folder.write(id, 'input', image)
    const state = stateText({ hasImage: image !== undefined, starts: 0 })
    const bytes = image?.length ?? 0
    return { id, keyId, status: 'queued', progress: 0, prompt, seconds, size, state, bytes }
  }

  /** Queues a new job or one of an earlier process; a completed one's clip is known again until it expires. */
  resume(job: KeptJob): void {
    const { id, keyId, status, expiresAt = 0 } = job
    if (status === 'completed') this.#finished.set(id, expiresAt)
    const isOpen = status === 'queued' || status === 'in_progress'
    const isKnown = this.#running?.id === id || this.#find(id) !== undefined
    if (isOpen && !isKnown && !this.#isClosing) this.#waiting.add(keyId, job)
    this.#startNext()
  }

  /** Stops a job, if it waits or runs, and removes its files. */
  async cancel(id: string): Promise<void> {
    const waiting = this.#find(id)
    if (waiting !== undefined) this.#waiting.remove(waiting)
    if (this.#running?.id === id) {
      this.#running.stop.abort()
      await this.#running.done
    }
    this.#finished.delete(id)
    await this.#folder.remove(id)
  }

  /** Absolute path of a finished clip; undefined when there is none or it has expired. */
  file(id: string): string | undefined {
    const expiresAt = this.#finished.get(id)
    if (expiresAt === undefined || expiresAt <= this.#seconds()) return undefined
    return this.#folder.path(id, 'clip')
  }

  /** A still of a finished clip, as WebP. */
  async thumbnail(id: string): Promise<Uint8Array | undefined> {
    return this.file(id) === undefined ? undefined : this.#folder.read(id, 'still')
  }

  /** The jobs that have files: what is not kept any more can be cancelled. */
  ids(): Promise<readonly string[]> {
    return this.#folder.ids()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true
    this.#running?.stop.abort()
    await this.#running?.done
  }

  #find(id: string): KeptJob | undefined {
    return this.#waiting.find((job) => job.id === id)
  }

  #seconds(): number {
    return Math.floor(this.#options.now() / 1000)
  }

  readonly #warn = (thrown: unknown): void => {
    this.#options.log?.warn({ err: thrown }, 'A video job could not be kept up to date')
  }

  #startNext(): void {
    if (this.#running !== undefined || this.#isClosing) return
    const job = this.#waiting.take(() => true)
    if (job === undefined) return
    const stop = new AbortController()
    const done = this.#render(job, stop.signal)
      .catch(this.#warn)
      .finally(() => {
        this.#running = undefined
        this.#startNext()
      })
    this.#running = { id: job.id, stop, done }
  }

  /** One job from where it is to its end, unless it is stopped. */
  async #render(job: KeptJob, signal: AbortSignal): Promise<void> {
    const { onChange } = this.#options
    const { id } = job
    const state = parseState(job.state)
    if (state.starts >= startsMax) return this.#fail(id, tooManyStarts())
    const begun = stateText({ ...state, starts: state.starts + 1 })
    if (!(await onChange(id, { status: 'in_progress', state: begun })))
      return this.#folder.remove(id)
    try {
      const rendered = await this.#renderFrames(job, state, signal)
      await this.#folder.write(id, 'still', rendered.thumbnail)
      await this.#folder.write(id, 'clip', rendered.video)
      await this.#complete(id, rendered.video.length + rendered.thumbnail.length)
    } catch (thrown) {
      // A regular stop is not the job's fault: it does not count as a start.
      if (this.#isClosing) await onChange(id, { state: job.state })
      else if (!signal.aborted) await this.#fail(id, GatewayError.from(thrown))
    }
  }

  async #renderFrames(job: KeptJob, { hasImage }: JobState, signal: AbortSignal) {
    const { prompt, seconds, size } = job
    const image = hasImage ? await this.#folder.read(job.id, 'input') : undefined
    if (hasImage && image === undefined)
      throw new GatewayError('not_found', 'The picture this video begins from is gone')
    const input = { prompt, seconds, size, ...(image === undefined ? {} : { image }) }
    const onProgress = this.#progressTeller(job)
    const options = { signal, timeoutMs: renderMs, onProgress }
    return this.#options.workers.run('renderVideo', input, options)
  }

  /** Tells progress a few times a second at most, never backwards, one change at a time. */
  #progressTeller({ id, progress }: KeptJob): (done: number) => void {
    const { onChange, now } = this.#options
    let told = progress
    let toldAt = now()
    let isTelling = false
    return (done) => {
      const percent = Math.min(99, Math.floor(done * 100))
      if (isTelling || percent <= told || now() - toldAt < progressEveryMs) return
      isTelling = true
      told = percent
      toldAt = now()
      void onChange(id, { progress: percent })
        .catch(this.#warn)
        .finally(() => {
          isTelling = false
        })
    }
  }

  async #complete(id: string, bytes: number): Promise<void> {
    const completedAt = this.#seconds()
    const expiresAt = completedAt + keptSeconds
    const isKept = await this.#options.onChange(id, {
      status: 'completed',
      progress: 100,
      completedAt,
      expiresAt,
      file: this.#folder.nameOf(id, 'clip'),
      bytes,
    })
    if (isKept) this.#finished.set(id, expiresAt)
    await this.#folder.remove(id, isKept ? ['input'] : undefined)
  }

  async #fail(id: string, error: GatewayError): Promise<void> {
    if (error.blame !== 'caller') this.#warn(error)
    const code = error.publicCode ?? error.code
    await this.#options.onChange(id, { status: 'failed', error: { code, message: error.message } })
    await this.#folder.remove(id)
  }
}

function parseState(text: string): JobState {
  const state = JSON.parse(text) as Partial<JobState>
  return { hasImage: state.hasImage === true, starts: state.starts ?? 0 }
}

function stateText(state: JobState): string {
  return JSON.stringify(state)
}

function tooManyStarts(): GatewayError {
  const text = 'The process stopped each time this video was rendered'
  return new GatewayError('internal', text, { publicCode: 'restarted_too_often' })
}
