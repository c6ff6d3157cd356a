import type { ProxyVariables } from './proxy-variables.ts'
import type { ConsoleConfig } from './schema-console.ts'
import type { PriceConfig } from './schema-prices.ts'
import type { ProviderConfig } from './schema-provider.ts'
import type { RouteConfig, RouteOptions } from './schema-routes.ts'
import type { LimitsConfig } from './schema-server.ts'
import type { UnsupportedMode } from './unsupported-mode.ts'

/** The environment variables at startup. Empty variables count as absent, as shells and compose files often set them. */
export type Variables = Readonly<Record<string, string | undefined>>

/** The settings that calls, accounts and the HTTP server work by. The environment overrides sluice.yaml, which overrides the defaults. */
export interface Settings {
  readonly server: {
    readonly host: string
    /** 0 selects a free port. */
    readonly port: number
    /** Without a trailing slash; absent means the address a request came to. */
    readonly publicUrl?: string
    /** Addresses and blocks of proxies whose `x-forwarded-for` is trusted. */
    readonly trustedProxies?: readonly string[]
    readonly bodyLimitBytes: number
    readonly inflatedLimitBytes: number
    readonly bodyLimitValues: number
    readonly requestTimeoutMs: number
    /** How long open requests may continue after the stop signal. */
    readonly stopTimeoutMs: number
    readonly workerTimeoutMs: number
    /** How long new requests are accepted after the stop signal, while readiness fails. */
    readonly drainMs: number
    /** Number of processes that serve the port. */
    readonly workers: number | 'auto'
    readonly allowPrivateMedia: boolean
  }
  readonly limits: {
    readonly requestsPerMinute?: number
    readonly tokensPerMinute?: number
    readonly concurrentRequestsPerKey?: number
    /** Of calendar budgets without one of their own; absent means UTC. */
    readonly timeZone?: string
    readonly unknownPrices?: 'refuse' | 'allow'
    readonly output?: NonNullable<LimitsConfig['output']>
    readonly inputBound?: NonNullable<LimitsConfig['inputBound']>
    readonly budgetedOutputTokens?: number
    readonly budgetedOutputTokensMin?: number
    /** Assumed token counts for what cannot be counted before the upstream reports usage. */
    readonly estimates: Required<NonNullable<LimitsConfig['estimates']>>
    readonly concurrentRequests?: number
    /** How many requests may wait for a concurrency slot, and how long. */
    readonly waitingRequests: number
    readonly waitMs: number
    /** Of all keys together. */
    readonly heldBytes: number
    readonly heldBytesPerKey: number
    /** Limits on the files one request may reference. */
    readonly namedFiles: { readonly count: number; readonly bytes: number }
    /** Storage limits per key; the oldest responses beyond them are removed. */
    readonly keptResponses: { readonly count: number; readonly bytes: number }
    /** Storage limits per key; only finished videos are removed. */
    readonly keptVideos: { readonly count: number; readonly bytes: number }
  }
  readonly builtin: {
    readonly enabled: 'auto' | 'always' | 'never'
    readonly aliases: Readonly<Record<string, string>>
  }
  /** Where keys, usage, video jobs and responses are stored. Without `url`: a SQLite file in the data folder. */
  readonly storage: { readonly url?: string }
  /** With certificates and their keys in PEM. */
  readonly providers: Readonly<Record<string, ProviderConfig>>
  /** The forward proxies of the environment. */
  readonly proxies: ProxyVariables
  readonly media: {
    /** Whether a forward proxy may resolve the hosts of files, which are not checked then. Default false. */
    readonly proxyResolves?: boolean
  }
  readonly models: Readonly<Record<string, string | RouteConfig>>
  /** Keyed by `provider/model`, which may end in `*`. */
  readonly prices: Readonly<Record<string, PriceConfig>>
  readonly defaults: RouteOptions
  /** The policy for fields a target cannot express, unless a more specific setting applies. */
  readonly unsupported: UnsupportedMode
  readonly console: ConsoleConfig
  /** The environment variables, in which providers look for their keys. */
  readonly variables: Variables
}
