import type { Role } from '../session.ts'
import { texts } from '../texts/texts.ts'

/** A page in the menu. */
export interface MenuPage {
  readonly path: string
  readonly title: string
  readonly roles: readonly Role[]
  /** The menu group of the page; absent if it is in none. */
  readonly group?: keyof typeof texts.groups
}

const wholeReaders = ['owner', 'operator', 'viewer'] as const
const readers = [...wholeReaders, 'team'] as const

/** In the order of the menu; the first page that a role may see is its start page. */
const menu: readonly MenuPage[] = [
  { path: '/own', title: texts.pages.own, roles: ['caller'] },
  { path: '/overview', title: texts.pages.overview, roles: readers },
  { path: '/requests', title: texts.pages.requests, roles: readers },
  { path: '/usage', title: texts.pages.usage, roles: readers },
  { path: '/models', title: texts.pages.models, roles: wholeReaders, group: 'use' },
  {
    path: '/playground',
    title: texts.pages.playground,
    roles: ['caller', ...readers],
    group: 'use',
  },
  { path: '/keys', title: texts.pages.keys, roles: readers, group: 'access' },
  { path: '/users', title: texts.pages.users, roles: readers, group: 'access' },
  { path: '/teams', title: texts.pages.teams, roles: readers, group: 'access' },
  {
    path: '/organizations',
    title: texts.pages.organizations,
    roles: wholeReaders,
    group: 'access',
  },
  { path: '/audit', title: texts.pages.audit, roles: wholeReaders, group: 'gateway' },
  { path: '/settings', title: texts.pages.settings, roles: wholeReaders, group: 'gateway' },
  { path: '/about', title: texts.pages.about, roles: readers, group: 'gateway' },
]

/** The pages that a role may see. */
export function placesOf(role: Role): readonly MenuPage[] {
  return menu.filter(({ roles }) => roles.includes(role))
}
