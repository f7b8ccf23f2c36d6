import { posix } from 'node:path'
import { kernelOf, type Machine } from '../machine/machine.js'
import type { Mount } from '../machine/mounts.js'
import { unlessDenied } from '../machine/try-read.js'

/**
 * Tells what is mounted from what was mounted at the same path. The kernel gives numbers of mounts and disks out again: a
 * disk that replaces another within seconds may get both, but never the other's sequence number.
 */
export function mountStamp(machine: Machine, { id, device, mountPoint }: Mount): string {
  return `${id} ${device} ${mountPoint} ${unlessDenied(() => diskSequence(kernelOf(machine), device)) ?? ''}`
}

/** Since Linux 5.15; a partition has that of its disk. */
function diskSequence(kernel: Machine, device: string): string | undefined {
  const target = kernel.link(`/sys/dev/block/${device}`)
  if (target === undefined) return undefined
  const names = [posix.basename(target), posix.basename(posix.dirname(target))]
  return names.map((name) => kernel.read(`/sys/block/${name}/diskseq`)).find((text) => text !== undefined)
}
