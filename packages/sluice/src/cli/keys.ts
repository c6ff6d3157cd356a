import type { Environment } from '../config/env.ts'
import { loadConfig } from '../config/config.ts'
import type { ApiKey } from '../ports/api-key.ts'
import { createKey } from '../accounts/secrets.ts'
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
  readonly json?: boolean
}

/** What a command prints: results on standard output, for other programs, and sentences on standard error. */
export interface Printed {
  readonly text: string
  readonly notes: readonly string[]
}

const dayMs = 86_400_000

/** Creates a key. A running gateway knows it within a second. Standard output holds the secret alone, or JSON. */
export async function createKeyCommand(
  environment: Environment,
  { name, admin = false, models, rate, expires, json = false }: CreateKeyOptions,
): Promise<Printed> {
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
  const namesakes = (await store.listKeys()).filter(
    (other) => other.name === name && isValid(other, now),
  )
  await store.addKey(key)
  const warnings = namesakes.map(({ id }) => `Warning: the key ${id} has the same name.`)
  if (json)
    return { text: JSON.stringify({ ...shown(key, undefined), secret }, null, 2), notes: warnings }
  const sentence = `Created ${key.id} (${name}). The secret is shown only once: it is not stored.`
  return { text: secret, notes: [sentence, ...warnings] }
}

/** Every key with what is stored of it; never a hash or a secret. */
export async function listKeysCommand(
  environment: Environment,
  { json = false }: { readonly json?: boolean },
): Promise<string> {
  await using store = await openData(await loadConfig(environment))
  const keys = await store.listKeys()
  const used = await store.lastUse()
  if (json)
    return JSON.stringify(
      keys.map((key) => shown(key, used.get(key.id))),
      null,
      2,
    )
  if (keys.length === 0) return 'There are no keys yet: the first start creates two.'
  const now = Date.now()
  return formatTable(
    [
      'ID',
      'NAME',
      'ROLE',
      'PREFIX',
      'STATE',
      'CREATED',
      'LAST USED',
      'REQUESTS PER MINUTE',
      'MODELS',
    ],
    keys.map((key) => [
      key.id,
      key.name,
      key.role,
      `${key.prefix}…`,
      stateOf(key, now),
      dateOf(key.createdAt),
      momentOf(used.get(key.id)),
      key.requestsPerMinute?.toString() ?? 'default',
      key.models?.join(', ') ?? 'all',
    ]),
  )
}

/** Revokes a key by its id, or by its name where one valid key has it. */
export async function revokeKeyCommand(environment: Environment, asked: string): Promise<string> {
  await using store = await openData(await loadConfig(environment))
  const { id, name } = findKey(await store.listKeys(), asked)
  const changed = await store.revokeKey(id, Date.now())
  return changed
    ? `Revoked ${id} (${name}). A running gateway refuses it within a second.`
    : `${id} (${name}) was revoked already.`
}

function findKey(keys: readonly ApiKey[], asked: string): ApiKey {
  const byId = keys.find(({ id }) => id === asked)
  if (byId) return byId
  const named = keys.filter(({ name }) => name === asked)
  const left = named.filter(({ revokedAt }) => revokedAt === undefined)
  const [only, another] = left.length > 0 ? left : named
  if (!only)
    throw new CommandError(`There is no key ${asked}: sluice keys list shows ids and names`)
  if (!another) return only
  const ids = (left.length > 0 ? left : named).map(({ id }) => id).join(', ')
  throw new CommandError(`Several keys are named ${asked}: revoke one by its id (${ids})`)
}

/** A key as JSON shows it, times in milliseconds since the epoch. */
function shown({ hash: _hash, ...rest }: ApiKey, lastUsedAt: number | undefined): object {
  return { ...rest, ...(lastUsedAt !== undefined && { lastUsedAt }) }
}

function isValid({ revokedAt, expiresAt }: ApiKey, now: number): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > now)
}

function stateOf({ revokedAt, expiresAt }: ApiKey, now: number): string {
  if (revokedAt !== undefined) return 'revoked'
  if (expiresAt === undefined) return 'valid'
  const date = dateOf(expiresAt)
  return expiresAt <= now ? `expired ${date}` : `valid until ${date}`
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** To the minute, in UTC. */
function momentOf(time: number | undefined): string {
  return time === undefined ? 'never' : new Date(time).toISOString().slice(0, 16).replace('T', ' ')
}
