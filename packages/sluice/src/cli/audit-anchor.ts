import type { Alerts } from '../alerts/alerts.ts'
import type { Log } from '@sluice/gateway/call/log.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'

/** The newest entry of the audit log. Whoever keeps it elsewhere notices that entries were removed from the end. */
export interface NewestEntry {
  readonly entries: number
  readonly hash: string
}

/** Undefined if the log is empty. */
export async function newestEntry(
  store: Pick<Store, 'listAudit'>,
): Promise<NewestEntry | undefined> {
  const [newest] = await store.listAudit({ limit: 1, before: Number.MAX_SAFE_INTEGER })
  return newest && { entries: newest.sequence, hash: newest.hash }
}

const hourMs = 60 * 60_000

/**
 * Sends the newest entry of the audit log to the webhooks that want it, at once and every hour, until disposed. Every hour it is
 * logged too; the line of the start has it.
 */
export function anchorAudit(
  store: Pick<Store, 'listAudit'>,
  { log, alerts, everyMs = hourMs }: AnchorOptions,
): Disposable {
  const report = async (isStart: boolean): Promise<void> => {
    try {
      const newest = await newestEntry(store)
      if (!newest) return
      if (!isStart) log.info({ ...newest }, 'the newest entry of the audit log')
      alerts.raise({ event: 'audit.newest', ...newest })
    } catch (error) {
      log.warn({ error: String(error) }, 'the audit log could not be read')
    }
  }
  const timer = setInterval(() => void report(false), everyMs).unref()
  void report(true)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

interface AnchorOptions {
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly alerts: Pick<Alerts, 'raise'>
  /** Default: an hour. */
  readonly everyMs?: number
}
