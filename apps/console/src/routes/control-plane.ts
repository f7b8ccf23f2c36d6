import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pick } from '../search.js'
import type { RawSearch } from '../search.js'
import { root } from './root.js'

export const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: (search: RawSearch) =>
    pick(search, 'q', 'operator', 'action', 'resource', 'resource_id', 'request_id', 'from', 'to', 'order', 'event'),
  component: lazyRouteComponent(() => import('../audit/audit.js'), 'Audit'),
})

export const alerts = createRoute({
  getParentRoute: () => root,
  path: '/alerts',
  validateSearch: (search: RawSearch) => pick(search, 'view', 'code', 'severity', 'order', 'alert'),
  component: lazyRouteComponent(() => import('../alerts/alerts.js'), 'Alerts'),
})

export const silences = createRoute({
  getParentRoute: () => root,
  path: '/alerts/silences',
  validateSearch: (search: RawSearch) => pick(search, 'add', 'code', 'node', 'node_id', 'device', 'subject'),
  component: lazyRouteComponent(() => import('../alerts/silences.js'), 'Silences'),
})

export const rules = createRoute({
  getParentRoute: () => root,
  path: '/alerts/rules',
  validateSearch: (search: RawSearch) => pick(search, 'rule', 'limit'),
  component: lazyRouteComponent(() => import('../alerts/rules/rules.js'), 'Rules'),
})

export const receivers = createRoute({
  getParentRoute: () => root,
  path: '/alerts/receivers',
  validateSearch: (search: RawSearch) => pick(search, 'add'),
  component: lazyRouteComponent(() => import('../alerts/receivers.js'), 'Receivers'),
})

export const deliveries = createRoute({
  getParentRoute: () => root,
  path: '/alerts/deliveries',
  validateSearch: (search: RawSearch) => pick(search, 'state', 'code', 'order', 'delivery'),
  component: lazyRouteComponent(() => import('../alerts/deliveries.js'), 'Deliveries'),
})

export const access = createRoute({
  getParentRoute: () => root,
  path: '/access',
  validateSearch: (search: RawSearch) => pick(search, 'tab'),
  component: lazyRouteComponent(() => import('../access/access.js'), 'Access'),
})

export const system = createRoute({
  getParentRoute: () => root,
  path: '/system',
  component: lazyRouteComponent(() => import('../system/system.js'), 'System'),
})

export const clusters = createRoute({
  getParentRoute: () => root,
  path: '/system/clusters',
  component: lazyRouteComponent(() => import('../clusters/clusters.js'), 'Clusters'),
})

export const logins = createRoute({
  getParentRoute: () => root,
  path: '/system/clusters/$id',
  component: lazyRouteComponent(() => import('../clusters/logins/logins.js'), 'ClusterLogins'),
})

export const upgrade = createRoute({
  getParentRoute: () => root,
  path: '/system/upgrades/$id',
  component: lazyRouteComponent(() => import('../system/upgrade.js'), 'Upgrade'),
})
