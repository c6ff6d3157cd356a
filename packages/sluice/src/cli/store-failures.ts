import type { Alerts } from '../alerts/alerts.ts'
import type { Log } from '@sluice/gateway/call/log.ts'
import type { StoreOptions } from '@sluice/store/store.ts'

/** Reports failures of the store to the log and, once a gateway is open, to operators. */
export class StoreFailures {
  readonly options: Required<
    Pick<StoreOptions, 'writeFailed' | 'journalFailed' | 'journalUnreadable'>
  >
  #alerts: Pick<Alerts, 'raise'> | undefined

  constructor(log: Log) {
    const report = (
      event: 'journal.full' | 'journal.behind',
      error: unknown,
      { waiting, lost }: { readonly waiting: number; readonly lost: number },
    ) => {
      const reason = String(error)
      const message =
        event === 'journal.full'
          ? 'the journal cannot be written: new calls are refused'
          : 'usage could not be written'
      log.error({ error: reason, waiting, lost }, message)
      this.#alerts?.raise({ event, reason, waiting, lost })
    }
    this.options = {
      writeFailed: (error, waiting, lost) => report('journal.behind', error, { waiting, lost }),
      journalFailed: (error) => report('journal.full', error, { waiting: 0, lost: 0 }),
      journalUnreadable: (lines, file) =>
        log.warn({ lines, file }, 'lines of the journal could not be read: the file is kept'),
    }
  }

  connect(alerts: Pick<Alerts, 'raise'>): void {
    this.#alerts = alerts
  }
}
