import { GatewayShareSettings, shareDefaults } from '@roost/api-types/rest'
import type { GatewayShareChange, ShareProtocol } from '@roost/api-types/rest'

/**
 * The settings after a change. Those of the protocol are kept where the change says nothing of them; when it brings
 * another protocol, that one's defaults take their place.
 */
export function changedSettings(before: GatewayShareSettings, change: GatewayShareChange): GatewayShareSettings {
  const protocol: ShareProtocol = change.protocol ?? before.protocol
  const defaults = protocol === before.protocol ? {} : shareDefaults(protocol)
  const sent = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  return GatewayShareSettings.parse({ ...before, ...defaults, ...sent, protocol })
}
