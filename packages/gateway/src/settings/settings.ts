import type { AliasTable } from './alias-table.ts'
import type { ProxyVariables } from './proxy-variables.ts'
import type { ConsoleConfig } from './schema-console.ts'
import type { PriceConfig } from './schema-prices.ts'
import type { ProviderConfig } from './schema-provider.ts'
import type { RouteConfig, RouteOptions } from './schema-routes.ts'
import type { LimitsConfig, ServerConfig } from './schema-server.ts'
import type { UnsupportedMode } from './unsupported-mode.ts'

/** The environment variables at startup. Empty variables count as absent, as shells and compose files often set them. */
export type Variables = Readonly<Record<string, string | undefined>>

/** A part of sluice.yaml, described there, in which all settings have a default except those without one. */
type WithDefaults<Part, Without extends keyof Part> = Readonly<Pick<Part, Without>> & {
  readonly [Name in Exclude<keyof Part, Without>]-?: Readonly<Required<NonNullable<Part[Name]>>>
}

/** The names of settings that administrators added while the gateway runs. */
export interface StoredNames {
  readonly providers: readonly string[]
  readonly models: readonly string[]
  /** Providers that are off because none of the encryption keys here opens them. */
  readonly locked: readonly string[]
}

/** Nothing but what sluice.yaml and the environment declare. */
export const noStored: StoredNames = { providers: [], models: [], locked: [] }

/** The settings that calls, accounts and the HTTP server work by. The environment overrides sluice.yaml, which overrides the defaults. */
export interface Settings {
  /** `publicUrl` is without a trailing slash; absent, it is the address that a request came to. */
  readonly server: WithDefaults<ServerConfig, 'publicUrl' | 'trustedProxies'>
  readonly limits: WithDefaults<
    LimitsConfig,
    | 'requestsPerMinute'
    | 'tokensPerMinute'
    | 'concurrentRequestsPerKey'
    | 'concurrentRequests'
    | 'timeZone'
    | 'unknownPrices'
    | 'output'
    | 'inputBound'
    | 'budgetedOutputTokens'
    | 'budgetedOutputTokensMin'
  >
  readonly builtin: { readonly enabled: 'auto' | 'always' | 'never' } & AliasTable
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
  /** For requests that name no model, or one that nothing knows; absent if those are refused. */
  readonly defaultModel?: string
  /** Keyed by `provider/model`, which may end in `*`. */
  readonly prices: Readonly<Record<string, PriceConfig>>
  readonly defaults: RouteOptions
  /** The policy for fields a target cannot express, unless a more specific setting applies. */
  readonly unsupported: UnsupportedMode
  readonly console: ConsoleConfig
  /** What is kept in the database and not declared in sluice.yaml or the environment. */
  readonly stored: StoredNames
  /** The environment variables, in which providers look for their keys. */
  readonly variables: Variables
}
