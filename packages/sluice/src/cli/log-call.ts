import type { CallEnd } from '../gateway/call.ts'
import type { Log } from '../gateway/gateway.ts'

/** Callers may write anything where a path or a model's name belongs. */
const shownMax = 200

/** One line per request, never with a secret, a prompt or an answer in it. */
export function logCall(
  log: Log,
  { id, method, path, status, durationMs, left, key, call }: CallEnd,
) {
  const fields: Record<string, unknown> = {
    id,
    method,
    path: path.slice(0, shownMax),
    status,
    ms: Math.round(durationMs * 10) / 10,
  }
  if (key) fields['key'] = key.id
  if (call) {
    const { model } = call.request
    const { provider, attempts } = call.trail
    fields['operation'] = call.operation
    if (typeof model === 'string') fields['model'] = model.slice(0, shownMax)
    if (provider !== undefined) {
      fields['provider'] = provider
      fields['attempts'] = attempts
    }
  }
  if (left) fields['left'] = true
  log.info(fields, 'request')
}
