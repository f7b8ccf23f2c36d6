import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pick } from '../search.js'
import type { RawSearch } from '../search.js'
import { root } from './root.js'

/** Filters of the API by which lists are narrowed, and their negations. */
const nodeFacets = [
  'state',
  'config_state',
  'agent_version',
  'has_problems',
  'runs_account_container',
  'runs_object',
  'runs_proxy',
  'runs_gateway',
] as const
const deviceFacets = ['status', 'policy'] as const

function facetNames<F extends string>(fields: readonly F[]): readonly (F | `${F}__not`)[] {
  return fields.flatMap((field) => [field, `${field}__not`] as const)
}

export const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('../overview/overview.js'), 'Overview'),
})

export const nodes = createRoute({
  getParentRoute: () => root,
  path: '/nodes',
  validateSearch: (search: RawSearch) => pick(search, 'q', 'order', ...facetNames(nodeFacets)),
  component: lazyRouteComponent(() => import('../nodes/nodes.js'), 'Nodes'),
})

export const node = createRoute({
  getParentRoute: () => root,
  path: '/nodes/$id/{-$tab}',
  validateSearch: (search: RawSearch) => pick(search, 'range', 'kind', 'a', 'b'),
  component: lazyRouteComponent(() => import('../nodes/node.js'), 'NodePage'),
})

export const devices = createRoute({
  getParentRoute: () => root,
  path: '/devices',
  validateSearch: (search: RawSearch) => pick(search, 'order', 'view', 'q', ...facetNames(deviceFacets)),
  component: lazyRouteComponent(() => import('../devices/devices.js'), 'Devices'),
})

export const capacity = createRoute({
  getParentRoute: () => root,
  path: '/capacity',
  component: lazyRouteComponent(() => import('../capacity/capacity.js'), 'CapacityPage'),
})

export const explain = createRoute({
  getParentRoute: () => root,
  path: '/explain/$of',
  validateSearch: (search: RawSearch) => pick(search, 'name', 'metrics', 'show'),
  component: lazyRouteComponent(() => import('../explain/explain.js'), 'Explain'),
})

export const explore = createRoute({
  getParentRoute: () => root,
  path: '/explore',
  validateSearch: (search: RawSearch) => pick(search, 'metrics', 'of', 'range'),
  component: lazyRouteComponent(() => import('../explore/explore.js'), 'Explore'),
})

export const swift = createRoute({
  getParentRoute: () => root,
  path: '/swift',
  component: lazyRouteComponent(() => import('../swift/swift.js'), 'SwiftHealth'),
})

export const utilization = createRoute({
  getParentRoute: () => root,
  path: '/utilization',
  validateSearch: (search: RawSearch) => pick(search, 'from', 'to', 'show', 'policy', 'account'),
  component: lazyRouteComponent(() => import('../utilization/utilization.js'), 'Utilization'),
})
