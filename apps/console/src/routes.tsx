import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router'
import type { AnyRoute } from '@tanstack/react-router'
import { base } from './api/base.js'
import { parseSearch, pick, stringifySearch } from './search.js'
import type { RawSearch } from './search.js'
import { NotFound } from './shell/not-found.js'
import type { Screen } from './shell/screens.js'
import { Shell } from './shell/shell.js'

const root = createRootRoute({
  validateSearch: (search: RawSearch) => pick(search, 'cluster'),
  search: { middlewares: [retainSearchParams(['cluster'])] },
  component: Shell,
  notFoundComponent: NotFound,
})

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./overview/overview.js'), 'Overview'),
})

const nodes = createRoute({
  getParentRoute: () => root,
  path: '/nodes',
  validateSearch: (search: RawSearch) => pick(search, 'q', 'state', 'config', 'role', 'problem', 'order'),
  component: lazyRouteComponent(() => import('./nodes/nodes.js'), 'Nodes'),
})

/** Every screen of the list has a route. */
const screens = { nodes } satisfies Readonly<Record<Screen, AnyRoute>>

const routeTree = root.addChildren([overview, ...Object.values(screens)])

export function buildRouter() {
  return createRouter({
    routeTree,
    basepath: base,
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof buildRouter>
  }
}
