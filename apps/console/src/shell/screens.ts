/**
 * THE LIST of screens: the first part of their paths. The control plane serves the page at these paths and below, and
 * nowhere else, so that none of them may be a path of the API, such as `metrics`.
 */
export const screens = [
  'nodes',
  'devices',
  'capacity',
  'explain',
  'explore',
  'swift',
  'utilization',
  'shares',
  'users',
  'deployments',
  'drift',
  'audit',
  'alerts',
  'access',
  'system',
] as const
export type Screen = (typeof screens)[number]
