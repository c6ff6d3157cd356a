import { invalidRequest } from '@sluice/contract'
import type { Account } from '../ports/account.ts'
import type { ApiKey } from '../ports/api-key.ts'
import { parents } from './account-changes.ts'
import type { Change, State } from './administer.ts'
import { hashName } from './secrets.ts'

/** Accounts and keys of another gateway, with ids that its importer derives from theirs. */
export interface Imported {
  /** The gateway that they come from. */
  readonly source: string
  readonly accounts: readonly Account[]
  readonly keys: readonly Omit<ApiKey, 'role'>[]
}

/** The ids of what was added, and of what was here before and has been left as it is. */
export interface ImportResult {
  readonly object: 'import'
  readonly added: readonly string[]
  readonly present: readonly string[]
}

/**
 * Adds accounts and keys of another gateway, all or none. What an earlier import has added is left as it is here, and so is a
 * key whose secret is known. Imported keys are never administrators.
 *
 * @throws GatewayError `invalid_request` with the path of what does not fit.
 */
export function accountsImport({ source, accounts, keys }: Imported) {
  return (state: State): Change<ImportResult> | { readonly result: ImportResult } => {
    const known = new Set([...state.accounts, ...state.keys].map(({ id }) => id))
    const hashes = new Set(state.keys.map(hashName))
    const newAccounts = accounts.filter(({ id }) => !known.has(id))
    const newKeys = keys
      .filter((key) => !known.has(key.id) && !hashes.has(hashName(key)))
      .map((key): ApiKey => ({ ...key, role: 'caller' }))
    assertFit(state, { accounts, keys })
    const added = [...newAccounts, ...newKeys].map(({ id }) => id)
    const isNew = new Set(added)
    const present = [...accounts, ...keys].map(({ id }) => id).filter((id) => !isNew.has(id))
    const result = { object: 'import', added, present } as const
    if (added.length === 0) return { result }
    return {
      action: 'accounts.import',
      target: source,
      after: { accounts: newAccounts.length, keys: newKeys.length, ids: added },
      writes: [...newAccounts.map((account) => ({ account })), ...newKeys.map((key) => ({ key }))],
      result,
    }
  }
}

/** Every parent and owner is here or comes with the import, each id and secret comes once, and kinds fit. */
function assertFit(state: State, { accounts, keys }: Pick<Imported, 'accounts' | 'keys'>): void {
  const all = new Map([...accounts, ...state.accounts].map((account) => [account.id, account]))
  const seen = new Set<string>()
  for (const [index, { id, kind, parentId }] of accounts.entries()) {
    const path = `accounts[${index}]`
    assertFirst(seen, id, `${path}.id`)
    const parent = parentId === undefined ? undefined : all.get(parentId)
    if (parentId !== undefined && (!parent || !parents[kind].includes(parent.kind)))
      throw invalidRequest('There is no such parent for it', `${path}.parentId`)
  }
  for (const [index, key] of keys.entries()) {
    const path = `keys[${index}]`
    assertFirst(seen, key.id, `${path}.id`)
    assertFirst(seen, hashName(key), `${path}.hash`)
    const owner = key.ownerId === undefined ? undefined : all.get(key.ownerId)
    if (key.ownerId !== undefined && (!owner || owner.kind === 'organization'))
      throw invalidRequest('There is no such user or team', `${path}.ownerId`)
  }
}

function assertFirst(seen: Set<string>, name: string, path: string): void {
  if (seen.has(name)) throw invalidRequest('It occurs twice', path)
  seen.add(name)
}
