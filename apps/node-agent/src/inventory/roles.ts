import type { InventoryRoles } from '@roost/api-types/agent'
import type { JoinedDevice } from '../swift/rings/ring-devices.js'

export interface RoleFacts {
  readonly own: readonly JoinedDevice[]
  readonly hasProxy: boolean
  readonly programs: ReadonlySet<string>
  /** An operator made its servers read the files of shares. */
  readonly isPreparedGateway: boolean
  /** Roles of the configuration, which override the others. */
  readonly overrides: Partial<{ [Flag in keyof InventoryRoles]: boolean | undefined }>
}

const gatewayPrograms = ['smbd', 'ganesha.nfsd', 'nfsd', 'rpc.mountd']

/** Detects roles: storage by the rings, a proxy by its configuration or its process, a gateway by its preparation or the servers of files that run. */
export function detectRoles({ own, hasProxy, programs, isPreparedGateway, overrides }: RoleFacts): InventoryRoles {
  const detected: InventoryRoles = {
    runs_account_container: own.some((device) => device.inAccountOrContainerRing),
    runs_gateway: isPreparedGateway || gatewayPrograms.some((name) => programs.has(name)),
    runs_object: own.some((device) => device.inObjectRing),
    runs_proxy: hasProxy || programs.has('swift-proxy-ser'),
  }
  const said = Object.entries(overrides).filter(([, flag]) => flag !== undefined)
  return { ...detected, ...Object.fromEntries(said) }
}
