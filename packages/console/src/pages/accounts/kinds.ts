import type { OperationId } from '../../api/client.ts'

export type Kind = 'organization' | 'team' | 'user'

/** The corresponding operations of each kind. */
export const kinds = {
  organization: {
    path: '/organizations',
    list: 'listOrganizations',
    get: 'getOrganization',
    create: 'createOrganization',
    change: 'changeOrganization',
    remove: 'deleteOrganization',
    disable: 'disableOrganization',
    enable: 'enableOrganization',
    parents: [],
  },
  team: {
    path: '/teams',
    list: 'listTeams',
    get: 'getTeam',
    create: 'createTeam',
    change: 'changeTeam',
    remove: 'deleteTeam',
    disable: 'disableTeam',
    enable: 'enableTeam',
    parents: ['organization'],
  },
  user: {
    path: '/users',
    list: 'listUsers',
    get: 'getUser',
    create: 'createUser',
    change: 'changeUser',
    remove: 'deleteUser',
    disable: 'disableUser',
    enable: 'enableUser',
    parents: ['team', 'organization'],
  },
} as const satisfies Record<Kind, Record<string, unknown>>

/** The operations to load again after an account has changed. */
export const changedAccounts: readonly OperationId[] = [
  ...(['organization', 'team', 'user'] as const).flatMap((kind) => [
    kinds[kind].list,
    kinds[kind].get,
  ]),
  'listBudgets',
  'listNames',
]
