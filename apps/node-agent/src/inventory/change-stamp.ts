import type { InventoryConfig } from '../config.js'
import type { Machine } from '../machine/machine.js'
import { readMounts } from '../machine/mounts.js'
import { mountStamp } from './mount-stamp.js'
import { unlessDenied } from '../machine/try-read.js'

/** A text that changes with what the next inventory would show: mounts of data, disks, Swift's files and the machine's name. */
export function changeStamp(machine: Machine, config: InventoryConfig): string {
  return unlessDenied(() => stamps(machine, config).join('\n')) ?? ''
}

function stamps(machine: Machine, config: InventoryConfig): readonly string[] {
  const mounts = readMounts(machine)
    .filter((mount) => mount.kind === 'local')
    .map((mount) => mountStamp(machine, mount))
  const disks = machine.list('/sys/block').map((name) => `${name} ${machine.read(`/sys/block/${name}/size`)?.trim()}`)
  const name = machine.read('/proc/sys/kernel/hostname') ?? ''
  return [...mounts, ...disks, name, ...swiftStamps(machine, config.swiftDirectory)]
}

/** Rings are replaced by a rename, configuration often in location: the files tell both, their folders what was removed. */
function swiftStamps(machine: Machine, directory: string): readonly string[] {
  const files = unlessDenied(() => machine.list(directory)) ?? []
  return files.map((file) => `${file} ${unlessDenied(() => machine.stamp(`${directory}/${file}`))}`)
}
