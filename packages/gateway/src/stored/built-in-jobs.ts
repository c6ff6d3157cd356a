import type { VideoJob } from '@sluice/contract'
import type {
  BuiltinEngine,
  EngineJobs,
  JobChange,
  JobFiles,
  KeptJob,
  VideoRequest as EngineVideoRequest,
} from '@sluice/engine'
import type { StoredFileKind } from '../ports/file-store.ts'
import type { Store } from '../ports/store.ts'
import { sweepStoredFiles } from './published.ts'

/** How long a process keeps its jobs without renewing the lease, in milliseconds. */
const leaseMs = 30_000
/** How often a process renews its leases and looks for unclaimed jobs, in milliseconds. */
const lookEveryMs = 3_000
const sweepEveryMs = 600_000
/** Longer than any job waits. Files that belong to no job are removed earlier. */
const filesStoredMs = 30 * 86_400_000

export interface BuiltInJobsInput {
  /** Jobs are stored with the engine's id as their provider. */
  readonly engine: Pick<BuiltinEngine, 'id'> & {
    readonly jobs: Pick<EngineJobs, 'create' | 'resume' | 'cancel'>
  }
  readonly store: Store
  /** Identifies this process among all processes on the same database. */
  readonly owner: string
  /** Whether a process that held jobs is known to have ended; false if unknown. */
  readonly isGone: (owner: string) => boolean
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly log: { warn(fields: object, message: string): void }
}

/** Runs the built-in engine's video jobs, which outlive their call and survive a restart. */
export interface VideoWorker extends Pick<EngineJobs, 'cancel'> {
  /** Whether a stored job belongs to the engine and not to an upstream. */
  owns(job: VideoJob): boolean
  /**
   * Stores a queued job in the slot that was reserved for it and starts it. Throws `invalid_request` for an
   * unsupported size or length.
   */
  create(request: VideoRequest, slotId?: string): Promise<VideoJob>
  /** The video of a finished job as MP4; undefined if it has expired. */
  clip(job: VideoJob): Promise<Uint8Array | undefined>
  /** A still image of the video, as WebP. */
  thumbnail(job: VideoJob): Promise<Uint8Array | undefined>
}

export interface VideoRequest extends EngineVideoRequest {
  /** The model name to report in responses. */
  readonly model: string
}

/**
 * Stores the built-in engine's video jobs. Each is worked on by one process, which holds a lease on it. Unfinished
 * jobs of a process that stopped or died are taken over by another. Disposing stops the polling; the jobs end with
 * their engine.
 */
export async function openBuiltInJobs(input: BuiltInJobsInput): Promise<VideoWorker & Disposable> {
  const { engine, store, now, log } = input
  const { jobs } = engine
  const every = (ms: number, work: () => Promise<void>, warning: string) =>
    setInterval(() => {
      work().catch((error: unknown) => log.warn({ error: String(error) }, warning))
    }, ms).unref()
  await sweepStoredFiles(store, now)
  await takeJobs(input)
  const timers = [
    every(lookEveryMs, () => takeJobs(input), 'Video tasks could not be looked for'),
    every(sweepEveryMs, () => sweepStoredFiles(store, now), 'Old files could not be removed'),
  ]

  const fileOf = async (job: VideoJob, kind: StoredFileKind) => {
    const isThere = job.status === 'completed' && (job.expiresAt ?? 0) > Math.floor(now() / 1000)
    return isThere ? (await store.findFile({ id: job.id, kind, at: now() }))?.bytes : undefined
  }

  return {
    owns: ({ provider }) => provider === engine.id,
    async create(request: VideoRequest, slotId?: string) {
      const { state, ...rest } = await jobs.create(request)
      const createdAt = Math.floor(now() / 1000)
      const { model } = request
      const job = { ...rest, model, provider: engine.id, request: state, createdAt }
      await store.addVideoJob(job, slotId)
      await takeJobs(input)
      return job
    },
    cancel: (id) => jobs.cancel(id),
    clip: (job) => fileOf(job, 'clip'),
    thumbnail: (job) => fileOf(job, 'still'),
    [Symbol.dispose]() {
      for (const timer of timers) clearInterval(timer)
    },
  }
}

/** Renews the claims of this process and takes over jobs without a live owner. */
async function takeJobs({ engine, store, owner, isGone, now }: BuiltInJobsInput): Promise<void> {
  const owners = await store.videoJobOwners(engine.id)
  if (owners.length === 0) return
  const gone = owners.flatMap((one) =>
    one !== undefined && one !== owner && isGone(one) ? [one] : [],
  )
  const at = now()
  const claim = { provider: engine.id, owner, gone, at, until: at + leaseMs }
  for (const job of await store.claimVideoJobs(claim)) engine.jobs.resume(keptJob(job))
}

/** Saves a change of a job. False if the job is gone, finished or claimed by another process. */
export function saveJobChange(
  store: Pick<Store, 'updateClaimedVideoJob'>,
  owner: string,
  { id, change }: { readonly id: string; readonly change: JobChange },
): Promise<boolean> {
  const { state, ...rest } = change
  return store.updateClaimedVideoJob(id, owner, {
    ...rest,
    ...(state !== undefined && { request: state }),
  })
}

const contentTypes = {
  clip: 'video/mp4',
  still: 'image/webp',
  input: 'application/octet-stream',
} as const

/** The files of jobs, kept in the store. */
export function jobFilesIn(store: Store, now: () => number): JobFiles {
  return {
    async write(id, kind, bytes) {
      const createdAt = now()
      const expiresAt = createdAt + filesStoredMs
      await store.addFile({
        id,
        kind,
        bytes,
        contentType: contentTypes[kind],
        createdAt,
        expiresAt,
      })
    },
    read: async (id, kind) => (await store.findFile({ id, kind, at: now() }))?.bytes,
    remove: (id, kinds) => store.removeFiles(id, kinds),
  }
}

function keptJob({
  id,
  keyId,
  status,
  progress,
  prompt,
  seconds,
  size,
  request,
}: VideoJob): KeptJob {
  const isBegun = status === 'in_progress'
  const kept = { id, keyId, progress, prompt, seconds, size, state: request }
  return { ...kept, status: isBegun ? 'in_progress' : 'queued' }
}
