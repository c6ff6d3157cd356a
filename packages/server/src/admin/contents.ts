import { GatewayError, invalidRequest, Type } from '@sluice/contract'
import { administer } from '@sluice/gateway/accounts/administer.ts'
import { adminOf } from '@sluice/gateway/accounts/rights.ts'
import type { AdminRole } from '@sluice/gateway/ports/api-key.ts'
import type { ContentQuery, StoredContent } from '@sluice/gateway/ports/content.ts'
import type { Exchange } from '../address.ts'
import { addressOf, changers, endpoint } from '../endpoint.ts'
import { parameter } from '../openapi-endpoint.ts'
import type { Values } from '../query.ts'
import { count, described, flag, integer, list, object, text, textOrNull } from '../shapes.ts'
import { readLimit, readCursor, badCursor, readScope, writeCursor } from '../usage-query.ts'
import { closed, id } from './schemas.ts'

/** Viewers may see usage, but not prompts and responses. */
const roles: readonly AdminRole[] = ['owner', 'operator', 'team']
const tag = 'Requests'

const contentSchema = object({
  callId: text,
  requestId: textOrNull,
  keyId: text,
  userId: textOrNull,
  teamId: textOrNull,
  organizationId: textOrNull,
  createdAt: described(integer, 'Milliseconds since the epoch.'),
  operation: text,
  format: text,
  request: described(text, 'Masked. JSON if it was JSON and is not truncated, otherwise text.'),
  answer: described(text, 'The same; for a stream, its concatenated text.'),
  requestCut: described(flag, 'There was more than is kept.'),
  answerCut: flag,
  masked: described(integer, 'The number of replacements.'),
})

const filters = {
  from: parameter(text, 'The first moment, as in usage. Default: a month ago.'),
  to: parameter(text, 'The moment after the last. Default: now.'),
  key: parameter(text, 'Only of this key.'),
  user: parameter(text, 'Only of this user.'),
  team: parameter(text, 'Only of this team.'),
  limit: parameter({ type: 'integer', minimum: 1 }, 'Calls per page.'),
  cursor: parameter(text, 'The `nextCursor` of the page before.'),
}

/** Stored prompts and responses. Every read is recorded in the audit log. */
export const contentEndpoints = {
  get: endpoint({
    method: 'GET',
    path: '/admin/v1/requests/{id}/content',
    access: roles,
    operationId: 'getRequestContent',
    summary:
      'Get the prompt and the answer of a call, where they are kept; the audit log says who did',
    tag,
    reply: contentSchema,
    async answer({ path: { id } }, exchange) {
      const { gateway, key } = exchange
      const { teamId } = adminOf(key)
      await gateway.contents.flush()
      const found = await gateway.store.contents.find(id)
      if (!found || (teamId !== undefined && found.teamId !== teamId))
        throw new GatewayError('not_found', 'No content of a call with this id is stored')
      await audit(exchange, { action: 'content.read', target: id })
      return shown(found)
    },
  }),
  list: endpoint({
    method: 'GET',
    path: '/admin/v1/contents',
    access: roles,
    operationId: 'listContents',
    summary:
      'Export prompts and answers that are kept, the oldest first; the audit log says who did',
    tag,
    query: filters,
    refusesUnknown: true,
    reply: object({ data: list(contentSchema), nextCursor: textOrNull }),
    answer: page,
  }),
  erase: endpoint({
    method: 'POST',
    path: '/admin/v1/contents/erase',
    access: changers,
    operationId: 'eraseContents',
    summary:
      'Remove the prompts and responses of a user or a key, with stored responses and conversations; their usage is kept',
    tag,
    body: closed({ user: Type.Optional(id), key: Type.Optional(id) }),
    example: { user: 'user_1' },
    reply: object({ contents: count, stored: count }),
    async answer({ body: { user, key } }, exchange) {
      if ((user === undefined) === (key === undefined))
        throw invalidRequest("Either 'user' or 'key' must be given", 'user')
      const { gateway } = exchange
      const kind = user === undefined ? 'key' : 'user'
      await gateway.contents.flush()
      const contents = await gateway.store.contents.erase({ kind, id: String(user ?? key) })
      const stored = await gateway.store.eraseStored({ kind, id: String(user ?? key) })
      const erased = { contents, stored }
      await audit(exchange, { action: 'content.erase', target: kind, after: erased })
      return erased
    },
  }),
}

export const contentAddresses = Object.values(contentEndpoints).map(addressOf)

async function page({ query }: { readonly query: Values<typeof filters> }, exchange: Exchange) {
  const { gateway, key } = exchange
  const { from, to } = readScope(query, { dimensions: [], now: gateway.now() }, 1)
  const limit = readLimit(query.limit)
  const after = placeIn(readCursor(query.cursor))
  await gateway.contents.flush()
  const found = await gateway.store.contents.list({
    from,
    to,
    ...whoseOf(query, adminOf(key).teamId),
    limit: limit + 1,
    ...(after && { after }),
  })
  const kept = found.slice(0, limit)
  const last = kept.at(-1)
  if (last)
    await audit(exchange, {
      action: 'content.read',
      target: 'contents',
      after: { calls: kept.length },
    })
  return {
    data: kept.map(shown),
    nextCursor: found.length > limit && last ? writeCursor([last.createdAt, last.callId]) : null,
  }
}

/** Team administrators see only their own team, whatever they ask for. */
function whoseOf(
  { key: keyId, user: userId, team }: Values<typeof filters>,
  ownTeam: string | undefined,
): Partial<ContentQuery> {
  const teamId = ownTeam ?? team
  return {
    ...(keyId !== undefined && { keyId }),
    ...(userId !== undefined && { userId }),
    ...(teamId !== undefined && { teamId }),
  }
}

function placeIn(cursor: readonly (string | number)[] | undefined): ContentQuery['after'] {
  if (!cursor) return undefined
  const [createdAt, callId, ...more] = cursor
  if (typeof createdAt !== 'number' || typeof callId !== 'string' || more.length > 0)
    throw badCursor()
  return { createdAt, callId }
}

/** Absent fields are returned as null. */
function shown(content: StoredContent) {
  const absent = { requestId: null, userId: null, teamId: null, organizationId: null }
  return { ...absent, ...content }
}

async function audit(
  { gateway: { store, now }, key: { id: actor } }: Exchange,
  facts: { readonly action: string; readonly target: string; readonly after?: object },
): Promise<void> {
  await administer({ store, actor, at: now() }, () => ({ ...facts, writes: [], result: undefined }))
}
