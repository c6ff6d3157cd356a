import { FairQueue, GatewayError, invalidRequest } from '@sluice/contract'
import { imageFormatOf } from '../images/image-format.ts'
import type { WorkerPool } from '../workers/pool.ts'
import { type ClipRequest, planClip } from './clip-plan.ts'

export interface VideoRequest extends ClipRequest {
  /** The key that the video belongs to: keys take turns. */
  readonly keyId: string
}

/** A stored job, to be passed to `resume` after a restart. */
export interface KeptJob extends Omit<VideoRequest, 'image'> {
  readonly id: string
  readonly status: 'queued' | 'in_progress'
  /** 0 to 100. */
  readonly progress: number
  /** The engine's own state, stored unchanged. */
  readonly state: string
  /** Total size of its files. */
  readonly bytes?: number
}

/** A change of a job; absent fields stay as they were. */
export interface JobChange {
  readonly status?: 'in_progress' | 'completed' | 'failed'
  /** 0 to 100; never decreases. */
  readonly progress?: number
  readonly state?: string
  /** Total size of its files. */
  readonly bytes?: number
  readonly error?: { readonly code: string; readonly message: string }
  /** In seconds since the epoch. */
  readonly completedAt?: number
  /** In seconds since the epoch: until then the video and its still image are stored. */
  readonly expiresAt?: number
}

/** A video in MP4, a still image of it in WebP, and the image that it begins with. */
export type JobFile = 'clip' | 'still' | 'input'

/** Stores the files of jobs; the implementation removes them when they expire. */
export interface JobFiles {
  /** Writes the whole file or nothing; replaces an existing one. */
  write(id: string, file: JobFile, bytes: Uint8Array): Promise<void>
  /** Undefined if there is no such file. */
  read(id: string, file: JobFile): Promise<Uint8Array | undefined>
  /** Missing files are ignored. */
  remove(id: string, files: readonly JobFile[]): Promise<void>
}

export interface JobsOptions {
  readonly workers: Pick<WorkerPool, 'run'>
  readonly files: JobFiles
  readonly now: () => number
  readonly newId: (prefix: string) => string
  /** Resolves to false if the job is gone or over, or another process has taken it; the engine then stops working on it. */
  readonly onChange: (id: string, change: JobChange) => Promise<boolean>
  readonly log?: { warn(fields: object, message: string): void }
}

/** Finished videos are stored for a day, in seconds. */
const keptSeconds = 86_400
const waitingMax = 1000
const waitingPerKeyMax = 20
const filesAll: readonly JobFile[] = ['clip', 'still', 'input']
/** After its process died this often while rendering it, a job is not tried again. */
const startsMax = 3
const renderMs = 300_000
const progressEveryMs = 300
/** Maximum until the files are stored. */
const progressMax = 99

/** The content of `KeptJob.state`. */
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
 * Video jobs: one is rendered at a time, and keys take turns. The jobs and their files are stored by others. Disposing stops
 * the running job and waits for it. Passed to `resume`, in this process or another, the job starts again from the beginning.
 */
export class EngineJobs implements AsyncDisposable {
  readonly #options: JobsOptions
  readonly #files: JobFiles
  readonly #waiting = new FairQueue<KeptJob>({ of: 'videos', waitingMax, waitingPerKeyMax })
  #running: Running | undefined
  #isClosing = false

  constructor(options: JobsOptions) {
    this.#options = options
    this.#files = options.files
  }

