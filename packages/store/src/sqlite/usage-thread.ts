import { GatewayError } from '@sluice/contract'
import type { UsageBook } from '@sluice/gateway/ports/usage-book.ts'
import { openThread } from '../threads/call-thread.ts'
import { sqliteError, unavailable } from '../unavailable.ts'

export type UsageMethods = Omit<UsageBook, symbol>

/** Rows are summed as they are read, so little memory is live at any time. */
const resourceLimits = { maxYoungGenerationSizeMb: 6 }

/**
 * The usage book of a SQLite database in a thread with its own connection, because SQLite statements block the thread that
 * runs them. The thread starts on first use.
 */
export function openUsageThread(file: string): UsageBook {
  const thread = openThread<UsageMethods>(new URL('./usage-thread-entry.ts', import.meta.url), {
    task: 'reads usage',
    data: file,
    resourceLimits,
  })

  async function known<Result>(call: Promise<Result>): Promise<Result> {
    try {
      return await call
    } catch (thrown) {
      throw sqliteError(thrown) instanceof GatewayError ? unavailable(thrown) : thrown
    }
  }

  return {
    fold: () => known(thread.call('fold')),
    sums: (question) => known(thread.call('sums', question)),
    records: (question) => known(thread.call('records', question)),
    spent: (scope) => known(thread.call('spent', scope)),
    requests: (question) => known(thread.call('requests', question)),
    newest: () => known(thread.call('newest')),
    rebuild: () => known(thread.call('rebuild')),
    forget: (before) => known(thread.call('forget', before)),
    erase: (who) => known(thread.call('erase', who)),
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}
