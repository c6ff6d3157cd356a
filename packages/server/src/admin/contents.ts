import { GatewayError, invalidRequest, Type } from '@sluice/contract'
import { administer } from '@sluice/gateway/accounts/administer.ts'
import { adminOf } from '@sluice/gateway/accounts/rights.ts'
import type { AdminRole } from '@sluice/gateway/ports/api-key.ts'
import type { ContentQuestion, KeptContent } from '@sluice/gateway/ports/content.ts'
import type { Address, Exchange } from '../address.ts'
import { one } from '../models.ts'
import { object, query, text } from '../openapi-written.ts'
import {
  assertKnown,
  readLimit,
  readCursor,
  badCursor,
  readScope,
  writeCursor,
} from '../usage-query.ts'
import { gatewayAddress } from './gateway-endpoint.ts'
import { closed } from './schemas.ts'

/** Viewers may see usage, but not prompts and responses. */
const roles: readonly AdminRole[] = ['owner', 'operator', 'team']
const tag = 'Requests'

const id = Type.String({ minLength: 1, maxLength: 100 })
const integer = { type: 'integer' }
const isSo = { type: 'boolean' }
const idOrNull = { type: ['string', 'null'] }

const contentSchema = object({
  callId: text,
  requestId: idOrNull,
  keyId: text,
  userId: idOrNull,
  teamId: idOrNull,
  organizationId: idOrNull,
  createdAt: { ...integer, description: 'Milliseconds since the epoch.' },
  operation: text,
  format: text,
  request: {
    ...text,
    description: 'Masked. JSON where it was JSON and is whole, text otherwise.',
  },
  answer: { ...text, description: 'The same; of a stream its texts put together.' },
  requestCut: { ...isSo, description: 'There was more than is kept.' },
  answerCut: isSo,
  masked: { ...integer, description: 'How often something was replaced.' },
})

/** Stored prompts and responses. Every read is recorded in the audit log. */
export const contentAddresses: readonly Address[] = [
  gatewayAddress({
    method: 'GET',
    path: '/admin/v1/requests/{id}/content',
    roles,
    operationId: 'getRequestContent',
    summary:
      'Get the prompt and the answer of a call, where they are kept; the audit log says who did',
    tag,
    reply: contentSchema,
    serve: retrieve,
  }),
  gatewayAddress({
    method: 'GET',
    path: '/admin/v1/contents',
    roles,
    operationId: 'listContents',
    summary:
      'Export prompts and answers that are kept, the oldest first; the audit log says who did',
    tag,
    parameters: [
      query('from', text, 'The first moment, as in usage. Default: a month ago.'),
      query('to', text, 'The moment after the last. Default: now.'),
      query('key', text, 'Only of this key.'),
      query('user', text, 'Only of this user.'),
      query('team', text, 'Only of this team.'),
      query('limit', { type: 'integer', minimum: 1 }, 'Calls per page.'),
      query('cursor', text, 'The `nextCursor` of the page before.'),
    ],
    reply: object({ data: { type: 'array', items: contentSchema }, nextCursor: idOrNull }),
    serve: list,
  }),
  gatewayAddress({
    method: 'POST',
    path: '/admin/v1/contents/erase',
    roles: ['owner', 'operator'],
    operationId: 'eraseContents',
    summary: 'Remove the prompts and answers of a user or a key; what they used stays',
    tag,
    body: closed({ user: Type.Optional(id), key: Type.Optional(id) }),
    example: { user: 'user_1' },
    reply: object({ contents: { ...integer, minimum: 0 } }),
    serve: erase,
  }),
]

async function erase(
  exchange: Exchange,
  { user, key }: Readonly<Record<string, unknown>>,
): Promise<object> {
  if ((user === undefined) === (key === undefined))
    throw invalidRequest("Either 'user' or 'key' must be given", 'user')
  const { gateway } = exchange
  const kind = user === undefined ? 'key' : 'user'
  await gateway.contents.flush()
  const contents = await gateway.store.contents.erase({ kind, id: String(user ?? key) })
  await audit(exchange, { action: 'content.erase', target: kind, after: { contents } })
  return { contents }
}

async function retrieve(exchange: Exchange): Promise<object> {
  const { gateway, key, parameters } = exchange
  const { id = '' } = parameters
  const { teamId } = adminOf(key)
  await gateway.contents.flush()
  const found = await gateway.store.contents.find(id)
  if (!found || (teamId !== undefined && found.teamId !== teamId))
    throw new GatewayError('not_found', 'No content of a call with this id is stored')
  await audit(exchange, { action: 'content.read', target: id })
  return shown(found)
}

async function list(exchange: Exchange): Promise<object> {
  const { gateway, key, request } = exchange
  assertKnown(request.query, ['from', 'to', 'key', 'user', 'team', 'limit', 'cursor'])
  const { from, to } = readScope(request.query, { dimensions: [], now: gateway.now() }, 1)
  const limit = readLimit(request.query)
  const after = placeIn(readCursor(request.query))
  await gateway.contents.flush()
  const found = await gateway.store.contents.list({
    from,
    to,
    ...whoseOf(request.query, adminOf(key).teamId),
    limit: limit + 1,
    ...(after && { after }),
  })
  const page = found.slice(0, limit)
  const last = page.at(-1)
  if (last)
    await audit(exchange, {
      action: 'content.read',
      target: 'contents',
      after: { calls: page.length },
    })
  return {
    data: page.map(shown),
    nextCursor: found.length > limit && last ? writeCursor([last.createdAt, last.callId]) : null,
  }
}

/** Team administrators see only their own team, whatever they ask for. */
function whoseOf(asked: unknown, ownTeam: string | undefined): Partial<ContentQuestion> {
  const [keyId, userId] = [one(asked, 'key'), one(asked, 'user')]
  const teamId = ownTeam ?? one(asked, 'team')
  return {
    ...(keyId !== undefined && { keyId }),
    ...(userId !== undefined && { userId }),
    ...(teamId !== undefined && { teamId }),
  }
}

function placeIn(cursor: readonly (string | number)[] | undefined): ContentQuestion['after'] {
  if (!cursor) return undefined
  const [createdAt, callId, ...more] = cursor
  if (typeof createdAt !== 'number' || typeof callId !== 'string' || more.length > 0)
    throw badCursor()
  return { createdAt, callId }
}

/** Absent fields are returned as null. */
function shown(content: KeptContent): object {
  const absent = { requestId: null, userId: null, teamId: null, organizationId: null }
  return { ...absent, ...content }
}

async function audit(
  { gateway: { store, now }, key: { id: actor } }: Exchange,
  facts: { readonly action: string; readonly target: string; readonly after?: object },
): Promise<void> {
  await administer({ store, actor, at: now() }, () => ({ ...facts, writes: [], result: undefined }))
}
