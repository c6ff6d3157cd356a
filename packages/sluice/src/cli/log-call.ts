import { usdOf } from '@sluice/contract'
import type { Alerts } from '../alerts/alerts.ts'
import type { CallEnd } from '@sluice/gateway/call/call.ts'
import type { CallObserver } from '@sluice/gateway/observe/observers.ts'
import type { Log } from '@sluice/gateway/call/log.ts'
import type { BreakerState } from '@sluice/gateway/route/breaker.ts'
import type { BreakerListener } from '@sluice/gateway/route/health.ts'

/** Limit for texts chosen by callers, such as paths and model names. */
const shownMax = 200

/** Requested every few seconds by whatever supervises the process. */
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** Logs one line per request, without secrets, prompts and responses. Fields that are undefined are not in it. */
export function createCallLog(log: Log): CallObserver {
  return {
    ended(end) {
      const fields = fieldsOf(end)
      if (end.status < 400 && probes.has(end.path)) log.debug(fields, 'request')
      else log.info(fields, 'request')
    },
  }
}

function fieldsOf({
  id,
  givenId,
  method,
  path,
  status,
  durationMs,
  disconnected,
  key,
  call,
  code,
  trace,
}: CallEnd) {
  const { model } = call?.request ?? {}
  const { elsewhere } = call?.admission ?? {}
  const { usage, firstContentMs, dropped } = call?.trail ?? {}
  // Absent if no attempt was made.
  const tried = call?.trail.provider === undefined ? undefined : call.trail
  return {
    id,
    method,
    path: path.slice(0, shownMax),
    status,
    ms: Math.round(durationMs * 10) / 10,
    givenId,
    code,
    traceId: trace?.traceId,
    key: key?.id,
    keyName: key?.name,
    operation: call?.operation,
    model: typeof model === 'string' ? model.slice(0, shownMax) : undefined,
    stream: call?.stream,
    provider: tried?.provider,
    target: tried && `${tried.provider}/${tried.model}`,
    attempts: tried?.attempts,
    untold: dropped === undefined || dropped.size === 0 ? undefined : untoldOf(dropped),
    firstTokenMs: firstContentMs,
    costUsd: tried?.unknownCosts === 0 ? usdOf(tried.cost) : undefined,
    overBudget: elsewhere?.budget,
    route: elsewhere?.route.slice(0, shownMax),
    inputTokens: usage?.inputTokens,
    outputTokens: usage?.outputTokens,
    left: disconnected ? true : undefined,
  }
}

/** Fields left out of a stream are known only after its headers have been sent. */
function untoldOf(dropped: ReadonlySet<string>): string | undefined {
  const names = [...dropped].filter((name) => name.startsWith('answer.'))
  return names.length === 0 ? undefined : names.join(', ').slice(0, shownMax)
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
