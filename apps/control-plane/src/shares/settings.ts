import { GatewayShareSettings, settingDefaults } from '@roost/api-types/rest'
import type { GatewayShareChange, ShareProtocol } from '@roost/api-types/rest'

/**
 * Returns the settings after a change. Settings that the change does not contain are kept; with another protocol, the settings
 * of that protocol have their defaults.
 */
export function changedSettings(before: GatewayShareSettings, change: GatewayShareChange): GatewayShareSettings {
  const protocol: ShareProtocol = change.protocol ?? before.protocol
  const defaults = protocol === before.protocol ? {} : settingDefaults(protocol)
  const sent = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  return GatewayShareSettings.parse({ ...before, ...defaults, ...sent, protocol })
}
