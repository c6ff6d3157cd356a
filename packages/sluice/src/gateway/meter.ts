import { type CallOutcome, noUsage, type Usage } from '@sluice/contract'
import type { Call, Gateway } from './gateway.ts'
import type { Target } from './routing.ts'

export interface Meter {
  /** Writes the one usage record of this attempt. Later calls do nothing. */
  close(outcome: CallOutcome, usage?: Usage): void
}

/** Every attempt that reaches an upstream has one record, whichever way it ends. */
export function openMeter(
  { store, now }: Gateway,
  { id, key, operation }: Call,
  { providerId, model }: Target,
  attempt: number,
): Meter {
  const startedAt = now()
  let closed = false
  return {
    close(outcome, usage) {
      if (closed) return
      closed = true
      store.recordUsage({
        ...(usage ?? noUsage),
        callId: id,
        attempt,
        keyId: key.id,
        operation,
        provider: providerId,
        model,
        outcome,
        reported: usage !== undefined,
        startedAt,
        durationMs: now() - startedAt,
      })
    },
  }
}
