import { compareVersions } from '@roost/api-types/agent'

/** The agent's configuration of upgrades. */
export interface UpgradeSettings {
  /** False: `upgrades` is `off`. */
  readonly isAllowed: boolean
  /** The oldest version that may be installed; null: the installed one. */
  readonly oldest: string | null
}

/** Returns why this node does not install a version; undefined when it may. */
export function refusalOf(settings: UpgradeSettings, installed: string, version: string): string | undefined {
  if (!settings.isAllowed) return 'The configuration of this agent refuses upgrades ("upgrades": "off").'
  const oldest = settings.oldest ?? installed
  if (compareVersions(version, oldest) >= 0) return undefined
  return `Version ${version} is older than ${oldest}, the oldest that this node accepts. Set upgrades_oldest in the configuration of its agent to allow it.`
}
