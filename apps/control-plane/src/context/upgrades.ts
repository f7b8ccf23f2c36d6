import { AgentPackage } from '@roost/api-types/agent'
import { systemClock } from '@roost/runtime'
import type { AgentRequests, NodeChannel } from '../agents/requests.js'
import type { Database } from '../database/database.js'
import type { Writes } from '../database/writes.js'
import type { Packages } from '../packages/list.js'
import { createUpgrades } from '../upgrades/feature.js'
import type { UpgradeFeature } from '../upgrades/feature.js'
import { createUpgradeStore } from '../upgrades/store.js'
import type { ContextOptions } from './options.js'

interface UpgradeParts {
  readonly writes: Writes
  readonly channel: NodeChannel
  readonly requests: AgentRequests
  readonly packages: Packages
}

/** Builds the upgrades of agents. */
export function buildUpgrades(
  database: Database,
  { log, now }: ContextOptions,
  { packages, ...parts }: UpgradeParts,
): UpgradeFeature {
  return createUpgrades({
    ...parts,
    store: createUpgradeStore(database),
    listPackages: () => signedPackages(packages),
    clock: { ...systemClock, now },
    log,
  })
}

/** Lists the packages of the agent that a node can verify. */
async function signedPackages(packages: Packages): Promise<readonly AgentPackage[]> {
  const ofAgent = (await packages.list()).filter(({ name }) => name === 'roost-agent')
  return ofAgent.flatMap(({ file, version, arch, format, bytes, sha256, signature }) => {
    // The package has the version with a tilde, as dpkg and rpm write it.
    const tilde = version.replaceAll('-', '~')
    const read = AgentPackage.safeParse({
      name: file,
      version: tilde,
      arch,
      format,
      size_bytes: bytes,
      sha256,
      signature,
    })
    return read.success ? [read.data] : []
  })
}
