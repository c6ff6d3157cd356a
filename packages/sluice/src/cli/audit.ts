import { AuditCheck } from '@sluice/gateway/accounts/audit.ts'
import type { Environment } from '../config/env.ts'
import { accountEndpoints } from '@sluice/server/admin/accounts.ts'
import { keptEntry, listAudit } from '@sluice/server/admin/audit.ts'
import { keyEndpoints } from '@sluice/server/admin/keys.ts'
import { accountKinds } from '@sluice/gateway/ports/account.ts'
import { type AdminConnection, openAdmin } from './ask-admin.ts'
import type { JsonOption, Printed } from './command.ts'
import { CommandError } from './command-error.ts'
import { createProgress } from './progress.ts'

interface VerifyOptions extends JsonOption {
  /** The hash of an entry that the log must contain, as printed or sent earlier. */
  readonly expect?: string
}

/**
 * Verifies the audit log from its first entry and reports the first invalid one. Entries removed from the end leave no trace
 * in the log itself, so a hash that was kept elsewhere is looked for, and a log without entries is wrong where there are keys.
 */
export async function verifyAudit(
  environment: Environment,
  { json = false, expect }: VerifyOptions = {},
): Promise<Printed> {
  await using admin = await openAdmin(environment)
  const expected = expect?.trim().toLowerCase()
  if (expected !== undefined && !/^[0-9a-f]{64}$/.test(expected))
    throw new CommandError('--expect takes the hash of an entry: 64 hexadecimal digits')
  const checked = await checkedLog(admin, expected)
  const isFine = checked.problem === undefined
  if (json) return { text: JSON.stringify({ isFine, ...checked }, null, 2), isFine }
  return { text: sentenceOf(checked, expected !== undefined), isFine }
}

function sentenceOf({ entries, hash, problem }: CheckedLog, isExpected: boolean): string {
  if (problem !== undefined) return problem
  if (hash === null) return 'The audit log is empty.'
  const found = isExpected ? '; the expected entry is in it' : ''
  return `The audit log is intact: ${entries} entries, latest hash ${hash}${found}`
}

interface CheckedLog {
  /** The number of valid entries from the first. */
  readonly entries: number
  /** Of the last valid entry; null if there is none. */
  readonly hash: string | null
  readonly problem?: string
}

async function checkedLog(
  admin: AdminConnection,
  expected: string | undefined,
): Promise<CheckedLog> {
  using progress = createProgress('entries checked')
  const check = new AuditCheck()
  let isFound = expected === undefined
  const result = (problem?: string): CheckedLog => ({
    entries: check.last?.sequence ?? 0,
    hash: check.last?.hash ?? null,
    ...(problem !== undefined && { problem }),
  })
  for (let hasMore = true; hasMore; ) {
    const after = check.last?.sequence ?? 0
    const page = await admin.ask(listAudit, { query: { order: 'asc', limit: 100, after } })
    for (const entry of page.data) {
      const problem = check.problemOf(keptEntry(entry))
      if (problem !== undefined) return result(problem)
      isFound ||= entry.hash === expected
    }
    hasMore = page.has_more
    progress.at(check.last?.sequence ?? 0)
  }
  if (!isFound) return result('The expected entry is not in the log: it was removed or replaced')
  if (!check.last && (await hasChanges(admin)))
    return result('The audit log is empty, but there are keys or accounts: it was removed')
  return result()
}

/** Whether there is anything that cannot have come into being without an entry. */
async function hasChanges(admin: AdminConnection): Promise<boolean> {
  const one = { query: { limit: 1 } }
  for (const kind of accountKinds)
    if ((await admin.ask(accountEndpoints[kind].list, one)).data.length > 0) return true
  return (await admin.ask(keyEndpoints.list, one)).data.length > 0
}
