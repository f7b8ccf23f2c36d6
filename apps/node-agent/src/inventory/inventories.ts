import { networkInterfaces } from 'node:os'
import type { DeviceUsageMessage, HardwareReport, Inventory, InventoryDevice } from '@roost/api-types/agent'
import type { Clock } from '@roost/runtime'
import type { InventoryConfig } from '../config.js'
import type { Filesystems } from '../machine/filesystems.js'
import type { StartHelper } from '../machine/helper.js'
import { kernelOf, type Machine, openMachine } from '../machine/machine.js'
import { type Mount, mountNow, readMounts } from '../machine/mounts.js'
import type { RunCommand } from '../machine/run-command.js'
import type { NodeProblems, ProblemChange } from '../machine/problems.js'
import { unlessDenied } from '../machine/try-read.js'
import type { ServiceList } from '../swift/services/service-list.js'
import type { AskRecon } from '../swift/recon/recon-client.js'
import { type SlowReader } from '../collectors/engine/slow-reader.js'
import { changeStamp } from './change-stamp.js'
import { createDeviceProbe, type DeviceProbe } from './device-probe.js'
import { usageOf } from './device-usage.js'
import type { ReadDevice } from './devices.js'
import { createFilesystemErrors, type FilesystemErrors } from './filesystem-errors.js'
import { createHardwareReader, type HardwareReader } from './hardware/hardware-reader.js'
import { createInventoryReader, type ReadInventory } from './inventory.js'
import { createMountStamps, type MountStamps } from './mount-stamp.js'

export type InventoryChange = 'machine' | ProblemChange

export type DeviceUsage = DeviceUsageMessage['devices']

/** Describes this machine for the agent's loop. */
export interface Inventories {
  /** Reads the complete inventory: asked at start, every `inventory_interval_ms`, and after `onChange`. */
  read(): Promise<Inventory>
  /** Reads the hardware, which is part of the inventory from then on: asked once a day. It takes 20 s at most. */
  readHardware(): Promise<void>
  /** Returns the usage of the devices that the last inventory named: asked every report interval. */
  usage(): Promise<DeviceUsage>
  /** Returns the devices as they were read last, by inventory or by usage. */
  devices(): readonly InventoryDevice[]
  /** Calls back when something changed that the next inventory would show, such as a ring. The answer unsubscribes. */
  onChange(callback: (change: InventoryChange) => void): () => void
  close(): Promise<void>
}

export interface InventoriesOptions {
  readonly config: InventoryConfig
  readonly machine: Machine
  readonly run: RunCommand
  readonly start: StartHelper
  readonly openSlowReader: () => SlowReader
  /** Shared with the collectors, so that a mount is asked once for both. */
  readonly filesystems: Filesystems
  readonly askRecon: AskRecon
  /** Joins the inventory's own. */
  readonly problems: NodeProblems
  /** The servers and daemons of Swift. */
  readonly services: ServiceList
  readonly clock: Clock
}

/** How soon a changed ring or mount is noticed. */
const watchPeriodMs = 10_000

/** Reads inventories, keeps the last good devices between them, and watches for what the next one would show. */
export function createInventories(options: InventoriesOptions): Inventories {
  const { clock, machine, run, start } = options
  const monotonic = (): number => clock.monotonic()
  const probe = createDeviceProbe({ machine, run, start, monotonic })
  const errors = createFilesystemErrors(kernelOf(machine), run)
  // The stamps have a reader of their own: its helper is asked about the same files every few seconds.
  const [stampReader, blockReader] = [options.openSlowReader(), options.openSlowReader()]
  const stamps = createMountStamps({ machine, readSlowly: stampReader.read, monotonic })
  const blocks = { readSlowly: blockReader.read, monotonic }
  const read = createInventoryReader({ ...options, probe, errors, stamps, blocks, interfaces: networkInterfaces })
  const hardware = createHardwareReader({ run, clock })
  return new WatchedInventories({
    ...options,
    probe,
    errors,
    stamps,
    readers: [stampReader, blockReader],
    read,
    hardware,
  })
}

interface Parts extends Omit<InventoriesOptions, 'run' | 'start' | 'openSlowReader'> {
  readonly probe: DeviceProbe
  readonly errors: FilesystemErrors
  readonly stamps: MountStamps
  readonly readers: readonly SlowReader[]
  readonly read: ReadInventory
  readonly hardware: HardwareReader
}

class WatchedInventories implements Inventories {
  readonly #options: Parts
  readonly #callbacks = new Set<(change: InventoryChange) => void>()
  #devices: readonly ReadDevice[] = []
  /** As reported last, by inventory or by usage. */
  #statuses = new Map<string, InventoryDevice['status']>()
  /** Undefined until the machine was checked for the first time. */
  #stamp: string | undefined
  #underWay: Promise<Inventory> | undefined
  #stopWatching: () => void
  readonly #unsubscribe: () => void
  #hardware: HardwareReport | undefined
  #hardwareRead: Promise<void> | undefined
  /** The disks of the machine when its hardware was read. */
  #disks = ''
  #isClosed = false

