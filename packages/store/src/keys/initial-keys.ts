import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '@sluice/contract'
import { administer } from '@sluice/gateway/accounts/administer.ts'
import { shownKey } from '@sluice/gateway/accounts/key-changes.ts'
import { createKey } from '@sluice/gateway/accounts/secrets.ts'
import type { ApiKey } from '@sluice/gateway/ports/api-key.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'

/** The content of `data/initial-keys.json`, the only place where the initial secrets can be read again. */
export interface InitialKeys {
  readonly adminKey?: string
  readonly apiKey?: string
}

export interface InitialKeyOptions {
  /** The data folder; it must exist. */
  readonly folder: string
  /** The roles that have a key in the configuration; no key is created for them. */
  readonly given: readonly ApiKey['role'][]
  /** Milliseconds since the epoch. */
  readonly now: number
}

const fieldOf = { administrator: 'adminKey', caller: 'apiKey' } as const

/**
 * Creates one key for each role that has none in the configuration or the store, and writes the secrets to
 * `initial-keys.json`, readable by its owner only. Returns the new secrets: none from the second start on.
 */
export async function createInitialKeys(
  store: Store,
  { folder, given, now }: InitialKeyOptions,
): Promise<InitialKeys> {
  const existing = await store.listKeys()
  const made = (['administrator', 'caller'] as const)
    .filter((role) => !given.includes(role) && !existing.some((key) => key.role === role))
    .map((role) => ({ role, ...createKey({ role, name: `initial ${role} key` }, now) }))
  if (made.length === 0) return {}

  const secrets = Object.fromEntries(made.map(({ role, secret }) => [fieldOf[role], secret]))
  // Written first: a crash between the two steps creates new keys at the next start, instead of keys whose secrets are lost.
  writePrivately(join(folder, 'initial-keys.json'), { ...readInitialKeys(folder), ...secrets })
  for (const { key } of made) {
    const change = { action: 'key.create', target: key.id, after: shownKey(key) }
    const writes = [{ key }]
    await administer({ store, actor: 'first start', at: now }, () => ({
      ...change,
      writes,
      result: undefined,
    }))
  }
  return secrets
}

/** The initial secrets, as far as the file still exists. */
export function readInitialKeys(folder: string): InitialKeys {
  const file = join(folder, 'initial-keys.json')
  if (!existsSync(file)) return {}
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!isObject(content)) return {}
    const { adminKey, apiKey } = content
    return {
      ...(typeof adminKey === 'string' && { adminKey }),
      ...(typeof apiKey === 'string' && { apiKey }),
    }
  } catch {
    // The file is a convenience; a broken one is ignored.
    return {}
  }
}

function writePrivately(file: string, content: InitialKeys): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}
