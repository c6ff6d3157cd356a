import type { RouteConfig, WrittenModel } from './schema-routes.ts'

/** A route of sluice.yaml, in which a target without options may be a text. */
export function routeOf(written: WrittenModel): string | RouteConfig {
  if (typeof written === 'string') return written
  const targets = written.targets.map((one) => (typeof one === 'string' ? { target: one } : one))
  return { ...written, targets }
}
