import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router'
import { FirstPage, NotFound } from './layout/first-page.tsx'
import { Root } from './layout/root.tsx'

const root = createRootRoute({ component: Root, notFoundComponent: NotFound })

/** A page that is loaded when it is first shown. */
function page<const Path extends string, Name extends string>(
  path: Path,
  load: () => Promise<Record<Name, () => React.ReactNode>>,
  name: Name,
) {
  return createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(load, name),
  })
}

const accounts = () => import('./pages/accounts/accounts-page.tsx')
const account = () => import('./pages/accounts/account-page.tsx')

const routes = [
  createRoute({ getParentRoute: () => root, path: '/', component: FirstPage }),
  page('/own', () => import('./pages/own/own-page.tsx'), 'OwnPage'),
  page('/usage', () => import('./pages/usage/usage-page.tsx'), 'UsagePage'),
  page('/audit', () => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
  page('/keys', () => import('./pages/keys/keys-page.tsx'), 'KeysPage'),
  page('/keys/$id', () => import('./pages/keys/key-page.tsx'), 'KeyPage'),
  page('/users', accounts, 'UsersPage'),
  page('/users/$id', account, 'UserPage'),
  page('/teams', accounts, 'TeamsPage'),
  page('/teams/$id', account, 'TeamPage'),
  page('/organizations', accounts, 'OrganizationsPage'),
  page('/organizations/$id', account, 'OrganizationPage'),
  page('/overview', () => import('./pages/overview/overview-page.tsx'), 'OverviewPage'),
  page('/requests', () => import('./pages/requests/requests-page.tsx'), 'RequestsPage'),
  page('/requests/$id', () => import('./pages/requests/request-page.tsx'), 'RequestPage'),
  page('/models', () => import('./pages/models/models-page.tsx'), 'ModelsPage'),
  page('/models/providers/$id', () => import('./pages/models/provider-page.tsx'), 'ProviderPage'),
  page('/playground', () => import('./pages/playground/playground-page.tsx'), 'PlaygroundPage'),
  page('/settings', () => import('./pages/settings/settings-page.tsx'), 'SettingsPage'),
  page('/about', () => import('./pages/settings/about-page.tsx'), 'AboutPage'),
]

/** The page's address is after `#`: all other addresses belong to the gateway, which may be served below another path. */
export const router = createRouter({
  routeTree: root.addChildren(routes),
  history: createHashHistory(),
  defaultPreload: 'intent',
  // Values are kept as plain text, so that people can read and write addresses.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search: Readonly<Record<string, string | undefined>>) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined)
    return given.length === 0 ? '' : `?${new URLSearchParams(given as [string, string][])}`
  },
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
