import type { VideoJob } from '@sluice/contract'
import type { SignInAttempts } from '../accounts/sign-in-attempts.ts'
import type { OidcClient } from '../accounts/oidc-client.ts'
import type { Sessions } from '../accounts/sessions.ts'
import type {
  BuiltinEngine,
  EngineContext,
  EngineJobs,
  VideoRequest as EngineVideoRequest,
} from '@sluice/engine'
import type { Settings } from '../settings/settings.ts'
import type { ApiKey, Caller } from '../ports/api-key.ts'
import type { SlotQueue } from '../ports/slot-queue.ts'
import type { Claim, Limiter } from '../ports/limiter.ts'
import type { Store } from '../ports/store.ts'
import type { Fetching } from './call/named-files.ts'
import type { Send } from './call/send.ts'
import type { CallEnd } from './call/call.ts'
import type { KeptLimits, KeptRoom } from './stored/kept-room.ts'
import type { Published } from './stored/published.ts'
import type { LearnedSizes } from './admit/call-size.ts'
import type { LiveCalls } from './observe/live-calls.ts'
import type { Health } from './route/health.ts'
import type { LearnedMaxima } from './route/learned-maxima.ts'
import type { Routing } from './route/routing.ts'
import type { SettingsFile } from './settings-file.ts'
import type { ContentLog } from './content.ts'
import type { Concealer } from './call/concealer.ts'
import type { Metrics, Telemetry } from './telemetry.ts'

/** The parts of a running gateway. cli/serve.ts builds it; tests build their own. */
export interface Gateway {
  readonly store: Store
  readonly limiter: Limiter
  /** The slots that all requests share. */
  readonly slots: SlotQueue
  /** The concurrency slots of a provider or target that takes a limited number of calls at a time, by name. */
  readonly upstreamSlots: (name: string) => SlotQueue
  readonly learnedSizes: LearnedSizes
  readonly learnedMaxima: LearnedMaxima
  /** Watches the remaining amounts of budgets that calls have used. */
  readonly budgetWatch: { touch(claims: readonly Claim[], refused?: number): void }
  /** The virtual keys, in memory. */
  readonly keys: CallerKeys
  /** Callers with a token of an OIDC issuer; a promise if the token's signature has not been verified yet. */
  readonly tokens: { find(token: string): Caller | undefined | Promise<Caller | undefined> }
  /** The console sessions. */
  readonly sessions: Sessions
  /** The OIDC client for console sign-in; used only if an issuer is configured. */
  readonly oidc: OidcClient
  /** Sign-in attempts by client address. */
  readonly signInAttempts: SignInAttempts
  /**
   * Models and routes as currently configured. Read once per call, so that a configuration change never affects a
   * running call.
   */
  readonly routing: () => Routing
  readonly settings: {
    readonly config: () => Settings
    readonly file: SettingsFile
  }
  /** Observations per target: failures, latency, refused keys. */
  readonly health: Health
  readonly send: Send
  /** Subscribers that watch calls in progress. */
  readonly live: LiveCalls
  /** Masks configured secrets in upstream messages. */
  readonly concealer: Concealer
  readonly engine: BuiltinEngine
  readonly engineContext: Pick<EngineContext, 'publish'> & Fetching
  readonly videos: VideoWorker
  /** Images that responses link to. */
  readonly published: Published
  readonly keptLimits: () => KeptLimits
  readonly keptRoom: KeptRoom
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly newId: (prefix: string) => string
  /** From 0 up to 1. */
  readonly random: () => number
  readonly log: Log
  /** Called once per request when everything about it is over. */
  readonly ended: (end: CallEnd) => void
  /** Stored prompts and responses. */
  readonly contents: ContentLog
  /** Absent if telemetry is off. */
  readonly telemetry?: Telemetry
  /** Serves `GET /metrics`; absent if metrics are off or served on another address. */
  readonly metrics?: Metrics
}

export interface CallerKeys {
  find(secret: string): Caller | undefined
  /** Looks in the store for a secret that `find` does not know; undefined if it is not looked for. */
  lookUp(secret: string, address: string): Promise<Caller | undefined> | undefined
  isValid(key: Caller): boolean
  /** Calls `changed` whenever the result of `isValid` may have changed. */
  watch(changed: () => void): Disposable
  /** Whether the configuration contains a key with the owner role. */
  hasFixedOwner(): boolean
  /** The keys from the configuration, which are not in the store. */
  fixed(): readonly ApiKey[]
  /** Loads a change from the store at once instead of within a second. */
  reload(): Promise<void>
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

export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
