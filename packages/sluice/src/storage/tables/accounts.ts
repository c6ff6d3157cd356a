import sql, { type Sql } from 'sql-template-tag'
import type { Account } from '../../ports/account.ts'
import type { AuditEntry } from '../../ports/audit.ts'
import type { AccountWrite, Store } from '../../ports/store.ts'
import { type Columns, fromRow, insert, insertOrReplace, integer, text } from './columns.ts'
import { type Database, RefusedData } from '../database.ts'
import { countKeyChange, keyColumns } from './keys.ts'
import { termColumns } from './term-columns.ts'

const accountColumns: Columns<Account> = {
  id: text('id'),
  kind: text('kind'),
  name: text('name'),
  parentId: text('parent_id'),
  identity: text('identity'),
  createdAt: integer('created_at'),
  disabledAt: integer('disabled_at'),
  ...termColumns,
}

const auditColumns: Columns<AuditEntry> = {
  sequence: integer('sequence'),
  at: integer('at'),
  actor: text('actor'),
  action: text('action'),
  target: text('target'),
  before: text('before'),
  after: text('after'),
  previousHash: text('previous_hash'),
  hash: text('hash'),
}

/** The part of the store for organizations, teams, users and the audit log. */
export function accountTable(
  database: Database,
): Pick<Store, 'listAccounts' | 'administer' | 'listAudit'> {
  return {
    async listAccounts() {
      const rows = await database.rows(sql`SELECT * FROM accounts ORDER BY created_at, id`)
      return rows.map((row) => fromRow(accountColumns, row))
    },
    async administer(writes, entry) {
      try {
        await database.changeDurably(
          insert('audit_log', auditColumns, entry),
          ...writes.map(statementOf),
          countKeyChange,
        )
        return true
      } catch (thrown) {
        if (thrown instanceof RefusedData) return false
        throw thrown
      }
    },
    async listAudit({ limit, after, before }) {
      const rows = await database.rows(
        before === undefined
          ? sql`SELECT * FROM audit_log WHERE sequence > ${after ?? 0} ORDER BY sequence LIMIT ${limit}`
          : sql`SELECT * FROM audit_log WHERE sequence < ${before} ORDER BY sequence DESC LIMIT ${limit}`,
      )
      return rows.map((row) => fromRow(auditColumns, row))
    },
  }
}

function statementOf(write: AccountWrite): Sql {
  if ('key' in write) return insertOrReplace('api_keys', keyColumns, write.key)
  if ('account' in write) return insertOrReplace('accounts', accountColumns, write.account)
  return sql`DELETE FROM accounts WHERE id = ${write.removed}`
}
