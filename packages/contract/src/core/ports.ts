import type { UsageRecord } from './usage.ts'

/** A virtual key as kept: never the secret itself, only its SHA-256 hash. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  /** Lower-case hexadecimal SHA-256 of the secret (without a leading `sk-`). */
  readonly hash: string
  readonly role: 'caller' | 'administrator'
  /** First characters of the secret, to recognise it by in a list. */
  readonly prefix: string
  /** Requests per minute; absent means the configured default. */
  readonly requestsPerMinute?: number
  /** Model names or `provider/*` patterns the key may use; absent means all. */
  readonly models?: readonly string[]
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly expiresAt?: number
  readonly revokedAt?: number
}

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
  /** File name of the finished clip below the data folder, where it is kept here. */
  readonly contentFile?: string
  /** Seconds since the epoch. */
  readonly createdAt: number
  readonly completedAt?: number
  readonly expiresAt?: number
  readonly remixedFromVideoId?: string
}

/** A stored response of POST /v1/responses. */
export interface StoredResponse {
  readonly id: string
  readonly keyId: string
  /** Seconds since the epoch. */
  readonly createdAt: number
  readonly previousResponseId?: string
  /** Set where an upstream that speaks this format made it and knows its id. */
  readonly provider?: string
  /** The Response object, as JSON. */
  readonly response: string
  /** The input items of this response alone, as a JSON array. */
  readonly input: string
}

/** Newest first unless `ascending`; `after` is the id of the last item of the page before. */
export interface Page {
  readonly limit: number
  readonly after?: string
  readonly ascending?: boolean
}

/**
 * Everything the gateway keeps. One implementation per database; test/contract/store.ts says what each method means.
 * Keys are few and are read whole at start and after a change, so no call waits for the disk to be authenticated.
 */
export interface Store extends AsyncDisposable {
  /** All keys that were ever made and not removed, revoked and expired ones too; oldest first. */
  listKeys(): Promise<readonly ApiKey[]>
  /** Rejects with `conflict` when the id or the hash is known already. */
  addKey(key: ApiKey): Promise<void>
  /** Returns false when there is no such key or it is revoked already. */
  revokeKey(id: string, at: number): Promise<boolean>
  /** A text that differs after anyone, in this process or another, changed a key. Cheap: asked every second. */
  keysVersion(): Promise<string>

  addVideoJob(job: VideoJob): Promise<void>
  findVideoJob(id: string): Promise<VideoJob | undefined>
  listVideoJobs(keyId: string, page: Page): Promise<readonly VideoJob[]>
  /** Changes the given fields unless the job is in a terminal state; returns whether it changed. */
  updateVideoJob(id: string, change: Partial<Omit<VideoJob, 'id' | 'keyId'>>): Promise<boolean>
  deleteVideoJob(id: string): Promise<boolean>
  /** Jobs of this provider that are neither completed nor failed, oldest first: what a restart finds undone. */
  unfinishedVideoJobs(provider: string): Promise<readonly VideoJob[]>

  addResponse(response: StoredResponse): Promise<void>
  findResponse(id: string): Promise<StoredResponse | undefined>
  deleteResponse(id: string): Promise<boolean>

  /** Appends; may be written a little later, in one transaction with others, but never lost by a regular stop. */
  recordUsage(record: UsageRecord): void
  /** Waits until all that was recorded is on disk. */
  flush(): Promise<void>
  listUsage(page: { readonly limit: number }): Promise<readonly UsageRecord[]>
}

/** Token buckets of requests: one process keeps them in memory. */
export interface Limiter extends AsyncDisposable {
  /** Takes one request from the bucket, which refills to `perMinute` over a minute. */
  take(bucket: string, perMinute: number): LimiterAnswer
}

export interface LimiterAnswer {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Milliseconds until the bucket is full again. */
  readonly resetMs: number
  /** Milliseconds until one request is allowed; 0 when it was. */
  readonly retryAfterMs: number
}
