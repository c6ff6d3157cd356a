import type { Call } from '../call/call.ts'
import type { Route } from './routing.ts'

/** The call with the default parameters of its route that it does not give itself; the same one if there are none. */
export function defaultedCall(call: Call, { options: { defaults } }: Route): Call {
  if (defaults === undefined) return call
  const { format, request } = call
  const placed = format.defaulted?.(request.outline, defaults)
  if (placed === undefined || Object.keys(placed.all).length === 0) return call
  const { changes } = placed
  if (changes.length === 0) return { ...call, defaults: placed }
  return { ...call, request: request.changed(changes), asked: request, defaults: placed }
}
