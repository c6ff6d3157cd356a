import type { Engine, EngineCard } from '@sluice/engine'
import type { Config } from '../../config/config.ts'
import type { TargetPrices } from '../../prices/target-price.ts'
import type { ModelLists } from './model-lists.ts'
import type { KnownProviders, Upstream } from './routing.ts'

/** What names and routes are made of. */
export interface RoutingInput {
  readonly config: Config
  readonly upstreams: ReadonlyMap<string, Upstream>
  /** The built-in engine; without operations where routes are only looked at. */
  readonly engine: EngineCard & { readonly operations?: Engine }
  /** Providers answered by packages of the AI SDK, in this process. */
  readonly packages: ReadonlyMap<string, () => Promise<Engine>>
  readonly lists: ModelLists
  readonly prices: TargetPrices
  /** An earlier configuration of this process had providers: well-known names are theirs for good. Default false. */
  readonly hadProviders?: boolean
  readonly known: KnownProviders
}
