import type { DefaultParameters, OperationName } from '@sluice/contract'
import type { RoutedEngine } from '@sluice/engine'
import type { UnsupportedMode } from '../settings/unsupported-mode.ts'
import type { Caller } from '../ports/api-key.ts'
import type { RateClaim } from '../ports/limiter.ts'
import type { SlotLimits } from '../ports/slot-queue.ts'
import type { TargetPrice } from '../prices/target-price.ts'
import type { Provider, ProviderAddress, ProviderSettings } from '../providers/provider.ts'
import type { Timeouts } from './timeouts.ts'
import type { Dialing } from '../call/send.ts'
import type { BreakerOptions } from './breaker.ts'

/** A configured provider: its address, keys and known models. */
export interface Upstream extends ProviderAddress {
  readonly id: string
  /** Never empty: a local server without a key has one empty secret. */
  readonly secrets: readonly string[]
  readonly settings: ProviderSettings
  /**
   * True if it is not in the configuration: its key was found in an environment variable that other programs use too.
   */
  readonly ambient: boolean
  /** Models from the configuration; absent means those the provider lists. */
  readonly models: readonly UpstreamModel[] | undefined
  readonly timeouts: Partial<Timeouts>
  /** How connections to it are made, where its settings say so. */
  readonly dialing?: Dialing
  /** For its credentials: asks other servers over connections that are made in the same way. */
  readonly fetch: typeof globalThis.fetch
  /** Whether limited keys, too, may send fields by which the provider chooses a model or a price. */
  readonly allowsRouting: boolean
  /** Whether callers may reference objects at the upstream by ids they have from elsewhere. */
  readonly sharesIds: boolean
}

export interface UpstreamModel {
  readonly id: string
  /** The upstream's own name; defaults to the id. */
  readonly upstream?: string
  /** A name that tells its family, whose rules then hold for it. */
  readonly family?: string
  /** The name under which its price is looked up, if neither of the others is. */
  readonly pricedAs?: string
  readonly inputTokenLimit?: number
  readonly outputTokenLimit?: number
  readonly displayName?: string
  readonly description?: string
  readonly operations?: readonly OperationName[]
}

/** The concurrency limit of a target (`provider/model`), a provider or a target of one route. */
export interface TargetSlots extends SlotLimits {
  readonly name: string
}

/** A limit per minute of a target in its route. */
export type TargetRate = Pick<RateClaim, 'bucket' | 'unit' | 'limit'>

/** A provider's model that can answer a call. `id` is `provider/model`. */
export type Target = {
  readonly id: string
  readonly providerId: string
  /** The upstream's own name for the model. */
  readonly model: string
  /** The name by which the rules of the model's family are found. */
  readonly family: string
  readonly weight: number
  /** Lower values come first. */
  readonly priority: number
  readonly timeouts: Timeouts
  readonly price: TargetPrice
  /**
   * The most tokens that it writes in one response: as configured, as the upstream lists it, or as it is known of the model.
   * Undefined if it is unknown.
   */
  readonly outputTokensMax?: () => number | undefined
  /** The most tokens that it reads, as configured or as the upstream lists it; undefined if it is unknown. */
  readonly inputTokensMax?: () => number | undefined
  /** The policy for fields it cannot express, unless the call or the route sets one. */
  readonly unsupported: UnsupportedMode
  /** The concurrency limits that apply: its route's, its own and its provider's. Usually empty. */
  readonly slots: readonly TargetSlots[]
  /** The limits per minute that its route sets. Usually empty. */
  readonly rates: readonly TargetRate[]
  /** The name under which its calls are counted; absent if no route chooses by that. */
  readonly countedAs?: string
  /** Whether a try has to take room first: a slot, a part of a rate or a place among the calls that are counted. */
  readonly takesRoom: boolean
  /** What happens when it is full and another target is left: `next` tries that one. */
  readonly whenFull: 'wait' | 'next'
  /** The configuration line or rule that added it, for explain. */
  readonly because: string
} & (
  | { readonly kind: 'upstream'; readonly upstream: Upstream }
  | { readonly kind: 'engine'; readonly engine: () => Promise<RoutedEngine> }
)

