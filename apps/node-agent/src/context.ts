import type { Clock, Log } from '@roost/runtime'
import { createCollectors } from './collectors/index.js'
import type { Readings } from './collectors/engine/reading.js'
import { createReadings } from './collectors/engine/readings.js'
import { createShares } from './collectors/shares.js'
import type { InventoryConfig } from './config.js'
import { createFilesystems } from './machine/filesystems.js'
import { startHelper } from './machine/helper.js'
import { type Machine, kernelOf, openMachine } from './machine/machine.js'
import { runCommand } from './machine/run-command.js'
import { createStatfsProbe } from './machine/statfs-probe.js'
import { createInventories, type Inventories } from './inventory/inventories.js'
import { createShareCounts, type ShareCounts } from './mounts/cache/files/share-counts.js'
import { createNodeProblems, type NodeProblems } from './machine/problems.js'
import { type AccountUsage, createAccountUsage } from './swift/accounts/account-usage.js'
import { createReconAnswers } from './collectors/swift/recon-answers.js'
import { createReconClient, reconServers } from './swift/recon/recon-client.js'
import { createStatsd } from './collectors/swift/statsd.js'

/** All that reads the machine. */
export interface Context {
  readonly machine: Machine
  readonly readings: Readings
  readonly inventories: Inventories
  readonly accounts: AccountUsage
  readonly problems: NodeProblems
  readonly shareCounts: ShareCounts
  /** Stops what is under way; what a mount holds is left behind. */
  close(): Promise<void>
}

/** Builds what reads the machine, for the agent and for the commands that print a part of it. */
export function openContext(config: InventoryConfig, clock: Clock, log: Log): Context {
  const machine = openMachine(config.root)
  const statfs = createStatfsProbe({ run: runCommand, start: startHelper, path: (path) => machine.path(path) })
  const filesystems = createFilesystems({ machine, probe: statfs, monotonic: () => clock.monotonic() })
  const statsd = openStatsd(config, machine, clock)
  const recon = { directory: config.reconCacheDirectory, now: () => clock.now() }
  const askRecon = createReconClient({ servers: () => reconServers(machine, config.swiftDirectory) })
  const shareCounts = createShareCounts()
  const readings = createReadings({
    collectors: [
      ...createCollectors({ recon }),
      createReconAnswers({ ...recon, ask: askRecon }),
      createShares(shareCounts),
      statsd.collector,
    ],
    host: { machine, filesystems },
    clock,
    onFault: (collector, error) => log.warn('A collector fails; its metrics have no value.', { collector, error }),
  })
  const problems = createNodeProblems()
  const host = { config, machine, run: runCommand, start: startHelper, clock }
  const inventories = createInventories({ ...host, filesystems, askRecon, problems })
  const accounts = createAccountUsage({
    machine,
    swiftDirectory: config.swiftDirectory,
    run: runCommand,
    devices: () => inventories.devices(),
    deadlineMs: Math.max(60_000, 0.8 * config.usage.storageIntervalMs),
  })
  return {
    machine,
    readings,
    inventories,
    accounts,
    problems,
    shareCounts,
    async close() {
      await Promise.all([readings.close(), inventories.close()])
      statsd.close()
      statfs.close()
    },
  }
}

function openStatsd(config: InventoryConfig, machine: Machine, clock: Clock) {
  return createStatsd({
    ...config.statsd,
    // A root without a kernel of its own is a test's folder: its Swift does not send to this machine's port.
    isWanted: () =>
      config.statsd.enabled ??
      (kernelOf(machine) === machine && machine.stamp(`${config.swiftDirectory}/swift.conf`) !== undefined),
    clock,
  })
}
