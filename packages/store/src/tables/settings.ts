import sql, { type Sql } from 'sql-template-tag'
import type { SettingStore, SettingWrite } from '@sluice/gateway/ports/stored-settings.ts'
import type { Database } from '../database.ts'
import { findNumber } from './columns.ts'
import { settingColumns } from './schema.ts'
import { compiled, pickColumns, select, tables } from './statements.ts'

/** Part of the transaction of the change, so that whoever sees the new version also sees the change. */
export const countSettingChange = sql`INSERT INTO versions (name, version) VALUES ('settings', 1)
  ON CONFLICT (name) DO UPDATE SET version = versions.version + 1`

/** The part of the store for routes and providers that are not in sluice.yaml. */
export function settingTable(database: Pick<Database, 'rows'>): SettingStore {
  return {
    listSettings: () =>
      select(
        database,
        settingColumns,
        tables.selectFrom('storedSettings').selectAll().orderBy('section').orderBy('name'),
      ),
    async settingsVersion() {
      const version = sql`SELECT version FROM versions WHERE name = 'settings'`
      return String(await findNumber(database, version))
    },
  }
}

/** The statement of a write. */
export function settingStatement(write: SettingWrite): Sql {
  if ('removedSetting' in write) {
    const { section, name } = write.removedSetting
    const removal = tables.deleteFrom('storedSettings')
    return compiled(removal.where('section', '=', section).where('name', '=', name))
  }
  const { document, version, changedAt } = write.setting
  return compiled(
    tables
      .insertInto('storedSettings')
      .values(pickColumns(settingColumns, write.setting))
      .onConflict((conflict) =>
        conflict.columns(['section', 'name']).doUpdateSet({ document, version, changedAt }),
      ),
  )
}
