import { lstat } from 'node:fs/promises'
import { compareVersions } from '@roost/api-types/agent'
import type { AgentConfig } from '../../config.js'
import type { UpgradeSettings } from '../permission.js'

/**
 * Returns the settings of upgrades as far as root may trust them: an older version than the installed one is only allowed
 * by a file that belongs to root, because the agent's account could write one of its own.
 */
export async function trustedSettings(
  { upgrades, configFile }: Pick<AgentConfig, 'upgrades' | 'configFile'>,
  installed: string,
): Promise<UpgradeSettings> {
  const { isAllowed, oldest } = upgrades
  if (oldest === null || compareVersions(oldest, installed) >= 0) return upgrades
  const { uid } = await lstat(configFile)
  return { isAllowed, oldest: uid === 0 ? oldest : null }
}