export type UpstreamTarget = Extract<Target, { kind: 'upstream' }>
export type EngineTarget = Extract<Target, { kind: 'engine' }>

/** A model for longer prompts, by the name that a key has to be allowed. */
export interface LongerModel {
  readonly name: string
  readonly levels: readonly (readonly Target[])[]
}

/** A prompt that does not fit some of a route's targets. */
export interface TooLong {
  /** The estimated size of the prompt. */
  readonly tokens: number
  readonly targets: readonly Target[]
}

/** The targets for one public model name. */
export interface Route {
  /** The public name, as the caller wrote it. */
  readonly model: string
  /** The model's own targets, then those of each fallback, in order. Never empty. */
  readonly levels: readonly (readonly Target[])[]
  readonly options: RouteOptions
  /** Where prompts go that do not fit the context of the targets, in order; absent if the route has no such models. */
  readonly longer?: readonly LongerModel[]
  /** Why targets are left out of the levels for this call, for explain; absent if none are. */
  readonly tooLong?: TooLong
  /** The model that serves because nothing knows the caller's; absent if that is known. */
  readonly defaultModel?: string
}

export interface RouteOptions {
  /** Maximum tries per target, including the first. */
  readonly attempts: number
  readonly baseMs: number
  /** Maximum wait before a retry, in milliseconds. If an upstream asks for more, the next target is tried. */
  readonly maxMs: number
  /** The policy for fields a target cannot express; absent means the target's own. */
  readonly unsupported?: UnsupportedMode
  readonly hedge: {
    readonly enabled: boolean
    readonly delayMs?: number
    readonly percentile: number
  }
  readonly sticky: boolean
  readonly strategy: 'weighted' | 'latency' | 'least-busy' | 'least-used'
  readonly breaker: BreakerOptions
  /** Parameters for requests that do not give them; absent if there are none. */
  readonly defaults?: DefaultParameters
}

/** A model as the model lists show it. */
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
  /** When its provider retires it (YYYY-MM-DD, UTC), if that is known. May be past. */
  readonly retiresOn?: string
}

/** Providers that are enabled or could be. */
export interface KnownProviders {
  readonly ids: readonly string[]
  /** The catalogue entry; undefined for an unknown name. */
  readonly find: (id: string) => Provider | undefined
  /** Why a provider is off and how to enable it; undefined if it is on or unknown. */
  readonly whyOff: (id: string) => string | undefined
}

/** Names and routes of one configuration. */
export interface Routing {
  /**
   * The route of a public model name. Throws `model_not_found`, or `forbidden` if the key may not use it. May ask
   * providers for their model lists if the name is unknown.
   */
  route(model: string, key: Caller, operation: OperationName): Route | Promise<Route>
  /** The models this key may use, with `named` also if it is an alias that is not listed. Asks providers whose lists are unknown, for a few seconds at most. */
  list(key: Caller, named?: string): Promise<readonly ListedModel[]>
  /** The models that a provider or its settings list; undefined if it could not be asked. Asks for a few seconds at most. */
  listedBy(upstream: Upstream): Promise<readonly UpstreamModel[] | undefined>
  /** The price of a provider's model, by the provider's own name for it. */
  priceOf(provider: string, model: string): TargetPrice
  /** The model names of the built-in engine, for the start message. */
  readonly builtinModels: readonly string[]
  readonly upstreams: ReadonlyMap<string, Upstream>
  readonly known: KnownProviders
  /** Whether a provider other than the built-in engine is configured, or was before in this process. */
  readonly hasProviders: boolean
  /** The model for requests that name none; absent if there is none. */
  readonly defaultModel?: string
}
