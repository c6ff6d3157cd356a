import type { Config } from '../../config/config.ts'
import type { Engine } from '@sluice/engine'
import type { ModelLists } from './model-lists.ts'
import type { Upstream } from './routing.ts'

/** What names and routes are made of. */
export interface RoutingInput {
  readonly config: Pick<Config, 'models' | 'defaults' | 'builtin'>
  readonly upstreams: ReadonlyMap<string, Upstream>
  /** Providers answered by code in this process: `builtin`, and packages of the AI SDK. */
  readonly engines: ReadonlyMap<string, () => Promise<Engine>>
  readonly lists: ModelLists
}
