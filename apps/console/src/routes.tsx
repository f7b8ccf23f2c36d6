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
  validateSearch: (search: RawSearch) => pick(search, 'range', 'kind', 'a', 'b'),
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

const explain = createRoute({
  getParentRoute: () => root,
  path: '/explain/$of',
  validateSearch: (search: RawSearch) => pick(search, 'name', 'metrics', 'show'),
  component: lazyRouteComponent(() => import('./explain/explain.js'), 'Explain'),
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

const shares = createRoute({
  getParentRoute: () => root,
  path: '/shares',
  validateSearch: (search: RawSearch) => pick(search, 'q', 'protocol', 'enabled', 'node', 'order'),
  component: lazyRouteComponent(() => import('./shares/shares.js'), 'Shares'),
})

const newShare = createRoute({
  getParentRoute: () => root,
  path: '/shares/new',
  component: lazyRouteComponent(() => import('./shares/new-share.js'), 'NewShare'),
})

const share = createRoute({
  getParentRoute: () => root,
  path: '/shares/$id',
  component: lazyRouteComponent(() => import('./shares/share.js'), 'Share'),
})

const users = createRoute({
  getParentRoute: () => root,
  path: '/users',
  validateSearch: (search: RawSearch) => pick(search, 'q', 'order'),
  component: lazyRouteComponent(() => import('./users/users.js'), 'Users'),
})

const newUser = createRoute({
  getParentRoute: () => root,
  path: '/users/new',
  component: lazyRouteComponent(() => import('./users/new-user.js'), 'NewUser'),
})

const user = createRoute({
  getParentRoute: () => root,
  path: '/users/$id',
  component: lazyRouteComponent(() => import('./users/user.js'), 'User'),
})

const deployments = createRoute({
  getParentRoute: () => root,
  path: '/deployments',
  validateSearch: (search: RawSearch) => pick(search, 'kind', 'state', 'plans'),
  component: lazyRouteComponent(() => import('./deployments/deployments.js'), 'Deployments'),
})

const newDeployment = createRoute({
  getParentRoute: () => root,
  path: '/deployments/new',
  validateSearch: (search: RawSearch) => pick(search, 'kind', 'plan', 'generation'),
  component: lazyRouteComponent(() => import('./deployments/new-deployment.js'), 'NewDeployment'),
})

const job = createRoute({
  getParentRoute: () => root,
  path: '/deployments/$kind/$id',
  component: lazyRouteComponent(() => import('./deployments/job.js'), 'Job'),
})

const drift = createRoute({
  getParentRoute: () => root,
  path: '/drift',
  component: lazyRouteComponent(() => import('./drift/drift.js'), 'Drift'),
})

const utilization = createRoute({
  getParentRoute: () => root,
  path: '/utilization',
  validateSearch: (search: RawSearch) => pick(search, 'from', 'to', 'show', 'policy', 'account'),
  component: lazyRouteComponent(() => import('./utilization/utilization.js'), 'Utilization'),
})

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: (search: RawSearch) =>
    pick(search, 'operator', 'action', 'resource', 'resource_id', 'request_id', 'from', 'to', 'order', 'event'),
  component: lazyRouteComponent(() => import('./audit/audit.js'), 'Audit'),
})

const alerts = createRoute({
  getParentRoute: () => root,
  path: '/alerts',
  validateSearch: (search: RawSearch) => pick(search, 'view', 'code', 'severity', 'order', 'alert'),
  component: lazyRouteComponent(() => import('./alerts/alerts.js'), 'Alerts'),
})

const silences = createRoute({
  getParentRoute: () => root,
  path: '/alerts/silences',
  validateSearch: (search: RawSearch) => pick(search, 'add', 'code', 'node', 'node_id', 'device', 'subject'),
  component: lazyRouteComponent(() => import('./alerts/silences.js'), 'Silences'),
})

const rules = createRoute({
  getParentRoute: () => root,
  path: '/alerts/rules',
  validateSearch: (search: RawSearch) => pick(search, 'rule', 'limit'),
  component: lazyRouteComponent(() => import('./alerts/rules/rules.js'), 'Rules'),
})

const receivers = createRoute({
  getParentRoute: () => root,
  path: '/alerts/receivers',
  validateSearch: (search: RawSearch) => pick(search, 'add'),
  component: lazyRouteComponent(() => import('./alerts/receivers.js'), 'Receivers'),
})

const deliveries = createRoute({
  getParentRoute: () => root,
  path: '/alerts/deliveries',
  validateSearch: (search: RawSearch) => pick(search, 'state', 'code', 'order', 'delivery'),
  component: lazyRouteComponent(() => import('./alerts/deliveries.js'), 'Deliveries'),
})

const access = createRoute({
  getParentRoute: () => root,
  path: '/access',
  validateSearch: (search: RawSearch) => pick(search, 'tab'),
  component: lazyRouteComponent(() => import('./access/access.js'), 'Access'),
})

const system = createRoute({
  getParentRoute: () => root,
  path: '/system',
  component: lazyRouteComponent(() => import('./system/system.js'), 'System'),
})

const clusters = createRoute({
  getParentRoute: () => root,
  path: '/system/clusters',
  component: lazyRouteComponent(() => import('./clusters/clusters.js'), 'Clusters'),
})

const upgrade = createRoute({
  getParentRoute: () => root,
  path: '/system/upgrades/$id',
  component: lazyRouteComponent(() => import('./system/upgrade.js'), 'Upgrade'),
})

/** Every screen of the list has a route. */
const screens = {
  nodes,
  devices,
  capacity,
  explain,
  explore,
  swift,
  utilization,
  shares,
  users,
  deployments,
  drift,
  audit,
  alerts,
  access,
  system,
} satisfies Readonly<Record<Screen, AnyRoute>>

const details = { node, newShare, share, newUser, user, newDeployment, job, clusters, upgrade }
const ofAlerts = { silences, rules, receivers, deliveries }
const routeTree = root.addChildren({ overview, ...details, ...ofAlerts, ...screens })

function buildRouter() {
  return createRouter({
    routeTree,
    basepath: base,
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    scrollRestoration: true,
  })
}

let built: ReturnType<typeof buildRouter> | undefined

/** Returns the one router of the page. The first call builds it, so that the login does not wait for it. */
export function theRouter() {
  return (built ??= buildRouter())
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof buildRouter>
  }
}
