import type { Role } from '../session.ts'
import { texts } from '../texts/texts.ts'

/** A page in the menu. */
interface MenuPage {
  /** The page's text and, after a slash, its address. */
  readonly name: Exclude<keyof typeof texts.pages, 'notFound'>
  readonly roles: readonly Role[]
  /** The menu group of the page; absent if it is in none. */
  readonly group?: keyof typeof texts.groups
}

const wholeReaders = ['owner', 'operator', 'viewer'] as const
const readers = [...wholeReaders, 'team'] as const

/** In the order of the menu; the first page that a role may see is its start page. */
const menu: readonly MenuPage[] = [
  { name: 'own', roles: ['caller'] },
  { name: 'overview', roles: readers },
  { name: 'requests', roles: readers },
  { name: 'usage', roles: readers },
  { name: 'models', roles: wholeReaders, group: 'use' },
  { name: 'playground', roles: ['caller', ...readers], group: 'use' },
  { name: 'keys', roles: readers, group: 'access' },
  { name: 'users', roles: readers, group: 'access' },
  { name: 'teams', roles: readers, group: 'access' },
  { name: 'organizations', roles: wholeReaders, group: 'access' },
  { name: 'audit', roles: wholeReaders, group: 'gateway' },
  { name: 'settings', roles: wholeReaders, group: 'gateway' },
  { name: 'about', roles: readers, group: 'gateway' },
]

/** The pages that a role may see. */
export function placesOf(role: Role): readonly MenuPage[] {
  return menu.filter(({ roles }) => roles.includes(role))
}
