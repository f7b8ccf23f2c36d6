import { join } from 'node:path'
import { type Clock, createNotifier, type DataDirWatch, type Log } from '@roost/runtime'
import { createCollectors } from './collectors/index.js'
import type { Readings } from './collectors/engine/reading.js'
import { createReadings } from './collectors/engine/readings.js'
import { slowReaders } from './collectors/engine/slow-reader.js'
import type { AgentConfig, InventoryConfig } from './config.js'
import { type Agent, startAgent } from './context/agent.js'
import { openAppliers } from './context/appliers.js'
import { openUpgrades } from './context/upgrades.js'
import { createFilesystems } from './machine/filesystems.js'
import { type Identity, readMachineIds } from './machine/identity.js'
import { startHelper } from './machine/helper.js'
import { type Machine, kernelOf, openMachine } from './machine/machine.js'
import { runCommand } from './machine/run-command.js'
import { createStatfsProbe } from './machine/statfs-probe.js'
import { watchDataDir } from './inventory/data-dir.js'
import { createInventories, type Inventories } from './inventory/inventories.js'
import { createShareCounts, type ShareCounts } from './mounts/cache/files/share-counts.js'
import { createNodeProblems, type NodeProblems } from './machine/problems.js'
import { createServiceList, type ServiceList } from './swift/services/service-list.js'
import { createRestoredMounts } from './mounts/health/restored-mounts.js'
import { watchLogFormat } from './swift/access-log/format-watch.js'
import { TransferUsage } from './swift/access-log/transfer-usage.js'
import type { UsageSources } from './swift/usage-rounds.js'
import { type AccountUsage, createAccountUsage } from './swift/accounts/account-usage.js'
import { withSwiftPaths } from './context/swift-paths.js'
import { createReconClient, reconServers } from './swift/recon/recon-client.js'
import { watchServices } from './context/services.js'
import type { StatsdOptions } from './collectors/swift/statsd.js'

/** The parts that read the machine. */
export interface Context {
  readonly machine: Machine
  readonly readings: Readings
  readonly inventories: Inventories
  readonly accounts: AccountUsage
  readonly problems: NodeProblems
  readonly services: ServiceList
  readonly shareCounts: ShareCounts
  /** Starts to watch the disk of the agent's own files; its space is a metric from then on. */
  watchDataDir(dataDir: string): void
  /** Stops the work in progress, except for what waits for a hung mount. */
  close(): Promise<void>
}

/** Builds the parts that read the machine, for the agent and for the commands that print one of them. */
export function openContext(given: InventoryConfig, clock: Clock, log: Log): Context {
  const machine = openMachine(given.root)
  const config = withSwiftPaths(given, machine)
  const statfs = createStatfsProbe({ run: runCommand, start: startHelper, path: (path) => machine.path(path) })
  const filesystems = createFilesystems({ machine, probe: statfs, monotonic: () => clock.monotonic() })
  const recon = { directory: config.reconCacheDirectory, now: () => clock.now() }
  const askRecon = createReconClient({ servers: () => reconServers(machine, config.swiftDirectory) })
  const shareCounts = createShareCounts()
  const problems = createNodeProblems()
  let dataDirWatch: DataDirWatch | undefined
  const dataDir = { availableBytes: () => dataDirWatch?.availableBytes ?? Number.NaN }
  const readings = createReadings({
    collectors: createCollectors({
      recon,
      askRecon,
      shareCounts,
      statsd: { ...statsdOptions(config, machine), clock, problems },
      dataDir,
      smart: { run: runCommand, problems },
    }),
    host: { machine, filesystems },
    openSlowReader: slowReaders({ machine, run: runCommand, start: startHelper }),
    clock,
    onFault: (collector, error) => log.warn('collector failed, its metrics have no value', { collector, error }),
  })
  const services = createServiceList(clock)
  const host = { config, machine, run: runCommand, start: startHelper, clock }
  // An inventory comes once an hour: on a busy machine it waits longer for an answer than a collector does.
  const openSlowReader = slowReaders({ ...host, machine: kernelOf(machine), deadlineMs: 10_000 })
  const inventories = createInventories({ ...host, openSlowReader, filesystems, askRecon, problems, services })
  const accounts = openAccounts(config, machine, inventories)
  return {
    machine,
    readings,
    inventories,
    accounts,
    problems,
    services,
    shareCounts,
    watchDataDir(path) {
      dataDirWatch ??= watchDataDir({ dataDir: path, problems, clock, log })
    },
    async close() {
      await Promise.all([readings.close(), inventories.close(), dataDirWatch?.stop()])
      statfs.close()
    },
  }
}

function openAccounts(config: InventoryConfig, machine: Machine, inventories: Inventories): AccountUsage {
  return createAccountUsage({
    machine,
    ringDirectory: config.ringDirectory,
    run: runCommand,
    devices: () => inventories.devices(),
    deadlineMs: Math.max(60_000, 0.8 * config.usage.storageIntervalMs),
  })
}

function statsdOptions(config: InventoryConfig, machine: Machine): Omit<StatsdOptions, 'clock' | 'problems'> {
  return {
    ...config.statsd,
    // A root without a kernel of its own is the folder of a test: its Swift does not send to this machine's port.
    isWanted: () =>
      config.statsd.enabled ??
      (kernelOf(machine) === machine && machine.stamp(`${config.swiftDirectory}/swift.conf`) !== undefined),
  }
}

export interface AgentOptions {
  readonly config: AgentConfig
  readonly identity: Identity
  readonly clock: Clock
  readonly log: Log
}

export interface RunningAgent extends Agent {
  /** Reports to systemd that the agent has started. */
  ready(): Promise<void>
}

/** Builds and starts the agent of an enrolled node. */
export async function openAgent({ config, identity, clock, log }: AgentOptions): Promise<RunningAgent> {
  const notifier = createNotifier({ ...config, clock, onFault: (message) => log.warn(message) })
  const context = openContext(config, clock, log)
  context.watchDataDir(config.dataDir)
  const host = { ...context, config: withSwiftPaths(config, context.machine), clock, log }
  const services = watchServices({ ...host, run: runCommand, start: startHelper })
  const restored = createRestoredMounts(clock)
  const node = identity.enrollment.node_uuid
  const opened = await openAppliers({ ...context, config, node, restored, clock, log })
  const agent = await startAgent({
    ...context,
    ...opened,
    dataDir: config.dataDir,
    identity,
    machine: readMachineIds(context.machine, identity),
    upgrades: await openUpgrades(config, identity, clock, log),
    usage: await usageSources(config, context, clock, log),
    restored,
    onStatus: (status) => void notifier.status(status),
    clock,
    random: Math.random,
    log,
  })
  return {
    ended: agent.ended,
    ready: () => notifier.ready(),
    async stop() {
      await notifier.stopping()
      await agent.stop()
      await services.stop()
      await opened.close()
      await context.close()
    },
  }
}

async function usageSources(
  { usage, dataDir, swiftDirectory }: AgentConfig,
  { machine, accounts, problems }: Context,
  clock: Clock,
  log: Log,
): Promise<UsageSources> {
  const { accessLog: source, ...intervals } = usage
  const located = source?.kind === 'file' ? { ...source, path: machine.path(source.path) } : source
  const dir = join(dataDir, 'usage')
  const format = watchLogFormat({ machine, swiftDirectory, problems, clock })
  const transfer = located && (await TransferUsage.open({ source: located, format, dir, clock, log }))
  return { ...intervals, accounts, transfer }
}
