import { AuditCheck } from '../accounts/audit.ts'
import type { Environment } from '../config/env.ts'
import { keptEntry, type ShownEntry } from '../http/admin/audit.ts'
import { openAdmin } from './ask-admin.ts'
import { createProgress } from './progress.ts'

interface Page {
  readonly data: readonly ShownEntry[]
  readonly has_more: boolean
}

/**
 * Verifies the audit log from its first entry and reports the first invalid one. Entries removed from the end leave no trace
 * in the log, so the sequence number and hash of the newest entry are printed, to be kept elsewhere and compared.
 */
export async function verifyAudit(
  environment: Environment,
  { json = false }: { readonly json?: boolean } = {},
): Promise<{ readonly text: string; readonly isFine: boolean }> {
  await using admin = await openAdmin(environment)
  using progress = createProgress('entries checked')
  const check = new AuditCheck()
  for (let hasMore = true; hasMore; ) {
    const after = check.last?.sequence ?? 0
    const page: Page = await admin.ask(`GET /admin/v1/audit?order=asc&limit=100&after=${after}`)
    for (const entry of page.data) {
      const problem = check.problemOf(keptEntry(entry))
      if (problem === undefined) continue
      const text = json ? JSON.stringify({ isFine: false, problem }, null, 2) : problem
      return { text, isFine: false }
    }
    hasMore = page.has_more
    progress.at(check.last?.sequence ?? 0)
  }
  const { last } = check
  const { sequence: entries = 0, hash = null } = last ?? {}
  if (json) return { text: JSON.stringify({ isFine: true, entries, hash }, null, 2), isFine: true }
  if (!last) return { text: 'The audit log is empty.', isFine: true }
  const text = `The audit log is whole: ${entries} entries, the newest with the hash ${last.hash}`
  return { text, isFine: true }
}
