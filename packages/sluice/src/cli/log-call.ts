import type { Alerts } from '../alerts/alerts.ts'
import type { CallEnd } from '../gateway/call.ts'
import type { Log } from '../gateway/gateway.ts'
import type { BreakerState } from '../gateway/route/breaker.ts'
import type { BreakerListener } from '../gateway/route/health.ts'

/** Limit for texts chosen by callers, such as paths and model names. */
const shownMax = 200

/** Requested every few seconds by whatever supervises the process. */
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** Logs one line per request, without secrets, prompts and responses. */
export function logCall(
  log: Log,
  { id, givenId, method, path, status, durationMs, left, key, call, code, trace }: CallEnd,
) {
  const fields: Record<string, unknown> = {
    id,
    method,
    path: path.slice(0, shownMax),
    status,
    ms: Math.round(durationMs * 10) / 10,
  }
  if (givenId !== undefined) fields['givenId'] = givenId
  if (code !== undefined) fields['code'] = code
  if (trace) fields['traceId'] = trace.traceId
  if (key) {
    fields['key'] = key.id
    fields['keyName'] = key.name
  }
  if (call) {
    const { model } = call.request
    const { provider, attempts, usage, firstContentMs, dropped } = call.trail
    fields['operation'] = call.operation
    if (typeof model === 'string') fields['model'] = model.slice(0, shownMax)
    fields['stream'] = call.stream
    if (provider !== undefined) {
      fields['provider'] = provider
      fields['target'] = `${provider}/${call.trail.model}`
      fields['attempts'] = attempts
    }
    const untold = dropped.size === 0 ? '' : untoldOf(dropped)
    if (untold !== '') fields['untold'] = untold
    if (firstContentMs !== undefined) fields['firstTokenMs'] = firstContentMs
    if (provider !== undefined && call.trail.unknownCosts === 0)
      fields['costUsd'] = call.trail.costMicroUsd / 1_000_000
    const { elsewhere } = call.admission
    if (elsewhere) {
      fields['overBudget'] = elsewhere.budget
      fields['route'] = elsewhere.route.slice(0, shownMax)
    }
    if (usage) {
      fields['inputTokens'] = usage.inputTokens
      fields['outputTokens'] = usage.outputTokens
    }
  }
  if (left) fields['left'] = true
  if (status < 400 && probes.has(path)) log.debug(fields, 'request')
  else log.info(fields, 'request')
}

/** Fields left out of a stream are known only after its headers have been sent. */
function untoldOf(dropped: ReadonlySet<string>): string {
  const names = [...dropped].filter((name) => name.startsWith('answer.'))
  return names.join(', ').slice(0, shownMax)
}

const breakerMessages: Readonly<Record<BreakerState, string>> = {
  open: 'a breaker opened: the target is tried last until it has answered again',
  'half-open': 'a breaker is half open: one request tries the target',
  closed: 'a breaker closed: the target answers again',
}

/**
 * Logs one line per change, with the key if the breaker applies to one key only. Operators are alerted if it opens for all.
 * The model in the target is chosen by the caller, so it is cut.
 */
export function tellBreaker(log: Log, alerts: Pick<Alerts, 'raise'>): BreakerListener {
  return (target, state, caller) => {
    const shown = target.slice(0, shownMax)
    log.warn(
      { target: shown, state, ...(caller !== undefined && { key: caller }) },
      breakerMessages[state],
    )
    if (state === 'open' && caller === undefined)
      alerts.raise({ event: 'provider.down', target: shown })
  }
}
