import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pick } from '../search.js'
import type { RawSearch } from '../search.js'
import { root } from './root.js'

export const shares = createRoute({
  getParentRoute: () => root,
  path: '/shares',
  validateSearch: (search: RawSearch) => pick(search, 'q', 'protocol', 'enabled', 'node', 'order'),
  component: lazyRouteComponent(() => import('../shares/shares.js'), 'Shares'),
})

export const newShare = createRoute({
  getParentRoute: () => root,
  path: '/shares/new',
  validateSearch: (search: RawSearch) => pick(search, 'copy'),
  component: lazyRouteComponent(() => import('../shares/new-share.js'), 'NewShare'),
})

export const share = createRoute({
  getParentRoute: () => root,
  path: '/shares/$id',
  component: lazyRouteComponent(() => import('../shares/share.js'), 'Share'),
})

export const users = createRoute({
  getParentRoute: () => root,
  path: '/users',
  validateSearch: (search: RawSearch) => pick(search, 'q', 'order'),
  component: lazyRouteComponent(() => import('../users/users.js'), 'Users'),
})

export const newUser = createRoute({
  getParentRoute: () => root,
  path: '/users/new',
  validateSearch: (search: RawSearch) => pick(search, 'copy'),
  component: lazyRouteComponent(() => import('../users/new-user.js'), 'NewUser'),
})

export const user = createRoute({
  getParentRoute: () => root,
  path: '/users/$id',
  component: lazyRouteComponent(() => import('../users/user.js'), 'User'),
})

export const deployments = createRoute({
  getParentRoute: () => root,
  path: '/deployments',
  validateSearch: (search: RawSearch) => pick(search, 'kind', 'state', 'plans'),
  component: lazyRouteComponent(() => import('../deployments/deployments.js'), 'Deployments'),
})

export const newDeployment = createRoute({
  getParentRoute: () => root,
  path: '/deployments/new',
  validateSearch: (search: RawSearch) => pick(search, 'kind', 'plan', 'generation'),
  component: lazyRouteComponent(() => import('../deployments/new-deployment.js'), 'NewDeployment'),
})

export const job = createRoute({
  getParentRoute: () => root,
  path: '/deployments/$kind/$id',
  component: lazyRouteComponent(() => import('../deployments/job.js'), 'Job'),
})

export const drift = createRoute({
  getParentRoute: () => root,
  path: '/drift',
  component: lazyRouteComponent(() => import('../drift/drift.js'), 'Drift'),
})