  /**
   * Checks a request and stores its image; nothing runs before the job is stored and passed to `resume`. Throws
   * invalid_request for what cannot be rendered, rate_limited when the key has too many jobs waiting, and overloaded when too
   * many wait in total.
   */
  async create({ image, keyId, prompt, seconds, size }: VideoRequest): Promise<KeptJob> {
    planClip(size, seconds)
    if (image !== undefined && imageFormatOf(image) === undefined)
      throw invalidRequest('The reference is not a readable image', 'input_reference')
    if (this.#isClosing) throw new GatewayError('overloaded', 'The gateway is stopping')
    this.#waiting.assertRoom(keyId)
    const id = this.#options.newId('video_')
    if (image !== undefined) await this.#files.write(id, 'input', image)
    const state = stateText({ hasImage: image !== undefined, starts: 0 })
    const bytes = image?.length ?? 0
    return { id, keyId, status: 'queued', progress: 0, prompt, seconds, size, state, bytes }
  }

  /** Queues a new job or one that another process left unfinished. Ignores jobs that are already queued or running. */
  resume(job: KeptJob): void {
    const { id, keyId } = job
    const isKnown = this.#running?.id === id || this.#find(id) !== undefined
    if (!isKnown && !this.#isClosing) this.#waiting.add(keyId, job)
    this.#startNext()
  }

  /** Stops a job that waits or runs here. Its files remain. */
  async cancel(id: string): Promise<void> {
    const waiting = this.#find(id)
    if (waiting !== undefined) this.#waiting.remove(waiting)
    if (this.#running?.id === id) {
      this.#running.stop.abort()
      await this.#running.done
    }
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
    const done = this.#render(job, stop)
      .catch(this.#warn)
      .finally(() => {
        this.#running = undefined
        this.#startNext()
      })
    this.#running = { id: job.id, stop, done }
  }

  /** Renders one job to its end, unless it is stopped. */
  async #render(job: KeptJob, stop: AbortController): Promise<void> {
    const { onChange } = this.#options
    const { id } = job
    const state = parseState(job.state)
    if (state.starts >= startsMax) return this.#fail(id, tooManyStarts())
    const begun = stateText({ ...state, starts: state.starts + 1 })
    if (!(await onChange(id, { status: 'in_progress', state: begun }))) return
    try {
      const rendered = await this.#renderFrames(job, state, stop)
      // If another process has taken the job, it writes the same files, and two writers at once would fail.
      if (!(await onChange(id, { progress: progressMax }))) return
      await this.#files.write(id, 'still', rendered.thumbnail)
      await this.#files.write(id, 'clip', rendered.video)
      await this.#complete(id, rendered.video.length + rendered.thumbnail.length)
    } catch (thrown) {
      // A regular stop is not the job's fault and does not count as a start.
      if (this.#isClosing) await onChange(id, { state: job.state })
      else if (!stop.signal.aborted) await this.#fail(id, GatewayError.from(thrown))
    }
  }

  async #renderFrames(job: KeptJob, { hasImage }: JobState, stop: AbortController) {
    const { prompt, seconds, size } = job
    const image = hasImage ? await this.#files.read(job.id, 'input') : undefined
    if (hasImage && image === undefined)
      throw new GatewayError('not_found', 'The first frame of this video is no longer available')
    const input = { prompt, seconds, size, ...(image === undefined ? {} : { image }) }
    const onProgress = this.#progressTeller(job, stop)
    const options = { signal: stop.signal, timeoutMs: renderMs, onProgress }
    return this.#options.workers.run('renderVideo', input, options)
  }

  /** Reports progress a few times a second at most and never backwards. Stops a job that is no longer stored. */
  #progressTeller({ id, progress }: KeptJob, stop: AbortController): (done: number) => void {
    const { onChange, now } = this.#options
    let told = progress
    let toldAt = now()
    let isTelling = false
    return (done) => {
      const percent = Math.min(progressMax, Math.floor(done * 100))
      if (isTelling || percent <= told || now() - toldAt < progressEveryMs) return
      isTelling = true
      told = percent
      toldAt = now()
      void onChange(id, { progress: percent })
        .then((isKept) => {
          if (!isKept) stop.abort()
        })
        .catch(this.#warn)
        .finally(() => {
          isTelling = false
        })
    }
  }

  async #complete(id: string, bytes: number): Promise<void> {
    const completedAt = this.#seconds()
    const expiresAt = completedAt + keptSeconds
    const change = { status: 'completed', progress: 100, completedAt, expiresAt, bytes } as const
    if (await this.#options.onChange(id, change)) await this.#files.remove(id, ['input'])
  }

  async #fail(id: string, error: GatewayError): Promise<void> {
    if (error.blame !== 'caller') this.#warn(error)
    const code = error.publicCode ?? error.code
    const failed = { status: 'failed', error: { code, message: error.message } } as const
    if (await this.#options.onChange(id, failed)) await this.#files.remove(id, filesAll)
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
