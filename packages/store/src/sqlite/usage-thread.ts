import { GatewayError } from '@sluice/contract'
import type { UsageStore } from '@sluice/gateway/ports/usage-store.ts'
import { openThread } from '../threads/call-thread.ts'
import { sqliteError, unavailable } from '../unavailable.ts'

export type UsageMethods = Omit<UsageStore, symbol>

/** Rows are summed as they are read, so little memory is live at any time. */
const resourceLimits = { maxYoungGenerationSizeMb: 6 }

/**
 * The usage store of a SQLite database in a thread with its own connection, because SQLite statements block the thread that
 * runs them. The thread starts on first use.
 */
export function openUsageThread(file: string): UsageStore {
  const thread = openThread<UsageMethods>(new URL('./usage-thread-entry.ts', import.meta.url), {
    task: 'reads usage',
    data: file,
    resourceLimits,
    errorOf: (error) => (sqliteError(error) instanceof GatewayError ? unavailable(error) : error),
  })
  return {
    fold: () => thread.call('fold'),
    sums: (question) => thread.call('sums', question),
    records: (question) => thread.call('records', question),
    spent: (scope) => thread.call('spent', scope),
    requests: (question) => thread.call('requests', question),
    newest: () => thread.call('newest'),
    rebuild: () => thread.call('rebuild'),
    forget: (before) => thread.call('forget', before),
    erase: (who) => thread.call('erase', who),
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}
