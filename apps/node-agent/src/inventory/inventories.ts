import { networkInterfaces } from 'node:os'
import type { DeviceUsageMessage, Inventory, InventoryDevice } from '@roost/api-types/agent'
import type { Clock } from '../clock.js'
import type { InventoryConfig } from '../config.js'
import type { Filesystems } from '../host/filesystems.js'
import type { Machine } from '../host/machine.js'
import { readMounts } from '../host/mounts.js'
import type { RunCommand } from '../host/run-command.js'
import { changeStamp } from './change-stamp.js'
import { createDeviceProbe, type DeviceProbe } from './device-probe.js'
import { usageOf } from './device-usage.js'
import type { ReadDevice } from './devices.js'
import { createInventoryReader, type ReadInventory } from './inventory.js'

export type DeviceUsage = DeviceUsageMessage['devices']

/** What this machine is, as the agent's loop asks for it. */
export interface Inventories {
  /** The whole inventory: asked at start, every `inventory_interval_ms`, and after `onChange`. */
  read(): Promise<Inventory>
  /** Figures of the devices that the last inventory named: asked every report interval. */
  usage(): Promise<DeviceUsage>
  /** Calls back when something changed that the next inventory would show, such as a ring. The answer unsubscribes. */
  onChange(callback: () => void): () => void
  close(): Promise<void>
}

export interface InventoriesOptions {
  readonly config: InventoryConfig
  readonly machine: Machine
  readonly run: RunCommand
  /** Shared with the collectors, so that a mount is asked once for both. */
  readonly filesystems: Filesystems
  readonly clock: Clock
}

/** How soon a changed ring or mount is noticed. */
const watchPeriodMs = 10_000

/** Reads inventories, keeps the last good devices between them, and watches for what the next one would show. */
export function createInventories(options: InventoriesOptions): Inventories {
  const { clock, machine, run } = options
  const probe = createDeviceProbe({ machine, run, monotonic: () => clock.monotonic() })
  const read = createInventoryReader({ ...options, probe, interfaces: networkInterfaces })
  return new WatchedInventories({ ...options, probe, read })
}

interface Parts extends Omit<InventoriesOptions, 'run'> {
  readonly probe: DeviceProbe
  readonly read: ReadInventory
}

class WatchedInventories implements Inventories {
  readonly #options: Parts
  readonly #callbacks = new Set<() => void>()
  #devices: readonly ReadDevice[] = []
  /** As last told, by inventory or by usage. */
  #statuses = new Map<string, InventoryDevice['status']>()
  #stamp: string
  #underWay: Promise<Inventory> | undefined
  #stopWatching: () => void
  #isClosed = false

  constructor(options: Parts) {
    this.#options = options
    this.#stamp = changeStamp(options.machine, options.config)
    this.#stopWatching = options.clock.after(watchPeriodMs, () => this.#watch())
  }

  async read(): Promise<Inventory> {
    this.#underWay ??= this.#read().finally(() => {
      this.#underWay = undefined
    })
    try {
      return await this.#underWay
    } catch (error) {
      // The next look at the machine finds it changed, and asks for another try.
      this.#stamp = ''
      throw error
    }
  }

  async #read(): Promise<Inventory> {
    const { machine, config, probe, read } = this.#options
    this.#stamp = changeStamp(machine, config)
    const { inventory, devices } = await read()
    // Probes that were stopped say nothing about their disks.
    if (this.#isClosed) throw new Error('The agent ends.')
    if (devices !== null) this.#devices = devices
    this.#statuses = new Map(this.#devices.map(({ device }) => [device.key, device.status]))
    probe.keepOnly(this.#devices.flatMap(({ mount }) => mount ?? []))
    return inventory
  }

  async usage(): Promise<DeviceUsage> {
    const { machine, probe, filesystems } = this.#options
    const readings = await filesystems.read()
    const mounts = readMounts(machine)
    const found = await Promise.all(
      this.#devices.map(async (known) => usageOf(known, { machine, mounts, readings, probe })),
    )
    const usage = found.filter((one) => one !== undefined)
    // The inventory says why a device failed: let it be read again as soon as one does.
    const changed = usage.filter(({ key, status }) => this.#statuses.get(key) !== status)
    for (const { key, status } of changed) this.#statuses.set(key, status)
    if (changed.length > 0) this.#notify()
    return usage
  }

  onChange(callback: () => void): () => void {
    this.#callbacks.add(callback)
    return () => this.#callbacks.delete(callback)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopWatching()
    this.#callbacks.clear()
    this.#options.probe.close()
    await this.#underWay?.catch(() => {})
  }

  #watch(): void {
    const { clock, machine, config } = this.#options
    this.#stopWatching = clock.after(watchPeriodMs, () => this.#watch())
    const stamp = changeStamp(machine, config)
    if (stamp === this.#stamp) return
    this.#stamp = stamp
    this.#notify()
  }

  #notify(): void {
    for (const callback of this.#callbacks) callback()
  }
}
