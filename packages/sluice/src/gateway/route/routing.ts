import type { OperationName } from '@sluice/contract'
import type { Engine } from '@sluice/engine'
import type { UnsupportedMode } from '../../config/unsupported-mode.ts'
import type { Caller } from '../../ports/api-key.ts'
import type { EntranceBounds } from '../../ports/entrance.ts'
import type { TargetPrice } from '../../prices/target-price.ts'
import type { Provider, ProviderSettings } from '../../providers/provider.ts'
import type { Timeouts } from '../attempt/deadline.ts'
import type { BreakerOptions } from './breaker.ts'

/** A provider as configured: where it is, with which keys, and what is known of its models. */
export interface Upstream {
  readonly id: string
  readonly provider: Provider
  /** Without a trailing slash, settings filled in. */
  readonly baseUrl: string
  /** Whether the base URL is not the provider's own: then what is elsewhere with the provider is there too. */
  readonly isOtherBase: boolean
  /** The version that `baseUrl` ends in, such as `/v1/`; a path that begins with it does not say it again. */
  readonly version?: string
  /** Never empty: a local server without a key has the empty secret. */
  readonly secrets: readonly string[]
  readonly settings: ProviderSettings
  /** True where nobody configured it: its key was found in a variable that other programs use too. */
  readonly ambient: boolean
  /** Sent with every request, over the provider's own. */
  readonly headers: Readonly<Record<string, string>>
  /** Models configured by the user; absent means whatever the provider lists. */
  readonly models: readonly UpstreamModel[] | undefined
  readonly timeouts: Partial<Timeouts>
  /** Callers may name what is kept at the upstream by ids that they have from elsewhere. */
  readonly sharesIds: boolean
}

export interface UpstreamModel {
  readonly id: string
  /** The upstream's own name; default the id. */
  readonly upstream?: string
  readonly inputTokenLimit?: number
  readonly outputTokenLimit?: number
  readonly displayName?: string
  readonly description?: string
  readonly operations?: readonly OperationName[]
}

/** How many calls may be at the same time at a target (`provider/model`) or a provider of this name. */
export interface PlaceBounds extends EntranceBounds {
  readonly name: string
}

/** One place that can answer a call. `id` is `provider/model`. */
export type Target = {
  readonly id: string
  readonly providerId: string
  /** The upstream's own name for the model. */
  readonly model: string
  readonly weight: number
  /** Lower comes first. */
  readonly priority: number
  readonly timeouts: Timeouts
  readonly price: TargetPrice
  /** What happens to fields that it cannot express, where neither the call nor the route says. */
  readonly unsupported: UnsupportedMode
  /** Where only so many calls may be at the same time: at the model, and at its provider. Mostly empty. */
  readonly places: readonly PlaceBounds[]
  /** What happens while it is full and another target is left: `next` tries that one. */
  readonly whenFull: 'wait' | 'next'
  /** Why this target is there, for explain: the configuration line or rule it came from. */
  readonly because: string
} & (
  | { readonly kind: 'upstream'; readonly upstream: Upstream }
  | { readonly kind: 'engine'; readonly engine: () => Promise<Engine> }
)

/** Where the calls for one public model name go. */
export interface Route {
  /** The public name, as the caller wrote it. */
  readonly model: string
  /** Targets of the model itself, then those of each fallback, in order. Never empty. */
  readonly levels: readonly (readonly Target[])[]
  readonly options: RouteOptions
}

export interface RouteOptions {
  /** Tries at one target, the first included. */
  readonly attempts: number
  readonly baseMs: number
  /** The longest wait before a retry; an upstream that asks for more is left for the next target. */
  readonly maxMs: number
  /** What happens to fields that a target cannot express; absent: what the target says. */
  readonly unsupported?: UnsupportedMode
  readonly hedge: {
    readonly enabled: boolean
    readonly delayMs?: number
    readonly percentile: number
  }
  readonly sticky: boolean
  readonly strategy: 'weighted' | 'latency'
  readonly breaker: BreakerOptions
}

/** A model as the three model lists show it. */
export interface ListedModel {
  readonly id: string
  readonly ownedBy: string
  readonly displayName: string
  readonly description: string
  readonly inputTokenLimit: number | undefined
  readonly outputTokenLimit: number | undefined
  readonly operations: readonly OperationName[]
  /** Seconds since the epoch. */
  readonly created: number
}

/** Providers that are on or could be. */
export interface KnownProviders {
  readonly ids: readonly string[]
  /** As the catalogue has it; undefined for a name that is not there. */
  readonly find: (id: string) => Provider | undefined
  /** Why one is off and what turns it on; undefined for one that is on, and for a name of none. */
  readonly whyOff: (id: string) => string | undefined
}

/** Names and routes as configured at one moment. */
export interface Routing {
  /**
   * The route of a public model name. Throws `model_not_found`, or `forbidden` when the key may not use it.
   * May ask providers for their lists when the name is known to none yet.
   */
  route(model: string, key: Caller, operation: OperationName): Route | Promise<Route>
  /** What this key may use; asks providers that have not said yet, each within a few seconds. */
  list(key: Caller): Promise<readonly ListedModel[]>
  /** What a model of a provider costs, as the provider calls it. */
  priceOf(provider: string, model: string): TargetPrice
  /** The names that answer without any provider, for the start message. */
  readonly builtinModels: readonly string[]
  readonly upstreams: ReadonlyMap<string, Upstream>
  readonly known: KnownProviders
  /** Whether another provider than the built-in engine is configured, or was before in this process. */
  readonly hasProviders: boolean
}
