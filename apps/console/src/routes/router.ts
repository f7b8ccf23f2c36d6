import { createRouter } from '@tanstack/react-router'
import type { AnyRoute } from '@tanstack/react-router'
import { base } from '../api/base.js'
import { parseSearch, stringifySearch } from '../search.js'
import type { Screen } from '../shell/screens.js'
import {
  deployments,
  drift,
  job,
  newDeployment,
  newShare,
  newUser,
  share,
  shares,
  user,
  users,
} from './access-to-data.js'
import { capacity, devices, explain, explore, node, nodes, overview, swift, utilization } from './cluster.js'
import {
  access,
  alerts,
  audit,
  clusters,
  deliveries,
  logins,
  receivers,
  rules,
  silences,
  system,
  upgrade,
} from './control-plane.js'
import { root } from './root.js'

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

const details = { node, newShare, share, newUser, user, newDeployment, job, clusters, logins, upgrade }
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
