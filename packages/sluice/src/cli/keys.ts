import type { Environment } from '../config/env.ts'
import { keyEndpoints } from '@sluice/server/admin/keys.ts'
import type { AdminRole } from '@sluice/gateway/ports/api-key.ts'
import { jsonOf } from './accounts.ts'
import { allKeys, find, type ListedKey, openAdmin } from './ask-admin.ts'
import type { JsonOption, Printed } from './command.ts'
import { dayOf } from './day.ts'
import { formatTable } from './table.ts'
import { type TermsOptions, termsOf } from './terms-options.ts'

export interface CreateKeyOptions extends TermsOptions, JsonOption {
  readonly name: string
  readonly admin?: boolean
  readonly adminRole?: AdminRole
  /** The id of a user or a team. */
  readonly owner?: string
}

type PrintedKey = Printed & Required<Pick<Printed, 'notes'>>

/** Creates a key, which a running gateway accepts within a second. Standard output holds only the secret, or JSON. */
export async function createKeyCommand(
  environment: Environment,
  options: CreateKeyOptions,
): Promise<PrintedKey> {
  const { name, admin = false, adminRole, owner, json = false } = options
  await using connection = await openAdmin(environment)
  const now = Date.now()
  const namesakes = (await allKeys(connection)).filter(
    (other) => other.name === name && isValid(other, now),
  )
  const isAdministrator = admin || adminRole !== undefined
  const made = await connection.ask(keyEndpoints.create, {
    body: {
      name,
      ...(isAdministrator && { role: 'administrator' as const }),
      ...(adminRole !== undefined && { adminRole }),
      ...(owner !== undefined && { ownerId: owner }),
      ...termsOf(options, now),
    },
  })
  const warnings = namesakes.map(({ id }) => `Warning: the key ${id} has the same name.`)
  if (json) return { text: jsonOf(made), notes: warnings }
  const sentence = `Created ${made.id} (${name}). The secret is shown only once: it is not stored.`
  return { text: made.secret, notes: [sentence, ...warnings] }
}

/** Lists all keys with their stored data, without hashes and secrets. */
export async function listKeysCommand(
  environment: Environment,
  { json = false }: JsonOption,
): Promise<string> {
  await using connection = await openAdmin(environment)
  const keys = await allKeys(connection)
  if (json) {
    const shown = keys.map(({ object: _, ...key }) => key)
    return JSON.stringify(shown, null, 2)
  }
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
      dayOf(key.createdAt),
      momentOf(key.lastUsedAt),
      key.requestsPerMinute?.toString() ?? 'default',
      key.models?.join(', ') ?? 'all',
    ]),
  )
}

/** Gives a key a new secret; the previous one stays valid for `overlap` seconds. */
export async function rotateKeyCommand(
  environment: Environment,
  asked: string,
  { overlap = 0, json = false }: JsonOption & { readonly overlap?: number },
): Promise<PrintedKey> {
  await using connection = await openAdmin(environment)
  const { id, name } = await find(connection, 'key', asked)
  const made = await connection.ask(keyEndpoints.rotate, {
    path: { id },
    body: { overlapSeconds: overlap },
  })
  if (json) return { text: jsonOf(made), notes: [] }
  const good = overlap === 0 ? 'is not valid any more' : `is valid for ${overlap} seconds more`
  return { text: made.secret, notes: [`Rotated ${id} (${name}). The secret before ${good}.`] }
}

function isValid({ revokedAt, disabledAt, expiresAt }: ListedKey, now: number): boolean {
  const isSwitchedOff = revokedAt !== undefined || disabledAt !== undefined
  return !isSwitchedOff && (expiresAt === undefined || expiresAt > now)
}

function stateOf({ revokedAt, disabledAt, expiresAt }: ListedKey, now: number): string {
  if (revokedAt !== undefined) return 'revoked'
  if (disabledAt !== undefined) return 'disabled'
  if (expiresAt === undefined) return 'valid'
  const date = dayOf(expiresAt)
  return expiresAt <= now ? `expired ${date}` : `valid until ${date}`
}

/** Minute precision, in UTC. */
function momentOf(time: number | undefined): string {
  return time === undefined ? 'never' : new Date(time).toISOString().slice(0, 16).replace('T', ' ')
}
