import type { ApiKey, Limiter, OperationName, Store, VideoJob } from '@sluice/contract'
import type { Engine, EngineContext } from '@sluice/engine'
import type { ClientFormat } from '@sluice/protocols'
import type { Health } from './health.ts'
import type { Routing } from './routing.ts'
import type { Send } from './send.ts'

/** What a running gateway is made of. cli/serve.ts builds one; tests build others. */
export interface Gateway {
  readonly store: Store
  readonly limiter: Limiter
  /** The virtual keys; a look-up never waits. */
  readonly keys: { find(secret: string): ApiKey | undefined }
  /** Models and routes as configured now. Taken once per call, so that a change never splits one. */
  readonly routing: () => Routing
  /** What has been seen of each target: failures, speed, refused keys. */
  readonly health: Health
  readonly send: Send
  readonly engine: Engine
  readonly engineContext: Pick<EngineContext, 'workers' | 'publish'> & {
    readonly fetchMedia: FetchMedia
  }
  readonly videos: VideoWorker
  /** Pictures kept for a while under ids nobody can guess. */
  readonly images: {
    find(id: string): { readonly bytes: Uint8Array; readonly contentType: string } | undefined
  }
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly newId: (prefix: string) => string
  /** From 0 up to 1. */
  readonly random: () => number
  readonly log: Log
}

/** As EngineContext.fetchMedia, with the call's signal. */
export type FetchMedia = (
  url: string,
  options: { readonly bytesMax: number; readonly param: string; readonly signal: AbortSignal },
) => Promise<{ readonly bytes: Uint8Array; readonly contentType: string | undefined }>

/** Runs the built-in engine's video jobs, which go on after their call and after a restart. */
export interface VideoWorker {
  /** Keeps a queued job and starts it. Throws `invalid_request` for a size or length that cannot be made. */
  create(request: VideoRequest): Promise<VideoJob>
  /** Stops a job that was deleted and removes its clip. */
  cancel(id: string): Promise<void>
  /** Absolute path of a finished clip; undefined when it has expired. */
  file(id: string): string | undefined
  /** A still of a finished clip, as WebP. */
  thumbnail(id: string): Promise<Uint8Array | undefined>
}

export interface VideoRequest {
  readonly keyId: string
  /** The name to answer under. */
  readonly model: string
  readonly prompt: string
  readonly seconds: string
  readonly size: string
  /** The picture to begin from. */
  readonly image?: Uint8Array
}

export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** One call after its key, body and schema were checked. */
export interface Call {
  /** The request id, also the call id of its usage records. */
  readonly id: string
  readonly key: ApiKey
  readonly operation: OperationName
  /** Absent: the canonical format. */
  readonly format?: ClientFormat
  /** The validated request in the client's own format, path parameters included. */
  readonly request: Readonly<Record<string, unknown>>
  /** The JSON body as it came, where there was one. */
  readonly raw?: Uint8Array
  /** Lower-case names, credentials left out. */
  readonly headers: Readonly<Record<string, string>>
  /** The query without credentials and without its question mark. */
  readonly query: string
  /** The upstream's id of the job the operation reads. */
  readonly jobId?: string
  /** Where the caller reaches the gateway, without a trailing slash: for links in answers. */
  readonly publicAddress: string
  /** Whether the caller wants a stream. */
  readonly stream: boolean
  /**
   * Aborts when the caller goes away. It reaches every upstream socket of the call: nothing else can wake a wait for a
   * silent upstream.
   */
  readonly signal: AbortSignal
  /** Filled as the call goes on, and shown in the answer's headers even when it fails. */
  readonly trail: Trail
}

/** What a call has been through. */
export interface Trail {
  attempts: number
  provider: string | undefined
  model: string | undefined
  /** Paths of fields that were left out of the upstream request. */
  readonly dropped: Set<string>
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  upstreamMs: number | undefined
}

export function openTrail(startedAt: number): Trail {
  return {
    attempts: 0,
    provider: undefined,
    model: undefined,
    dropped: new Set(),
    startedAt,
    upstreamMs: undefined,
  }
}

/** What goes back to the caller; http/ is the only reader. Headers name the provider, the target and the attempts. */
export type Answer = { readonly headers: Readonly<Record<string, string>> } & (
  | { readonly kind: 'json'; readonly body: unknown }
  | { readonly kind: 'bytes'; readonly contentType: string; readonly bytes: Uint8Array }
  | {
      readonly kind: 'stream'
      readonly contentType: string
      readonly length?: number
      /** Pieces as they leave. Never throws after its first piece: a failure is said in the format's own words. */
      readonly pieces: AsyncIterable<string | Uint8Array>
    }
)
