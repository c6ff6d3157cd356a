import type { VideoJob } from '@sluice/contract'
import type { SignInAttempts } from '../accounts/attempts.ts'
import type { OidcClient } from '../accounts/oidc-client.ts'
import type { Sessions } from '../accounts/sessions.ts'
import type {
  BuiltinEngine,
  EngineContext,
  EngineJobs,
  VideoRequest as EngineVideoRequest,
} from '@sluice/engine'
import type { Config } from '../config/config.ts'
import type { ApiKey, Caller } from '../ports/api-key.ts'
import type { Entrance } from '../ports/entrance.ts'
import type { Claim, Limiter } from '../ports/limiter.ts'
import type { Store } from '../ports/store.ts'
import type { Fetching } from './attempt/named-files.ts'
import type { Send } from './attempt/send.ts'
import type { CallEnd } from './call.ts'
import type { KeptLimits, KeptRoom } from './kept/kept-room.ts'
import type { Published } from './kept/published.ts'
import type { LearnedSizes } from './limits/call-size.ts'
import type { LiveCalls } from './live-calls.ts'
import type { Health } from './route/health.ts'
import type { Routing } from './route/routing.ts'
import type { ContentLog } from './content.ts'
import type { Concealer } from './run/concealer.ts'
import type { Metrics, Telemetry } from './telemetry.ts'

/** What a running gateway is made of. cli/serve.ts builds one; tests build others. */
export interface Gateway {
  readonly store: Store
  readonly limiter: Limiter
  readonly entrance: Entrance
  /** The places of a provider or a target that takes only so many calls at a time, by their name. */
  readonly upstreamPlaces: (name: string) => Entrance
  readonly learnedSizes: LearnedSizes
  /** Looks at budgets that calls have used. */
  readonly budgetWatch: { touch(claims: readonly Claim[], refused?: number): void }
  /** The virtual keys; a look-up never waits. */
  readonly keys: CallerKeys
  /** Callers with a token of an issuer; a promise where its signature was not seen yet. */
  readonly tokens: { find(token: string): Caller | undefined | Promise<Caller | undefined> }
  /** Who is signed in at the console. */
  readonly sessions: Sessions
  /** The issuer that people sign in at; it is asked only where one is set. */
  readonly oidc: OidcClient
  /** Who tries to sign in, by address. */
  readonly signInAttempts: SignInAttempts
  /** Models and routes as configured now. Taken once per call, so that a change never splits one. */
  readonly routing: () => Routing
  /** What is configured, as administrators look at it and change it. */
  readonly settings: {
    readonly config: () => Config
    /** Takes up other settings, as a change of the file does. */
    readonly configure: (next: Config) => Promise<void>
    /** The names and routes that other settings would come to; nothing is changed. */
    readonly routingOf: (next: Config) => Promise<Routing>
  }
  /** What has been seen of each target: failures, speed, refused keys. */
  readonly health: Health
  readonly send: Send
  /** Who looks on while calls are made. */
  readonly live: LiveCalls
  /** Takes what is configured out of what upstreams say. */
  readonly concealer: Concealer
  readonly engine: BuiltinEngine
  readonly engineContext: Pick<EngineContext, 'publish'> & Fetching
  readonly videos: VideoWorker
  /** Pictures that answers point at. */
  readonly published: Published
  readonly keptLimits: () => KeptLimits
  readonly keptRoom: KeptRoom
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly newId: (prefix: string) => string
  /** From 0 up to 1. */
  readonly random: () => number
  readonly log: Log
  /** Told once of every request when all of it is over. */
  readonly ended: (end: CallEnd) => void
  /** What was asked and answered, of those who have it kept. */
  readonly contents: ContentLog
  /** Absent where nobody measures and traces. */
  readonly telemetry?: Telemetry
  /** What `GET /metrics` answers; absent where it is off or answered at an address of its own. */
  readonly metrics?: Metrics
}

export interface CallerKeys {
  find(secret: string): Caller | undefined
  isValid(key: Caller): boolean
  /** Calls `changed` when that may have become otherwise. */
  watch(changed: () => void): Disposable
  /** Whether an owner's key stands in the settings. */
  hasFixedOwner(): boolean
  /** The keys of the settings, which are not in the store. */
  fixed(): readonly ApiKey[]
  /** Takes a change that is in the store at once, and not within a second. */
  reload(): Promise<void>
}

/** Runs the built-in engine's video jobs, which go on after their call and after a restart. */
export interface VideoWorker extends Pick<EngineJobs, 'cancel'> {
  /** Whether a kept job is the engine's, and not an upstream's. */
  owns(job: VideoJob): boolean
  /**
   * Keeps a queued job, which comes into the place that was taken for it, and starts it. Throws `invalid_request` for a
   * size or length that cannot be made.
   */
  create(request: VideoRequest, placeId?: string): Promise<VideoJob>
  /** The clip of a finished job, in MP4; undefined where it has expired. */
  clip(job: VideoJob): Promise<Uint8Array | undefined>
  /** A still of it, in WebP. */
  thumbnail(job: VideoJob): Promise<Uint8Array | undefined>
}

export interface VideoRequest extends EngineVideoRequest {
  /** The name to answer under. */
  readonly model: string
}

export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
