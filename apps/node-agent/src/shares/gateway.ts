import type { Machine } from '../machine/machine.js'
import type { Mounts } from '../mounts/desired/mounts.js'
import type { GatewayState } from './gateway-state.js'
import type { ShareAccounts } from './share-accounts.js'
import type { Servers } from './share-servers.js'

/** All that a gateway is made of. */
export interface Gateway {
  readonly machine: Machine
  readonly servers: Servers
  readonly mounts: Mounts
  readonly accounts: ShareAccounts
  readonly state: GatewayState
}
