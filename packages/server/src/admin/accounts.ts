import {
  type AccountChanges,
  type ChangeRequest,
  accountChange,
  accountCreation,
  accountDisabling,
  accountEnabling,
  accountRemoval,
  findAccount,
  type NewAccount,
  shownAccount,
  userUnlinking,
} from '@sluice/gateway/accounts/account-changes.ts'
import { administer } from '@sluice/gateway/accounts/administer.ts'
import { seesAccount } from '@sluice/gateway/accounts/rights.ts'
import type { AccountKind } from '@sluice/gateway/ports/account.ts'
import { one } from '../models.ts'
import { toJsonSchema } from '../openapi-schema.ts'
import { pageOf, paging, query, text } from '../openapi-written.ts'
import {
  type AdminContext,
  type AdminEndpoint,
  changers,
  namedAs,
  pageIn,
  readers,
  search,
  teamChangers,
} from './endpoint.ts'
import {
  accountChangesBody,
  accountCreationBody,
  organizationChangesBody,
  organizationCreation,
  shownAccountSchema,
  checkedTerms,
  withTerms,
} from './schemas.ts'

const shown = toJsonSchema(shownAccountSchema, 'json')

/** Organizations, teams and users; each kind has the same endpoints. */
export const accountEndpoints: readonly AdminEndpoint[] = (
  ['organization', 'team', 'user'] as const
).flatMap(endpointsOf)

function endpointsOf(kind: AccountKind): readonly AdminEndpoint[] {
  const title = `${kind[0]?.toUpperCase()}${kind.slice(1)}`
  const named: Named = { kind, title, path: `/admin/v1/${kind}s` }
  return [
    ...readingEndpoints(named),
    ...changingEndpoints(named),
    ...endingEndpoints(named),
    ...(kind === 'user' ? [unlinking(named)] : []),
  ]
}

interface Named {
  readonly kind: AccountKind
  /** The kind as it appears in operation ids. */
  readonly title: string
  readonly path: string
}

function doing({ store, admin, at, hasFixedOwner }: AdminContext) {
  return { store, actor: admin.id, at, hasFixedOwner }
}

function askedBy(kind: AccountKind, { admin, at }: AdminContext): ChangeRequest {
  return { admin, at, kind }
}

/** Team administrators may change what is in their team, but not organizations. */
function changersOf(kind: AccountKind) {
  return kind === 'organization' ? changers : teamChangers
}

function readingEndpoints({ kind, title, path }: Named): readonly AdminEndpoint[] {
  return [
    {
      method: 'GET',
      path,
      roles: readers,
      operationId: `list${title}s`,
      summary: `List the ${kind}s`,
      parameters: [
        ...paging,
        search,
        ...(kind === 'organization' ? [] : [query('parentId', text, 'Only what is in it.')]),
      ],
      reply: pageOf(shown),
      async serve({ store, admin }, { query: given }) {
        const parentId = one(given, 'parentId')
        const accounts = namedAs(given, await store.listAccounts()).filter(
          (account) =>
            account.kind === kind &&
            seesAccount(admin, account) &&
            (parentId === undefined || account.parentId === parentId),
        )
        return pageIn(accounts.map(shownAccount), given)
      },
    },
    {
      method: 'GET',
      path: `${path}/{id}`,
      roles: readers,
      operationId: `get${title}`,
      summary: `Retrieve the ${kind}`,
      reply: shown,
      serve: async ({ store, admin }, { id }) =>
        shownAccount(findAccount({ admin, kind }, { accounts: await store.listAccounts() }, id)),
    },
  ]
}

function changingEndpoints({ kind, title, path }: Named): readonly AdminEndpoint[] {
  return [
    {
      method: 'POST',
      path,
      roles: kind === 'user' ? teamChangers : changers,
      operationId: `create${title}`,
      summary: `Create ${kind === 'organization' ? 'an' : 'a'} ${kind}`,
      body: kind === 'organization' ? organizationCreation : accountCreationBody,
      example: { name: `first-${kind}`, budgets: [{ limitMicroUsd: 10_000_000, window: 'month' }] },
      reply: shown,
      serve: (context, { body }) =>
        administer(
          doing(context),
          accountCreation(askedBy(kind, context), withTerms(body as unknown as NewAccount)),
        ),
    },
    {
      method: 'PATCH',
      path: `${path}/{id}`,
      roles: changersOf(kind),
      operationId: `change${title}`,
      summary: `Change the ${kind}${kind === 'organization' ? '' : ', or move it'}; null takes a term away`,
      body: kind === 'organization' ? organizationChangesBody : accountChangesBody,
      example: { requestsPerMinute: 600, budgets: null },
      reply: shown,
      serve: (context, { id, body }) =>
        administer(
          doing(context),
          accountChange(askedBy(kind, context), id, checkedTerms(body as AccountChanges)),
        ),
    },
  ]
}

function unlinking({ kind, title, path }: Named): AdminEndpoint {
  return {
    method: 'POST',
    path: `${path}/{id}/unlink`,
    roles: changersOf(kind),
    operationId: `unlink${title}`,
    summary: 'Take the person who signs in as the user away from it, and end their sessions',
    reply: shown,
    serve: (context, { id }) =>
      administer(doing(context), userUnlinking(askedBy(kind, context), id)),
  }
}

function endingEndpoints({ kind, title, path }: Named): readonly AdminEndpoint[] {
  return [
    {
      method: 'DELETE',
      path: `${path}/{id}`,
      roles: changersOf(kind),
      operationId: `delete${title}`,
      summary: `Delete the ${kind}, to which nothing may belong but revoked keys`,
      reply: { type: 'object', properties: { id: text, deleted: { const: true } } },
      serve: (context, { id }) =>
        administer(doing(context), accountRemoval(askedBy(kind, context), id)),
    },
    {
      method: 'POST',
      path: `${path}/{id}/disable`,
      roles: changersOf(kind),
      operationId: `disable${title}`,
      summary: `Disable the ${kind} and every key below it, and end their calls`,
      reply: shown,
      serve: (context, { id }) =>
        administer(doing(context), accountDisabling(askedBy(kind, context), id)),
    },
    {
      method: 'POST',
      path: `${path}/{id}/enable`,
      roles: changersOf(kind),
      operationId: `enable${title}`,
      summary: `Enable the ${kind} again`,
      reply: shown,
      serve: (context, { id }) =>
        administer(doing(context), accountEnabling(askedBy(kind, context), id)),
    },
  ]
}
