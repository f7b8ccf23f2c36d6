import type { InventoryConfig } from '../config.js'
import type { Machine } from '../machine/machine.js'
import type { Mount } from '../machine/mounts.js'
import type { MountStamp } from './mount-stamp.js'
import { readProxyAuthentication } from '../swift/users/authentication.js'
import { unlessDenied } from '../machine/try-read.js'

interface ChangeFacts {
  readonly machine: Machine
  readonly config: InventoryConfig
  readonly mounts: readonly Mount[]
  readonly stampOf: MountStamp
}

/** Returns a text that changes with what the next inventory would show: mounts of data, disks, Swift's files, how its proxy authenticates and the machine's name. */
export function changeStamp({ machine, config, mounts, stampOf }: ChangeFacts): string {
  const local = mounts.filter((mount) => mount.kind === 'local').map(stampOf)
  // Names and sizes of disks are in this file, too, which no driver answers.
  const disks = unlessDenied(() => machine.read('/proc/partitions')) ?? ''
  const name = unlessDenied(() => machine.read('/proc/sys/kernel/hostname')) ?? ''
  const folders = [...new Set([config.swiftDirectory, config.ringDirectory])]
  const authentication = readProxyAuthentication(machine, config.swiftDirectory) ?? ''
  return [...local, disks, name, authentication, ...folders.flatMap((folder) => swiftStamps(machine, folder))].join(
    '\n',
  )
}

/** Rings are replaced by a rename, configuration often in place: the files show both, their folders what was removed. */
function swiftStamps(machine: Machine, directory: string): readonly string[] {
  const files = unlessDenied(() => machine.list(directory)) ?? []
  return files.map((file) => `${file} ${unlessDenied(() => machine.stamp(`${directory}/${file}`))}`)
}
