import { join } from 'node:path'
import { type Clock, type Log, Periodic, type Stoppable } from '@roost/runtime'
import type { Readings } from '../collectors/engine/reading.js'
import type { Appliers } from '../deployments/applier.js'
import { openDeployments } from '../deployments/deployments.js'
import type { Identity, MachineIds } from '../machine/identity.js'
import type { Inventories } from '../inventory/inventories.js'
import type { RestoredMounts } from '../mounts/health/restored-mounts.js'
import { startUsageRounds, type UsageSources } from '../swift/usage-rounds.js'
import { History } from '../history/history.js'
import { MessageSpool } from '../uplink/message-spool.js'
import { Outbox } from '../uplink/outbox.js'
import { type Pace, readPace, savePace } from '../uplink/pace.js'
import type { RequestHandlers } from '../uplink/requests.js'
import { openTrust } from '../uplink/trust.js'
import { forwardingLog } from '../uplink/forwarding-log.js'
import { Uplink, type UplinkEnd } from '../uplink/uplink.js'
import type { Upgrades } from '../upgrade/upgrades.js'

export interface AgentOptions {
  readonly dataDir: string
  readonly identity: Identity
  readonly machine: MachineIds
  readonly readings: Readings
  readonly inventories: Inventories
  readonly usage: UsageSources
  readonly appliers: Appliers
  readonly restored: RestoredMounts
  readonly requests: RequestHandlers
  readonly upgrades: Upgrades
  /** Shows the state of the connection. */
  readonly onStatus: (status: string) => void
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
}

export interface Agent {
  /** Resolves when an operator removed the node, or `stop` was called. */
  readonly ended: Promise<UplinkEnd>
  /** Stops it in order; may be called twice. */
  stop(): Promise<void>
}

/** The most disk space that the spool uses. */
const spoolBytes = 64 << 20
const restoredKind = 'mount_restored'
const maxRestored = 200
/** Changes within this time, such as the rings of a rebalance, are one inventory. */
const changeSettlesMs = 3000
/** The texts of problems may change with each check: an inventory is not sent for each of them. */
const messagesSettleMs = 30_000

const hardwareIntervalMs = 86_400_000

/** Starts to read the machine, to report it and to apply deployments. */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const { dataDir, clock, upgrades } = options
  const log = forwardingLog(options.log, clock, (level, message) => outbox?.log(level, message))
  let outbox: Outbox | null = null
  const spool = join(dataDir, 'spool')
  const messages = await MessageSpool.open({ dir: join(spool, 'messages'), maxBytes: spoolBytes, clock, log })
  let pace = await readPace(dataDir)
  const node = options.identity.enrollment.node_uuid
  const history = await History.open({ dir: spool, node, messages, pace: () => pace, clock, log })
  outbox = new Outbox({ clock, log, messages, history })
  const deployments = await openDeployments({
    ...options,
    dir: join(dataDir, 'deployments'),
    node,
    reporter: outbox,
    log,
  })
  let rounds: Rounds | null = null
  const uplink = new Uplink({
    ...options,
    log,
    trust: await openTrust(dataDir, log),
    outbox,
    deployments,
    requests: { ...options.requests, upgrade: (wanted) => upgrades.advance(wanted, deployments.isBusy()) },
    capabilities: upgrades.capabilities,
    onConnected: () => upgrades.connected(),
    pace,
    onPace: (next) => {
      pace = next
      if (rounds?.setPace(next) === true) void keepPace(dataDir, next, log)
    },
  })
  rounds = startRounds({ ...options, log }, outbox, pace)
  const usage = startUsage({ ...options, log }, messages, outbox)
  reportRestored(options.restored, outbox)
  const end = async (): Promise<void> => {
    await uplink.stop()
    await upgrades.stop()
    await rounds.stop()
    await history.stop()
    await usage.stop()
    await deployments.stop()
    await messages.settled()
  }
  let ending: Promise<void> | null = null
  return { ended: uplink.ended, stop: () => (ending ??= end()) }
}

/** Reports mounts that were restored. Once too many wait in the spool, further ones are only in the agent's log. */
function reportRestored(restored: RestoredMounts, outbox: Outbox): void {
  restored.listen((mount) => {
    if (outbox.countWaiting(restoredKind) >= maxRestored) return
    void outbox.deliverEach(restoredKind, (sequence) => ({ type: 'mount_restored', sequence, ...mount }))
  })
}

/** Reports storage and transfer of accounts through the spool. */
function startUsage(options: AgentOptions, messages: MessageSpool, outbox: Outbox): Stoppable {
  return startUsageRounds({
    ...options,
    ...options.usage,
    waitingBytes: () => messages.sizeBytes,
    keep: (kind, build) => outbox.deliver(kind, build),
  })
}

interface Rounds {
  /** Sets the intervals; returns false when they are the same as before. */
  setPace(pace: Pace): boolean
  stop(): Promise<void>
}

/** Reads metrics, usage of devices, inventory and hardware, each on its interval. */
function startRounds({ clock, log, readings, inventories }: AgentOptions, outbox: Outbox, firstPace: Pace): Rounds {
  let pace = firstPace
  const reading = new Periodic({
    clock,
    intervalMs: () => pace.reportIntervalMs,
    work: async () => outbox.report(await readings.read()),
    onError: (error) => log.error('could not read the metrics', { error }),
  })
  const usage = new Periodic({
    clock,
    intervalMs: () => pace.reportIntervalMs,
    work: async () => outbox.usage(clock.now() / 1000, await inventories.usage()),
    onError: (error) => log.error('could not read the usage of the devices', { error }),
  })
  const inventory = new Periodic({
    clock,
    intervalMs: () => pace.inventoryIntervalMs,
    work: async () => {
      const found = await inventories.read()
      await outbox.deliver('inventory', (sequence) => ({ type: 'inventory', sequence, inventory: found }))
    },
    onError: (error) => log.error('could not read the inventory', { error }),
  })
  const hardware = new Periodic({
    clock,
    intervalMs: () => hardwareIntervalMs,
    work: () => inventories.readHardware(),
    onError: (error) => log.warn('could not read the hardware', { error }),
  })
  const rounds = [reading, usage, inventory, hardware]
  const unsubscribe = inventories.onChange((change) =>
    inventory.kick(change === 'messages' ? messagesSettleMs : changeSettlesMs),
  )
  return {
    setPace(next) {
      if (JSON.stringify(next) === JSON.stringify(pace)) return false
      pace = next
      for (const round of rounds) round.rearm()
      return true
    },
    async stop() {
      unsubscribe()
      const stopped = rounds.map((round) => round.stop())
      await Promise.all([readings.close(), inventories.close(), ...stopped])
    },
  }
}

async function keepPace(dataDir: string, pace: Pace, log: Log): Promise<void> {
  try {
    await savePace(dataDir, pace)
  } catch (error) {
    log.warn('could not save the intervals set by the control plane', { error })
  }
}
