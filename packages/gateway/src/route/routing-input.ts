import type { Engine, EngineCard, RoutedEngine } from '@sluice/engine'
import type { Settings } from '../settings/settings.ts'
import type { TargetPrices } from '../prices/target-price.ts'
import type { ModelLists } from './model-lists.ts'
import type { KnownProviders, Upstream } from './routing.ts'

/** The inputs of the routing. */
export interface RoutingInput {
  readonly config: Settings
  readonly upstreams: ReadonlyMap<string, Upstream>
  /** The built-in engine; without operations if routes are only inspected. */
  readonly engine: EngineCard & { readonly operations?: Engine }
  /** Providers served in this process by AI SDK packages. */
  readonly packages: ReadonlyMap<string, () => Promise<RoutedEngine>>
  readonly lists: ModelLists
  readonly prices: TargetPrices
  /**
   * Whether an earlier configuration of this process had providers; the aliases of the built-in engine then stay off.
   * Default false.
   */
  readonly hadProviders?: boolean
  readonly known: KnownProviders
}
