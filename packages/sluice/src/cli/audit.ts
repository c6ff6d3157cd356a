import { AuditCheck } from '../accounts/audit.ts'
import type { Environment } from '../config/env.ts'
import { keptEntry, type ShownEntry } from '../http/admin/audit.ts'
import { openAdmin } from './ask-admin.ts'

interface Page {
  readonly data: readonly ShownEntry[]
  readonly has_more: boolean
}

/**
 * Follows the audit log from its first entry on and says the first that is not as it was written. What was cut off at the end
 * leaves no trace in the log itself: the number and the hash of the newest entry are said, to be kept elsewhere and compared.
 */
export async function verifyAudit(
  environment: Environment,
): Promise<{ readonly text: string; readonly isFine: boolean }> {
  await using admin = await openAdmin(environment)
  const check = new AuditCheck()
  for (let hasMore = true; hasMore; ) {
    const after = check.last?.sequence ?? 0
    const page: Page = await admin.ask(`GET /admin/v1/audit?order=asc&limit=100&after=${after}`)
    for (const entry of page.data) {
      const problem = check.problemOf(keptEntry(entry))
      if (problem !== undefined) return { text: problem, isFine: false }
    }
    hasMore = page.has_more
  }
  const { last } = check
  if (!last) return { text: 'The audit log is empty.', isFine: true }
  const text = `The audit log is whole: ${last.sequence} entries, the newest with the hash ${last.hash}`
  return { text, isFine: true }
}
