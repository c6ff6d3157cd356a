import type { Config } from './config.ts'

interface RouteTargets {
  readonly targets: readonly string[]
  /** Targets and names of other routes, for what fails and for what is too long. */
  readonly fallback: readonly string[]
  readonly longer: readonly string[]
}

/** What a route leads to. */
export function routeTargets(model: Config['models'][string]): RouteTargets {
  if (typeof model === 'string') return { targets: [model], fallback: [], longer: [] }
  const { targets, fallback = [], longer = [] } = model
  return { targets: targets.map(({ target }) => target), fallback, longer }
}
