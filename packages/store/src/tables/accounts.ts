import type { Sql } from 'sql-template-tag'
import type { AccountWrite, Store } from '@sluice/gateway/ports/store.ts'
import type { SettingWrite } from '@sluice/gateway/ports/stored-settings.ts'
import { type Database, RefusedData } from '../database.ts'
import { countKeyChange } from './keys.ts'
import { countSettingChange, settingStatement } from './settings.ts'
import { accountColumns, auditColumns, keyColumns } from './schema.ts'
import { compiled, pickColumns, replaceColumns, select, tables } from './statements.ts'

/** The part of the store for organizations, teams, users and the audit log. */
export function accountTable(
  database: Database,
): Pick<Store, 'listAccounts' | 'administer' | 'listAudit'> {
  return {
    listAccounts: () =>
      select(
        database,
        accountColumns,
        tables.selectFrom('accounts').selectAll().orderBy('createdAt').orderBy('id'),
      ),
    async administer(writes, entry) {
      try {
        await database.changeDurably(
          compiled(tables.insertInto('auditLog').values(pickColumns(auditColumns, entry))),
          ...writes.map(statementOf),
          ...countersOf(writes),
        )
        return true
      } catch (thrown) {
        if (thrown instanceof RefusedData) return false
        throw thrown
      }
    },
    listAudit({ limit, after, before }) {
      const entries = tables.selectFrom('auditLog').selectAll().limit(limit)
      return select(
        database,
        auditColumns,
        before === undefined
          ? entries.where('sequence', '>', after ?? 0).orderBy('sequence')
          : entries.where('sequence', '<', before).orderBy('sequence', 'desc'),
      )
    },
  }
}

/** Who follows only keys or only settings reads nothing again when the others have changed. */
function countersOf(writes: readonly AccountWrite[]): readonly Sql[] {
  const settings = writes.filter(isSettingWrite).length
  if (settings === 0) return [countKeyChange]
  return settings === writes.length ? [countSettingChange] : [countKeyChange, countSettingChange]
}

function isSettingWrite(write: AccountWrite): write is SettingWrite {
  return 'setting' in write || 'removedSetting' in write
}

function statementOf(write: AccountWrite): Sql {
  if (isSettingWrite(write)) return settingStatement(write)
  if ('removed' in write)
    return compiled(tables.deleteFrom('accounts').where('id', '=', write.removed))
  if ('key' in write)
    return compiled(
      tables
        .insertInto('apiKeys')
        .values(pickColumns(keyColumns, write.key))
        .onConflict((conflict) => conflict.column('id').doUpdateSet(replaceColumns(keyColumns))),
    )
  return compiled(
    tables
      .insertInto('accounts')
      .values(pickColumns(accountColumns, write.account))
      .onConflict((conflict) => conflict.column('id').doUpdateSet(replaceColumns(accountColumns))),
  )
}
