import { Type } from '@sluice/contract'
import {
  type ChangeRequest,
  accountChange,
  accountCreation,
  accountDisabling,
  accountEnabling,
  accountRemoval,
  findAccount,
  shownAccount,
  userUnlinking,
} from '@sluice/gateway/accounts/account-changes.ts'
import { administer } from '@sluice/gateway/accounts/administer.ts'
import { seesAccount } from '@sluice/gateway/accounts/rights.ts'
import type { AccountKind } from '@sluice/gateway/ports/account.ts'
import {
  addressOf,
  type AdminContext,
  changers,
  endpoint,
  readers,
  teamChangers,
} from '../endpoint.ts'
import { parameter } from '../openapi-endpoint.ts'
import { namedAs, pageIn, searched } from '../query.ts'
import { constant, documented, pageOf, text } from '../shapes.ts'
import {
  accountChangesBody,
  accountCreationBody,
  organizationChangesBody,
  organizationCreation,
  shownAccountSchema,
  checkedTerms,
  withTerms,
} from './schemas.ts'

const shown = documented(shownAccountSchema)
const tag = 'Administration'

/** Organizations, teams and users; each kind has the same endpoints. */
export const accountEndpoints = {
  organization: endpointsOf('organization'),
  team: endpointsOf('team'),
  user: { ...endpointsOf('user'), unlink: unlinking() },
}

export const accountAddresses = Object.values(accountEndpoints)
  .flatMap((endpoints) => Object.values(endpoints))
  .map(addressOf)

interface Named {
  readonly kind: AccountKind
  /** The kind as it appears in operation ids. */
  readonly title: string
  readonly path: `/admin/v1/${AccountKind}s`
}

function endpointsOf(kind: AccountKind) {
  const title = `${kind[0]?.toUpperCase()}${kind.slice(1)}`
  const named: Named = { kind, title, path: `/admin/v1/${kind}s` }
  return { ...readingEndpoints(named), ...changingEndpoints(named), ...endingEndpoints(named) }
}

function askedBy(kind: AccountKind, { admin, at }: AdminContext): ChangeRequest {
  return { admin, at, kind }
}

/** Team administrators may change what is in their team, but not organizations. */
function changersOf(kind: AccountKind) {
  return kind === 'organization' ? changers : teamChangers
}

function readingEndpoints({ kind, title, path }: Named) {
  const within = { parentId: parameter(text, 'Only what is in it.') }
  return {
    list: endpoint({
      method: 'GET',
      path,
      access: readers,
      operationId: `list${title}s`,
      summary: `List the ${kind}s`,
      tag,
      query: { ...searched, ...(kind === 'organization' ? {} : within) },
      reply: pageOf(shown),
      async onStore({ query }, { store, admin }) {
        const { parentId } = query
        const accounts = namedAs(query, await store.listAccounts()).filter(
          (account) =>
            account.kind === kind &&
            seesAccount(admin, account) &&
            (parentId === undefined || account.parentId === parentId),
        )
        return pageIn(accounts.map(shownAccount), query)
      },
    }),
    get: endpoint({
      method: 'GET',
      path: `${path}/{id}`,
      access: readers,
      operationId: `get${title}`,
      summary: `Retrieve the ${kind}`,
      tag,
      reply: shown,
      onStore: async ({ path: { id } }, { store, admin }) =>
        shownAccount(findAccount({ admin, kind }, { accounts: await store.listAccounts() }, id)),
    }),
  }
}

function changingEndpoints({ kind, title, path }: Named) {
  return {
    create: endpoint({
      method: 'POST',
      path,
      access: kind === 'user' ? teamChangers : changers,
      operationId: `create${title}`,
      summary: `Create ${kind === 'organization' ? 'an' : 'a'} ${kind}`,
      tag,
      body: kind === 'organization' ? organizationCreation : accountCreationBody,
      example: { name: `first-${kind}`, budgets: [{ limitMicroUsd: 10_000_000, window: 'month' }] },
      reply: shown,
      onStore: ({ body }, context) =>
        administer(context, accountCreation(askedBy(kind, context), withTerms(body))),
    }),
    change: endpoint({
      method: 'PATCH',
      path: `${path}/{id}`,
      access: changersOf(kind),
      operationId: `change${title}`,
      summary: `Change the ${kind}${kind === 'organization' ? '' : ', or move it'}; null takes a term away`,
      tag,
      body: kind === 'organization' ? organizationChangesBody : accountChangesBody,
      example: { requestsPerMinute: 600, budgets: null },
      reply: shown,
      onStore: ({ path: { id }, body }, context) =>
        administer(context, accountChange(askedBy(kind, context), id, checkedTerms(body))),
    }),
  }
}

function endingEndpoints({ kind, title, path }: Named) {
  const facts = { access: changersOf(kind), tag } as const
  return {
    delete: endpoint({
      ...facts,
      method: 'DELETE',
      path: `${path}/{id}`,
      operationId: `delete${title}`,
      summary: `Delete the ${kind}, to which nothing may belong but revoked keys`,
      reply: Type.Unsafe<{ readonly id: string; readonly deleted: true }>({
        type: 'object',
        properties: { id: text, deleted: constant(true) },
      }),
      onStore: ({ path: { id } }, context) =>
        administer(context, accountRemoval(askedBy(kind, context), id)),
    }),
    disable: endpoint({
      ...facts,
      method: 'POST',
      path: `${path}/{id}/disable`,
      operationId: `disable${title}`,
      summary: `Disable the ${kind} and every key below it, and end their calls`,
      reply: shown,
      onStore: ({ path: { id } }, context) =>
        administer(context, accountDisabling(askedBy(kind, context), id)),
    }),
    enable: endpoint({
      ...facts,
      method: 'POST',
      path: `${path}/{id}/enable`,
      operationId: `enable${title}`,
      summary: `Enable the ${kind} again`,
      reply: shown,
      onStore: ({ path: { id } }, context) =>
        administer(context, accountEnabling(askedBy(kind, context), id)),
    }),
  }
}

function unlinking() {
  return endpoint({
    method: 'POST',
    path: '/admin/v1/users/{id}/unlink',
    access: teamChangers,
    operationId: 'unlinkUser',
    summary: 'Take the person who signs in as the user away from it, and end their sessions',
    tag,
    reply: shown,
    onStore: ({ path: { id } }, context) =>
      administer(context, userUnlinking(askedBy('user', context), id)),
  })
}
