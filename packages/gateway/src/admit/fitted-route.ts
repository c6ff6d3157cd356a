import { mayUse } from '../accounts/allowed.ts'
import { type Call, isWriting } from '../call/call.ts'
import type { LongerModel, Route, Target } from '../route/routing.ts'
import { estimatedInput, type Estimates, inputSizeOf, usualEstimates } from './input-size.ts'

/**
 * A route with models for longer prompts, as it is for this call: without targets whose context is known to be too small, or with
 * the longer models in their place if none is left. Models that the key may not use are left out.
 */
export function fittedRoute(
  call: Call,
  { longer = [], ...route }: Route,
  estimates: Estimates = usualEstimates,
): Route {
  const allowed = longer.filter(({ name }) => mayUse(call.key, name))
  if (allowed.length === 0) return route
  // Of other operations the limit is that of each input.
  if (!isWriting(call)) return { ...route, longer: allowed }
  const { format, request } = call
  const tokens = estimatedInput(inputSizeOf(call, format.measure(request.outline)), estimates)
  const targets = route.levels.flat().filter((target) => !holds(target, tokens))
  if (targets.length === 0) return { ...route, longer: allowed }
  const tooLong = { tokens, targets }
  const own = fitting(route.levels, tokens)
  const rest = allowed.flatMap((one): readonly LongerModel[] => {
    const levels = fitting(one.levels, tokens)
    return levels.length === 0 ? [] : [{ ...one, levels }]
  })
  if (own.length > 0) return { ...route, levels: own, longer: rest, tooLong }
  // Where nothing is long enough, the estimate may be wrong.
  if (rest.length === 0) return { ...route, longer: allowed }
  return { ...route, levels: rest.flatMap(({ levels }) => levels), tooLong }
}

function fitting(levels: Route['levels'], tokens: number): Route['levels'] {
  return levels
    .map((level) => level.filter((target) => holds(target, tokens)))
    .filter((level) => level.length > 0)
}

/** Whether a prompt of this size fits, as far as the context of the target is known. */
function holds({ inputTokensMax }: Target, tokens: number): boolean {
  return tokens <= (inputTokensMax?.() ?? Number.POSITIVE_INFINITY)
}
