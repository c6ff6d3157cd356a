export type JobStatus = 'queued' | 'in_progress' | 'completed' | 'failed'

/** A video job. Final states never change. */
export interface VideoJob {
  readonly id: string
  readonly keyId: string
  readonly provider: string
  /** The public model name, as the caller wrote it. */
  readonly model: string
  /** The upstream's own id; absent if the built-in engine does the work. */
  readonly upstreamId?: string
  readonly status: JobStatus
  /** 0 to 100; 0 if queued, 100 if completed. */
  readonly progress: number
  readonly prompt: string
  readonly seconds: string
  readonly size: string
  /** The request as JSON, from which a restarted process can begin the work again. */
  readonly request: string
  readonly error?: { readonly code: string; readonly message: string }
  /**
   * File name of the finished video under the data folder, if it was made by a program from before version 13 of the database.
   */
  readonly contentFile?: string
  /** In seconds since the epoch. */
  readonly createdAt: number
  readonly completedAt?: number
  readonly expiresAt?: number
  readonly remixedFromVideoId?: string
  /** Total size of its files in this gateway, until it expires. */
  readonly bytes?: number
}

/** Newest first unless `ascending`. `after` is the id of the last item of the page before. */
export interface Page {
  readonly limit: number
  readonly after?: string
  readonly ascending?: boolean
}

/** The part of the gateway's store (packages/gateway/src/ports/store.ts) that the built-in engine needs: its video jobs. */
export interface Store extends AsyncDisposable {
  /** Rejects with `conflict` if the id already exists. */
  addVideoJob(job: VideoJob): Promise<void>
  findVideoJob(id: string): Promise<VideoJob | undefined>
  listVideoJobs(keyId: string, page: Page): Promise<readonly VideoJob[]>
  /** Changes the given fields unless the job is in a final state. Returns whether it was changed. */
  updateVideoJob(id: string, change: Partial<Omit<VideoJob, 'id' | 'keyId'>>): Promise<boolean>
  /** Including its files. */
  deleteVideoJob(id: string): Promise<boolean>
}
