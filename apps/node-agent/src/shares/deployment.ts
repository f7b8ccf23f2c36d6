import type { GatewayState as DesiredGateway, MissingShare } from '../mounts/desired/mounts.js'
import type { Gateway } from './gateway.js'
import type { Before, InForce } from './gateway-state.js'

/** The state of one deployment, which its protocols share. */
export interface Deployment {
  readonly gateway: Gateway
  readonly desired: DesiredGateway
  /** Shares that could not be mounted: no server gets them. */
  missing: readonly MissingShare[]
  readonly generation: number
  /** In force when the deployment began. */
  readonly generationBefore: number
  inForce: InForce
  journal: Before
}
