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

const node = createRoute({
  getParentRoute: () => root,
  path: '/nodes/$id/{-$tab}',
  validateSearch: (search: RawSearch) => pick(search, 'range'),
  component: lazyRouteComponent(() => import('./nodes/node.js'), 'NodePage'),
})

const devices = createRoute({
  getParentRoute: () => root,
  path: '/devices',
  validateSearch: (search: RawSearch) => pick(search, 'status', 'order', 'view'),
  component: lazyRouteComponent(() => import('./devices/devices.js'), 'Devices'),
})

const capacity = createRoute({
  getParentRoute: () => root,
  path: '/capacity',
  component: lazyRouteComponent(() => import('./capacity/capacity.js'), 'CapacityPage'),
})

const explore = createRoute({
  getParentRoute: () => root,
  path: '/explore',
  validateSearch: (search: RawSearch) => pick(search, 'metrics', 'of', 'range'),
  component: lazyRouteComponent(() => import('./explore/explore.js'), 'Explore'),
})

const swift = createRoute({
  getParentRoute: () => root,
  path: '/swift',
  component: lazyRouteComponent(() => import('./swift/swift.js'), 'SwiftHealth'),
})

/** Every screen of the list has a route. */
const screens = { nodes, devices, capacity, explore, swift } satisfies Readonly<Record<Screen, AnyRoute>>

const routeTree = root.addChildren({ overview, node, ...screens })

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
