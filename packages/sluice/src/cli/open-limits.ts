import type { Config } from '../config/config.ts'
import type { Log } from '@sluice/gateway/call/log.ts'
import type { Gateway } from '@sluice/server/gateway.ts'
import { recallBudget } from '@sluice/gateway/admit/recall-budget.ts'
import type { SlotLimits } from '@sluice/gateway/ports/slot-queue.ts'
import type { BudgetClaim } from '@sluice/gateway/ports/limiter.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'
import { createSlotQueue } from '@sluice/store/limits/memory-slot-queue.ts'
import { createRemoteSlotQueue } from '@sluice/store/limits/remote-slot-queue.ts'
import { SlotQueues } from '@sluice/store/limits/slot-queues.ts'
import { createMemoryLimiter } from '@sluice/store/limits/memory-limiter.ts'
import { createRemoteLimiter } from '@sluice/store/limits/remote-limiter.ts'
import type { LedgerRecount } from '@sluice/store/limits/redis-recovery.ts'
import type { ProcessLink } from '@sluice/store/limits/process-link.ts'

export interface LimitsInput {
  readonly config: Config
  readonly store: Store
  readonly log: Log
  /** Link to the process that holds the limits of several workers; absent if there is only one process. */
  readonly link?: ProcessLink
}

export interface OpenLimits extends Pick<Gateway, 'limiter'> {
  readonly slotQueues: SlotQueues
}

/** Opens the limits: in this process, in the primary process of several workers, or in Redis. */
export async function openLimits({
  config: { redis },
  store,
  log,
  link,
}: LimitsInput): Promise<OpenLimits> {
  const recall = (claim: BudgetClaim) => recallBudget(store, claim, Date.now())
  const slotQueues = new SlotQueues((name) =>
    link ? createRemoteSlotQueue(link, name) : createSlotQueue(),
  )
  if (link && !redis) return { slotQueues, limiter: createRemoteLimiter(link, { recall }) }
  if (!redis) return { slotQueues, limiter: createMemoryLimiter({ recall }) }
  // The client is loaded only if Redis is configured.
  const { openRedisLimiter } = await import('@sluice/store/limits/redis-limiter.ts')
  const limiter = await openRedisLimiter({
    ...redis,
    recall,
    ...(await countingOf(store, log)),
    changed(isUp, reason) {
      if (isUp) log.info({}, 'Redis answers: limits are shared')
      else log.error({ error: String(reason) }, 'Redis does not answer: limits are not shared')
    },
  })
  return { slotQueues, limiter }
}

/** With a journal, Redis that has lost its data is not used before all gateways on this database have counted. */
async function countingOf(
  store: Pick<Store, 'ledgerWriters' | 'flush'>,
  log: Log,
): Promise<{ readonly counting?: LedgerRecount }> {
  const { ledgerWriters } = store
  const { name } = ledgerWriters
  if (name === undefined) return {}
  await ledgerWriters.enrol()
  const counting: LedgerRecount = {
    name,
    count: () => store.flush(),
    present: () => ledgerWriters.list(),
    async missed(names) {
      log.warn(
        { gateways: names },
        'Redis has lost its data, and these gateways have not counted: what they spent last may be missing from budgets',
      )
      await ledgerWriters.forget(names)
    },
  }
  return { counting }
}

export function slotLimitsOf(limits: Config['limits']): SlotLimits | undefined {
  const { concurrentRequests: inside, waitingRequests: waiting, waitMs } = limits
  if (inside === undefined) return undefined
  return { inside, waiting, waitMs }
}