  constructor(options: Parts) {
    this.#options = options
    this.#stopWatching = options.clock.after(watchPeriodMs, () => this.#watch())
    const unsubscribe = [
      options.problems.onChange((change) => this.#notify(change)),
      options.services.onChange(() => this.#notify('machine')),
    ]
    this.#unsubscribe = () => unsubscribe.forEach((end) => end())
  }

  async read(): Promise<Inventory> {
    this.#underWay ??= this.#read().finally(() => {
      this.#underWay = undefined
    })
    try {
      return await this.#underWay
    } catch (error) {
      // The next check of the machine finds it changed, and asks for another inventory.
      this.#stamp = ''
      throw error
    }
  }

  async #read(): Promise<Inventory> {
    const { probe, errors, problems, services, read } = this.#options
    this.#stamp = await this.#readStamp()
    const { inventory, devices } = await read()
    // Probes that were stopped say nothing about their disks.
    if (this.#isClosed) throw new Error('The agent is stopping.')
    if (devices !== null) this.#devices = devices
    this.#statuses = new Map(this.#devices.map(({ device }) => [device.key, device.status]))
    probe.keepOnly(mountsOf(this.#devices))
    errors.keepOnly(new Set(this.#devices.map(({ stamp }) => stamp)))
    this.#noticeDisks(inventory)
    return {
      ...inventory,
      problems: [...inventory.problems, ...problems.list()],
      services: [...services.list()],
      ...(this.#hardware === undefined ? {} : { hardware: this.#hardware }),
    }
  }

  async readHardware(): Promise<void> {
    if (!isOurKernel(this.#options.machine)) return
    this.#hardwareRead ??= this.#readHardware().finally(() => (this.#hardwareRead = undefined))
    await this.#hardwareRead
  }

  async #readHardware(): Promise<void> {
    const report = await this.#options.hardware.read()
    this.#hardware = report
    this.#notify('machine')
  }

  /** A replaced disk does not wait for the next day. */
  #noticeDisks({ disks }: Inventory): void {
    const names = JSON.stringify(disks.map(({ name, serial }) => [name, serial]))
    const isChanged = this.#disks !== '' && this.#disks !== names
    this.#disks = names
    // The report that is known stays until there is another one.
    if (isChanged && this.#hardware !== undefined) void this.readHardware().catch(() => {})
  }

  async usage(): Promise<DeviceUsage> {
    const { machine, probe, errors, stamps, filesystems } = this.#options
    const readings = await filesystems.read()
    const mounts = readMounts(machine)
    const suspects = await probe.quickCheck(mountsOf(this.#devices).filter((mount) => isThere(mount, mounts)))
    const stampOf = await stamps.read(mounts)
    const facts = { mounts, readings, probe, errors, suspects, stampOf }
    const found = await Promise.all(this.#devices.map(async (known) => usageOf(known, facts)))
    const usage = found.filter((one) => one !== undefined)
    // The inventory says why a device failed: let it be read again as soon as one does.
    const changed = usage.filter(({ key, status }) => this.#statuses.get(key) !== status)
    for (const { key, status } of changed) this.#statuses.set(key, status)
    if (changed.length > 0) this.#notify('machine')
    return usage
  }

  devices(): readonly InventoryDevice[] {
    return this.#devices.map(({ device }) => ({ ...device, status: this.#statuses.get(device.key) ?? device.status }))
  }

  onChange(callback: (change: InventoryChange) => void): () => void {
    this.#callbacks.add(callback)
    return () => this.#callbacks.delete(callback)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopWatching()
    this.#unsubscribe()
    this.#callbacks.clear()
    this.#options.probe.close()
    this.#options.hardware.close()
    for (const reader of this.#options.readers) reader.close()
    await Promise.all([this.#underWay?.catch(() => {}), this.#hardwareRead?.catch(() => {})])
  }

  #watch(): void {
    this.#stopWatching = this.#options.clock.after(watchPeriodMs, () => this.#watch())
    void this.#check()
  }

  async #check(): Promise<void> {
    const stamp = await this.#readStamp()
    const isChanged = this.#stamp !== undefined && this.#stamp !== stamp
    this.#stamp = stamp
    if (isChanged) this.#notify('machine')
  }

  async #readStamp(): Promise<string> {
    const { machine, config, stamps } = this.#options
    const mounts = unlessDenied(() => readMounts(machine)) ?? []
    return changeStamp({ machine, config, mounts, stampOf: await stamps.read(mounts) })
  }

  #notify(change: InventoryChange): void {
    for (const callback of this.#callbacks) callback(change)
  }
}

/** Says whether the root is that of the machine that runs this process, whose hardware is read. */
function isOurKernel(machine: Machine): boolean {
  const bootId = '/proc/sys/kernel/random/boot_id'
  return machine.read(bootId) === openMachine().read(bootId)
}

function mountsOf(devices: readonly ReadDevice[]): readonly Mount[] {
  return devices.flatMap(({ mount }) => mount ?? [])
}

/** Says whether it is still mounted. Otherwise its path shows the folder below, which says nothing of the device. */
function isThere(mount: Mount, mounts: readonly Mount[]): boolean {
  return mount.kind !== 'network' && mountNow(mount, mounts)?.id === mount.id
}
