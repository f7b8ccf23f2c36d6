import type { Clock, Log } from '@roost/runtime'
import type { AgentConfig } from '../config.js'
import type { Identity } from '../machine/identity.js'
import { agentVersion, programFolder } from '../machine/package.js'
import { runCommand } from '../machine/run-command.js'
import { findInstallation } from '../upgrade/installation.js'
import { upgradePaths } from '../upgrade/upgrade-files.js'
import { createUpgrades, type Upgrades } from '../upgrade/upgrades.js'
import { openTrust } from '../uplink/trust.js'

/** Builds the agent's part of its own upgrades. */
export async function openUpgrades(
  { dataDir, upgrades: settings }: AgentConfig,
  { enrollment }: Identity,
  clock: Clock,
  log: Log,
): Promise<Upgrades> {
  return createUpgrades({
    installation: await findInstallation(programFolder, agentVersion, runCommand),
    settings,
    paths: upgradePaths(dataDir),
    server: enrollment.server,
    readAuthorities: async () => (await openTrust(dataDir, log)).authorities,
    clock,
    log,
  })
}
