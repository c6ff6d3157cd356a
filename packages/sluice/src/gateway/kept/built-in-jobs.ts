import type { Store, VideoJob } from '@sluice/contract'
import type { BuiltinEngine, JobChange, KeptJob } from '@sluice/engine'
import type { VideoRequest, VideoWorker } from '../gateway.ts'

const sweepMs = 600_000

export interface BuiltInJobsInput {
  /** Its jobs are kept under its id as their provider. */
  readonly engine: Pick<BuiltinEngine, 'id' | 'jobs'>
  readonly store: Store
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly log: { warn(fields: object, message: string): void }
}

/**
 * Keeps the built-in engine's video jobs in the store: hands back what an earlier process left undone, and removes the
 * files of jobs that are gone, failed or expired. Disposing ends the sweeping; the jobs end with their engine.
 */
export async function openBuiltInJobs(input: BuiltInJobsInput): Promise<VideoWorker & Disposable> {
  const { engine, store, now, log } = input
  const { jobs } = engine
  /** Jobs whose files may be there before they are in the store. */
  const making = new Set<string>()
  const sweeping = async () => {
    for (const id of await jobs.ids()) if (!making.has(id)) await sweepOne(id, input)
  }
  const sweeper = setInterval(() => {
    sweeping().catch((error: unknown) =>
      log.warn({ error: String(error) }, 'Old videos could not be removed'),
    )
  }, sweepMs)
  sweeper.unref()
  await sweeping()
  for (const job of await store.unfinishedVideoJobs(engine.id)) jobs.resume(keptJob(job))

  async function keep(kept: KeptJob, { model }: VideoRequest): Promise<VideoJob> {
    const { state, ...rest } = kept
    const createdAt = Math.floor(now() / 1000)
    const job = { ...rest, model, provider: engine.id, request: state, createdAt }
    await store.addVideoJob(job)
    jobs.resume(kept)
    return job
  }

  return {
    owns: ({ provider }) => provider === engine.id,
    async create(request) {
      const kept = await jobs.create(request)
      making.add(kept.id)
      try {
        return await keep(kept, request)
      } finally {
        making.delete(kept.id)
      }
    },
    cancel: (id) => jobs.cancel(id),
    file: (id) => jobs.file(id),
    thumbnail: (id) => jobs.thumbnail(id),
    [Symbol.dispose]: () => clearInterval(sweeper),
  }
}

/** Writes down a change of a job; false where it is gone or over. */
export function keepChange(store: Store, id: string, change: JobChange): Promise<boolean> {
  const { state, file, ...rest } = change
  return store.updateVideoJob(id, {
    ...rest,
    ...(state !== undefined && { request: state }),
    ...(file !== undefined && { contentFile: file }),
  })
}

async function sweepOne(id: string, { engine, store, now }: BuiltInJobsInput): Promise<void> {
  const job = await store.findVideoJob(id)
  const isOpen = job?.status === 'queued' || job?.status === 'in_progress'
  const isGood = job?.status === 'completed' && (job.expiresAt ?? 0) > Math.floor(now() / 1000)
  if (isGood) engine.jobs.resume(keptJob(job))
  else if (!isOpen) await engine.jobs.cancel(id)
}

function keptJob({
  id,
  keyId,
  status,
  progress,
  prompt,
  seconds,
  size,
  ...job
}: VideoJob): KeptJob {
  const { request, expiresAt } = job
  const kept = { id, keyId, status, progress, prompt, seconds, size, state: request }
  return expiresAt === undefined ? kept : { ...kept, expiresAt }
}
