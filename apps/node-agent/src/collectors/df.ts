import type { FilesystemReading } from '../machine/filesystems.js'
import type { StatfsValues } from '../machine/statfs-values.js'
import type { Collector } from './engine/collector.js'
import { gauge, part } from './engine/metric.js'
import type { Measurement } from './engine/metric.js'

/** Names a mount point as collectd does: `root`, `srv-node-d1`. */
export function mountName(mountPoint: string): string {
  return mountPoint === '/' ? 'root' : part(mountPoint.replace(/^\//, '').replaceAll('/', '-'))
}

const unknown: StatfsValues = {
  total_bytes: Number.NaN,
  free_bytes: Number.NaN,
  available_bytes: Number.NaN,
  inodes: Number.NaN,
  freeInodes: Number.NaN,
}

/** A filesystem that does not answer keeps its names, without values. */
export function dfMeasurements({ filesystem, result }: FilesystemReading): readonly Measurement[] {
  const prefix = `df.${mountName(filesystem.mounts[0].mountPoint)}`
  const usage = result.state === 'ok' ? result.values : unknown
  const used = usage.total_bytes - usage.free_bytes
  const usedInodes = usage.inodes - usage.freeInodes
  return [
    gauge(`${prefix}.df_complex.free`, 'bytes', usage.available_bytes),
    gauge(`${prefix}.df_complex.reserved`, 'bytes', usage.free_bytes - usage.available_bytes),
    gauge(`${prefix}.df_complex.used`, 'bytes', used),
    // The base is the space of users other than root, as in the column Use% of df.
    gauge(`${prefix}.percent_bytes.used`, 'percent', (used / (used + usage.available_bytes)) * 100),
    gauge(`${prefix}.df_inodes.free`, 'count', usage.inodes === 0 ? Number.NaN : usage.freeInodes),
    gauge(`${prefix}.df_inodes.used`, 'count', usage.inodes === 0 ? Number.NaN : usedInodes),
    gauge(`${prefix}.percent_inodes.used`, 'percent', (usedInodes / usage.inodes) * 100),
    gauge(`${prefix}.mount_stuck`, 'count', result.state === 'stuck' ? 1 : 0),
  ]
}

/** Reports the local filesystems; `machine/filesystems.ts` decides how often each is asked. */
export const df: Collector = {
  name: 'df',
  read: async ({ filesystems }) => (await filesystems.read()).flatMap(dfMeasurements),
}
