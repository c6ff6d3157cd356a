import type { Environment } from '../config/env.ts'
import { loadConfig } from '../config/config.ts'
import type { ApiKey } from '../ports/api-key.ts'
import { createKey } from '../storage/secrets.ts'
import { CommandError } from './command-error.ts'
import { openData } from './open-data.ts'
import { formatTable } from './table.ts'

export interface CreateKeyOptions {
  readonly name: string
  readonly admin?: boolean
  readonly models?: readonly string[]
  /** Requests per minute. */
  readonly rate?: number
  /** Days. */
  readonly expires?: number
}

const dayMs = 86_400_000

/** Makes a key. A running gateway knows it within a second. */
export async function createKeyCommand(
  environment: Environment,
  { name, admin = false, models, rate, expires }: CreateKeyOptions,
): Promise<string> {
  await using store = await openData(await loadConfig(environment))
  const now = Date.now()
  const { secret, key } = createKey(
    {
      name,
      role: admin ? 'administrator' : 'caller',
      ...(models !== undefined && { models }),
      ...(rate !== undefined && { requestsPerMinute: rate }),
      ...(expires !== undefined && { expiresAt: now + expires * dayMs }),
    },
    now,
  )
  await store.addKey(key)
  return `${secret}\n${key.id} is made. The secret is shown this once and kept nowhere.`
}

/** Every key with what is kept of it; never a hash or a secret. */
export async function listKeysCommand(
  environment: Environment,
  { json = false }: { readonly json?: boolean },
): Promise<string> {
  await using store = await openData(await loadConfig(environment))
  const keys = await store.listKeys()
  if (json)
    return JSON.stringify(
      keys.map(({ hash: _hash, ...rest }) => rest),
      null,
      2,
    )
  if (keys.length === 0) return 'There are no keys yet: the first start makes two.'
  const now = Date.now()
  return formatTable(
    ['ID', 'NAME', 'ROLE', 'BEGINS', 'STATE', 'PER MINUTE', 'MODELS'],
    keys.map((key) => [
      key.id,
      key.name,
      key.role,
      `${key.prefix}…`,
      stateOf(key, now),
      key.requestsPerMinute?.toString() ?? 'default',
      key.models?.join(', ') ?? 'all',
    ]),
  )
}

export async function revokeKeyCommand(environment: Environment, id: string): Promise<string> {
  await using store = await openData(await loadConfig(environment))
  const key = (await store.listKeys()).find((each) => each.id === id)
  if (!key) throw new CommandError(`There is no key ${id}: sluice keys list shows all`)
  const changed = await store.revokeKey(id, Date.now())
  return changed
    ? `${id} (${key.name}) is revoked; a running gateway refuses it within a second.`
    : `${id} (${key.name}) was revoked already.`
}

function stateOf({ revokedAt, expiresAt }: ApiKey, now: number): string {
  if (revokedAt !== undefined) return 'revoked'
  if (expiresAt === undefined) return 'valid'
  const date = new Date(expiresAt).toISOString().slice(0, 10)
  return expiresAt <= now ? `expired ${date}` : `valid until ${date}`
}
