import { join } from 'node:path'
import { hashSecret } from '../../../packages/gateway/src/accounts/secrets.ts'
import type { AccountKind, Terms } from '../../../packages/gateway/src/ports/account.ts'
import type { Store } from '../../../packages/gateway/src/ports/store.ts'
import { openSqlite } from '../../../packages/store/src/sqlite/open-sqlite.ts'
import { putMigrated } from '../servers/migrated-file.ts'
import { sampleAccount, sampleAudit, sampleKey } from '../store-samples.ts'

/** The secrets of a key that belongs to a user, and of another key of the same user. */
export const ownedKey = 'sk-owned0123456789abcdef'
export const siblingKey = 'sk-sibling0123456789abcdef'

export type Levels = Readonly<Partial<Record<'key' | AccountKind, Terms>>>

/** Writes to a data folder a key of a user in a team of an organization; each level has the given terms. */
export async function writeOwners(dataFolder: string, levels: Levels): Promise<void> {
  const file = join(dataFolder, 'sluice.db')
  putMigrated(file)
  await using store = openSqlite({ file })
  await addOwners(store, levels)
}

/** The same in a store. */
export async function addOwners(store: Store, levels: Levels): Promise<void> {
  const account = (kind: AccountKind, parentId?: string) =>
    sampleAccount({
      id: `${kind}_1`,
      kind,
      name: `some ${kind}`,
      ...(parentId !== undefined && { parentId }),
      ...levels[kind],
    })
  const key = (id: string, secret: string) =>
    sampleKey({ id, hash: hashSecret(secret), ownerId: 'user_1', ...levels.key })
  await store.administer(
    [
      { account: account('organization') },
      { account: account('team', 'organization_1') },
      { account: account('user', 'team_1') },
      { key: key('key_owned', ownedKey) },
      { key: key('key_sibling', siblingKey) },
    ],
    sampleAudit(),
  )
}
