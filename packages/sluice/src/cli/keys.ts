import type { KeyWithSecret, ShownKey } from '@sluice/gateway/accounts/key-changes.ts'
import type { Environment } from '../config/env.ts'
import type { AdminRole } from '@sluice/gateway/ports/api-key.ts'
import { type AdminConnection, findNamed, listAll, openAdmin } from './ask-admin.ts'
import { CommandError } from './command-error.ts'
import { formatTable } from './table.ts'
import { clearedTerms, type TermsOptions, termsOf } from './terms-options.ts'

export interface CreateKeyOptions extends TermsOptions {
  readonly name: string
  readonly admin?: boolean
  readonly adminRole?: AdminRole
  /** The id of a user or a team. */
  readonly owner?: string
  readonly json?: boolean
}

/** The output of a command: results go to standard output, for other programs, and notes to standard error. */
export interface Printed {
  readonly text: string
  readonly notes: readonly string[]
}

type ListedKey = ShownKey & { readonly lastUsedAt?: number }

/** Creates a key, which a running gateway accepts within a second. Standard output holds only the secret, or JSON. */
export async function createKeyCommand(
  environment: Environment,
  options: CreateKeyOptions,
): Promise<Printed> {
  const { name, admin = false, adminRole, owner, json = false } = options
  await using connection = await openAdmin(environment)
  const now = Date.now()
  const namesakes = (await keysIn(connection)).filter(
    (other) => other.name === name && isValid(other, now),
  )
  const made: KeyWithSecret = await connection.ask('POST /admin/v1/keys', {
    name,
    ...((admin || adminRole !== undefined) && { role: 'administrator' }),
    ...(adminRole !== undefined && { adminRole }),
    ...(owner !== undefined && { ownerId: owner }),
    ...termsOf(options, now),
  })
  const warnings = namesakes.map(({ id }) => `Warning: the key ${id} has the same name.`)
  if (json) return { text: JSON.stringify(withoutKind(made), null, 2), notes: warnings }
  const sentence = `Created ${made.id} (${name}). The secret is shown only once: it is not stored.`
  return { text: made.secret, notes: [sentence, ...warnings] }
}

export interface ChangeKeyOptions extends TermsOptions {
  readonly name?: string
  /** The id of another user or team. */
  readonly owner?: string
  /** Terms to remove; may include `owner`. */
  readonly clear?: readonly string[]
  readonly json?: boolean
}

/** Changes the name, owner or terms of a key. A running gateway applies it within a second. */
export async function changeKeyCommand(
  environment: Environment,
  asked: string,
  options: ChangeKeyOptions,
): Promise<string> {
  await using connection = await openAdmin(environment)
  const { name, owner, clear, json = false } = options
  const changes = {
    ...clearedTerms(clear),
    ...(name !== undefined && { name }),
    ...(owner !== undefined && { ownerId: owner }),
    ...termsOf(options, Date.now()),
  }
  const fields = Object.keys(changes)
  if (fields.length === 0)
    throw new CommandError('Say what shall be otherwise: sluice keys change --help')
  const { id } = await keyNamed(connection, asked)
  const key: ListedKey = await connection.ask(`PATCH /admin/v1/keys/${id}`, changes)
  if (json) return JSON.stringify(withoutKind(key), null, 2)
  return `Changed ${id} (${key.name}): ${fields.join(', ')}.`
}

/** Lists all keys with their stored data, without hashes and secrets. */
export async function listKeysCommand(
  environment: Environment,
  { json = false }: { readonly json?: boolean },
): Promise<string> {
  await using connection = await openAdmin(environment)
  const keys = await keysIn(connection)
  if (json) return JSON.stringify(keys.map(withoutKind), null, 2)
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
      key.adminRole ?? key.role,
      `${key.prefix}…`,
      stateOf(key, now),
      dateOf(key.createdAt),
      momentOf(key.lastUsedAt),
      key.requestsPerMinute?.toString() ?? 'default',
      key.models?.join(', ') ?? 'all',
    ]),
  )
}

interface PrintOptions {
  readonly json?: boolean
}

/** Revokes a key by id, or by name if one valid key has it. */
export async function revokeKeyCommand(
  environment: Environment,
  asked: string,
  { json = false }: PrintOptions,
): Promise<string> {
  await using connection = await openAdmin(environment)
  const { id, name, revokedAt } = await keyNamed(connection, asked)
  const key: ListedKey = await connection.ask(`POST /admin/v1/keys/${id}/revoke`)
  if (json) return JSON.stringify(withoutKind(key), null, 2)
  if (revokedAt !== undefined) return `${id} (${name}) was revoked already.`
  return `Revoked ${id} (${name}). A running gateway refuses it within a second.`
}

/** Gives a key a new secret; the previous one stays valid for `overlap` seconds. */
export async function rotateKeyCommand(
  environment: Environment,
  asked: string,
  { overlap = 0, json = false }: { readonly overlap?: number; readonly json?: boolean },
): Promise<Printed> {
  await using connection = await openAdmin(environment)
  const { id, name } = await keyNamed(connection, asked)
  const made: KeyWithSecret = await connection.ask(`POST /admin/v1/keys/${id}/rotate`, {
    overlapSeconds: overlap,
  })
  if (json) return { text: JSON.stringify(withoutKind(made), null, 2), notes: [] }
  const good = overlap === 0 ? 'is not valid any more' : `is valid for ${overlap} seconds more`
  return { text: made.secret, notes: [`Rotated ${id} (${name}). The secret before ${good}.`] }
}

/** Disables a key, or enables it again. */
export async function switchKeyCommand(
  environment: Environment,
  asked: string,
  { what, json = false }: PrintOptions & { readonly what: 'disable' | 'enable' },
): Promise<string> {
  await using connection = await openAdmin(environment)
  const { id, name } = await keyNamed(connection, asked)
  const key: ListedKey = await connection.ask(`POST /admin/v1/keys/${id}/${what}`)
  if (json) return JSON.stringify(withoutKind(key), null, 2)
  return `${what === 'disable' ? 'Disabled' : 'Enabled'} ${id} (${name}).`
}

function keysIn(connection: AdminConnection): Promise<readonly ListedKey[]> {
  return listAll<ListedKey>(connection, '/admin/v1/keys')
}

/** Revoked keys are found by name only if no other key has it. */
async function keyNamed(connection: AdminConnection, asked: string): Promise<ListedKey> {
  const keys = await keysIn(connection)
  const active = keys.filter(({ revokedAt }) => revokedAt === undefined)
  const isLeft = active.some(({ name }) => name === asked) && !keys.some(({ id }) => id === asked)
  return findNamed(isLeft ? active : keys, asked, { what: 'key', list: 'keys' })
}

function withoutKind({ object: _object, ...key }: ListedKey): object {
  return key
}

function isValid({ revokedAt, disabledAt, expiresAt }: ShownKey, now: number): boolean {
  const isSwitchedOff = revokedAt !== undefined || disabledAt !== undefined
  return !isSwitchedOff && (expiresAt === undefined || expiresAt > now)
}

function stateOf({ revokedAt, disabledAt, expiresAt }: ShownKey, now: number): string {
  if (revokedAt !== undefined) return 'revoked'
  if (disabledAt !== undefined) return 'disabled'
  if (expiresAt === undefined) return 'valid'
  const date = dateOf(expiresAt)
  return expiresAt <= now ? `expired ${date}` : `valid until ${date}`
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** Minute precision, in UTC. */
function momentOf(time: number | undefined): string {
  return time === undefined ? 'never' : new Date(time).toISOString().slice(0, 16).replace('T', ' ')
}
