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

const routes = [
  createRoute({ getParentRoute: () => root, path: '/', component: FirstPage }),
  createRoute({
    getParentRoute: () => root,
    path: '/keys',
    component: lazyRouteComponent(() => import('./pages/keys/keys-page.tsx'), 'KeysPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/own',
    component: lazyRouteComponent(() => import('./pages/own/own-page.tsx'), 'OwnPage'),
  }),
]

/** The page is in the part after `#`: every other address is the gateway's, and it may be below another path. */
export const router = createRouter({
  routeTree: root.addChildren(routes),
  history: createHashHistory(),
  defaultPreload: 'intent',
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
