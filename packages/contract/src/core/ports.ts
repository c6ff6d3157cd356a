export type JobStatus = 'queued' | 'in_progress' | 'completed' | 'failed'

/** A video task. Terminal states never change. */
export interface VideoJob {
  readonly id: string
  readonly keyId: string
  readonly provider: string
  /** The public model name, as the caller wrote it. */
  readonly model: string
  /** The upstream's own id; absent where the built-in engine does the work. */
  readonly upstreamId?: string
  readonly status: JobStatus
  /** 0 to 100; 0 in queued, 100 in completed. */
  readonly progress: number
  readonly prompt: string
  readonly seconds: string
  readonly size: string
  /** The request as JSON, from which a restarted process can begin the work again. */
  readonly request: string
  readonly error?: { readonly code: string; readonly message: string }
  /** File name of the finished clip below the data folder, where a program of before version 13 of the database made it. */
  readonly contentFile?: string
  /** Seconds since the epoch. */
  readonly createdAt: number
  readonly completedAt?: number
  readonly expiresAt?: number
  readonly remixedFromVideoId?: string
  /** What its files take where this gateway keeps them, until it expires. */
  readonly bytes?: number
}

/** Newest first unless `ascending`; `after` is the id of the last item of the page before. */
export interface Page {
  readonly limit: number
  readonly after?: string
  readonly ascending?: boolean
}

/** What the built-in engine needs of the gateway's store, which is packages/sluice/src/ports/store.ts: its video tasks. */
export interface Store extends AsyncDisposable {
  /** Rejects with `conflict` when the id is known already. */
  addVideoJob(job: VideoJob): Promise<void>
  findVideoJob(id: string): Promise<VideoJob | undefined>
  listVideoJobs(keyId: string, page: Page): Promise<readonly VideoJob[]>
  /** Changes the given fields unless the job is in a terminal state; returns whether it changed. */
  updateVideoJob(id: string, change: Partial<Omit<VideoJob, 'id' | 'keyId'>>): Promise<boolean>
  /** With its files. */
  deleteVideoJob(id: string): Promise<boolean>
}
