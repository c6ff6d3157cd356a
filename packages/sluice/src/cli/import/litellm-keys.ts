import type { Account } from '@sluice/gateway/ports/account.ts'
import type { ApiKey, OlderSecret } from '@sluice/gateway/ports/api-key.ts'
import type { OperationName } from '@sluice/contract'
import { hashSecret } from '@sluice/gateway/accounts/secrets.ts'
import { type ImportedAccounts, importedId, nameOf } from './imported-accounts.ts'
import { type LitellmContext, readTerms } from './litellm-terms.ts'
import type { SourceRow } from './source-rows.ts'
import { isWeakHash, weaknessOf } from './weak-secrets.ts'

type Key = ImportedAccounts['keys'][number]

interface KeyContext extends LitellmContext {
  /** Accounts that are imported; the team of keys that belong to an organization alone is added. */
  readonly accounts: Map<string, Account>
  /** Rows of earlier secrets of the key that are valid for a while. */
  readonly older: readonly SourceRow[]
  readonly masterHash: string | undefined
}

/** The team in which LiteLLM keeps the sessions of its dashboard. */
const dashboardTeam = 'litellm-dashboard'
const olderMax = 4

/** A row of LiteLLM_VerificationToken as a key; undefined if it is not imported, which the report says. */
export function readLitellmKey(row: SourceRow, context: KeyContext): Key | undefined {
  const token = row.text('token') ?? ''
  const reason = whyNot(row, token, context)
  if (reason !== undefined) {
    row.leave(reason)
    return undefined
  }
  const id = importedId('key', 'litellm', token)
  const { terms, isUnbounded } = readTerms(row, id, context)
  const routes = readRoutes(row)
  const owner = ownerOf(row, context)
  const isHeld = [isUnbounded, routes.isUnbounded, hasOtherBounds(row)].includes(true)
  const expiresAt = row.time('expires')
  const createdAt = row.time('created_at') ?? context.now
  for (const name of ['token', 'key_name', 'key_alias', 'expires', 'created_at']) row.taken(name)
  row.changed('blocked', 'disabled')
  const olderSecrets = readOlder(context)
  const key: Key = {
    id,
    name: nameOf(row.text('key_alias'), row.text('key_name'), token.slice(0, 8)),
    ...hashOf(token),
    prefix: (row.text('key_name') ?? 'sk-').slice(0, 32),
    createdAt,
    ...(owner && { ownerId: owner }),
    ...((row.flag('blocked') || isHeld) && { disabledAt: context.now }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(olderSecrets.length > 0 && { olderSecrets }),
    ...terms,
    ...(routes.operations && { operations: routes.operations }),
    ...withUser(row, terms.metadata),
  }
  row.end(keyReasons)
  return key
}

/** LiteLLM keeps SHA-256 of the whole secret; very old rows have the secret itself. */
function hashOf(token: string): Pick<ApiKey, 'hash' | 'hashScheme'> {
  return token.startsWith('sk-')
    ? { hash: hashSecret(token) }
    : { hash: token, hashScheme: 'whole' }
}

function whyNot(
  row: SourceRow,
  token: string,
  { masterHash }: Pick<KeyContext, 'masterHash'>,
): string | undefined {
  if (row.text('team_id') === dashboardTeam) return 'it is a session of LiteLLM’s dashboard'
  const isPlain = token.startsWith('sk-')
  if (!isPlain && !/^[0-9a-f]{64}$/.test(token)) return 'its token is no hash of a secret'
  if (token === masterHash) return 'it is the master key'
  const weakness = isPlain ? weaknessOf(token) : undefined
  if (weakness !== undefined) return `${weakness}: make a new key`
  if (isWeakHash(token)) return 'its secret is one of examples or a short number: make a new key'
  const routes = row.list('allowed_routes')
  if (
    routes.length > 0 &&
    routes.every((one) =>
      /^(?:management|info)_routes$|^\/(?:key|user|team|model|spend|global|organization)\//.test(
        one,
      ),
    )
  )
    return 'it administers LiteLLM only'
  return undefined
}

/**
 * LiteLLM applies the limits of a key's team, or of its user if it has no team, and of the organization above. A key of an
 * organization alone gets a team for such keys.
 */
