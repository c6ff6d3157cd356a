import type { Config } from './config.ts'

interface RouteTargets {
  readonly targets: readonly string[]
  /** Targets and names of other routes. */
  readonly fallback: readonly string[]
}

/** What a route leads to. */
export function routeTargets(model: Config['models'][string]): RouteTargets {
  if (typeof model === 'string') return { targets: [model], fallback: [] }
  return { targets: model.targets.map(({ target }) => target), fallback: model.fallback ?? [] }
}
