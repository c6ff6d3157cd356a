import type { Trail } from '../call/call.ts'

/** Maximum length of a reason. */
const reasonMax = 200
/** Maximum number of targets noted for one call. */
const targetsMax = 20

/** Notes why a target was not asked in its turn, for the page of the request. */
export function noteSkipped(trail: Pick<Trail, 'skipped'>, target: string, reason: string): void {
  trail.skipped ??= new Map()
  if (trail.skipped.size < targetsMax) trail.skipped.set(target, reason.slice(0, reasonMax))
}