function ownerOf(row: SourceRow, { accounts, now }: KeyContext): string | undefined {
  const [team, user, organization] = ['team_id', 'user_id', 'organization_id'].map((name) =>
    row.text(name),
  )
  const known = (kind: Account['kind'], theirs: string | undefined) => {
    const id = theirs === undefined ? undefined : importedId(kind, 'litellm', theirs)
    return id !== undefined && accounts.has(id) ? id : undefined
  }
  const inTeam = team === undefined || user === undefined ? undefined : memberName(user, team)
  const ofTeam = known('user', inTeam) ?? known('team', team)
  if (team !== undefined)
    if (ofTeam !== undefined) row.taken('team_id', 'owner')
    else row.left('team_id', 'there is no such team')
  const ofUser = ofTeam === undefined ? known('user', user) : undefined
  if (ofTeam !== undefined)
    row.changed('user_id', 'metadata.user: limits of the user do not apply to keys of a team')
  else if (ofUser !== undefined) row.taken('user_id', 'owner')
  else row.changed('user_id', 'metadata.user: there is no such user')
  const above = known('organization', organization)
  if (ofTeam !== undefined || ofUser !== undefined || above === undefined) {
    row.taken('organization_id', 'by its owner')
    return ofTeam ?? ofUser
  }
  row.changed('organization_id', 'its owner is a team of the organization, made for such keys')
  const id = importedId('team', 'litellm', `keys of ${organization}`)
  const name = nameOf(`${accounts.get(above)?.name ?? ''} (keys)`)
  accounts.set(id, { id, kind: 'team', name, parentId: above, createdAt: now })
  return id
}

/** Their name for a user within a team, whose keys have limits of their own. */
export function memberName(user: string, team: string): string {
  return `${user} in ${team}`
}

function withUser(row: SourceRow, metadata: Key['metadata']): Pick<Key, 'metadata'> {
  const user = row.text('user_id')
  if (user === undefined || Object.keys(metadata ?? {}).length >= 16) return {}
  return { metadata: { ...metadata, user: user.slice(0, 512) } }
}

/** Operations by the end of their path. */
const operations: Readonly<Record<string, OperationName>> = {
  'audio/speech': 'speak',
  'audio/transcriptions': 'transcribe',
  'chat/completions': 'chat',
  completions: 'complete',
  embeddings: 'embed',
  'images/generations': 'createImage',
  messages: 'chat',
  moderations: 'moderate',
  rerank: 'rerank',
  responses: 'chat',
}

const everyRoute = /^(?:llm_api_routes|openai_routes|\*|\/\*|\/v1\/\*)$/

function readRoutes(row: SourceRow): {
  readonly operations?: readonly OperationName[]
  readonly isUnbounded: boolean
} {
  const routes = row.list('allowed_routes')
  if (routes.length === 0 || routes.some((one) => everyRoute.test(one))) {
    row.taken('allowed_routes', 'all operations')
    return { isUnbounded: false }
  }
  const known = routes.flatMap((one) => operations[one.replace(/^\/?(?:v\d\/)?/, '')] ?? [])
  if (known.length === 0) {
    row.left('allowed_routes', 'no operation is meant: the key is disabled until it has operations')
    return { isUnbounded: true }
  }
  row.changed('allowed_routes', `operations: ${[...new Set(known)].join(', ')}`)
  return { operations: [...new Set(known)], isUnbounded: false }
}

/** Bounds that keys do not have here. The key is disabled, so that it does not get more than it had. */
function hasOtherBounds(row: SourceRow): boolean {
  let isFound = false
  for (const name of ['project_id', 'access_group_ids', 'budget_limits']) {
    const value = row.json(name)
    const isSet =
      row.text(name) !== undefined ||
      row.list(name).length > 0 ||
      (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
    if (!isSet) continue
    row.left(
      name,
      'a bound that keys do not have: the key is disabled until someone has looked at it',
    )
    isFound = true
  }
  return isFound
}

function readOlder({ older, now }: KeyContext): readonly OlderSecret[] {
  return older
    .flatMap((row): readonly OlderSecret[] => {
      const token = row.text('token') ?? ''
      const expiresAt = row.time('revoke_at') ?? 0
      if (!/^[0-9a-f]{64}$/.test(token) || expiresAt <= now) {
        row.leave('it is not valid any more')
        return []
      }
      for (const name of ['id', 'token', 'active_token_id', 'revoke_at', 'created_at'])
        row.taken(name, 'an older secret of the key')
      row.end({})
      return [{ hash: token, hashScheme: 'whole', prefix: '', expiresAt }]
    })
    .slice(0, olderMax)
}

const ofLitellm = 'it is of LiteLLM’s own administration'
const keyReasons: Readonly<Record<string, string>> = {
  agent_id: 'there are no agents',
  aliases: 'names of models are those of routes, for all',
  allowed_cache_controls: 'Sluice does not keep responses to answer with them again',
  auto_rotate: 'keys are rotated by sluice keys rotate',
  config: 'routes are the same for all',
  created_by: ofLitellm,
  key_rotation_at: 'keys are rotated by sluice keys rotate',
  last_active: ofLitellm,
  last_rotation_at: ofLitellm,
  object_permission_id: 'there are no permissions for MCP servers, agents and stores',
  permissions: 'there are no such permissions',
  policies: 'Sluice runs no code of yours in a call',
  rotation_count: ofLitellm,
  rotation_interval: 'keys are rotated by sluice keys rotate',
  router_settings: 'routes are the same for all',
  soft_budget_cooldown: ofLitellm,
  updated_at: ofLitellm,
  updated_by: ofLitellm,
}
