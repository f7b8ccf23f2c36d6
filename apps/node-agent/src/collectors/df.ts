import type { FilesystemReading } from '../machine/filesystems.js'
import type { StatfsFigures } from '../machine/statfs-values.js'
import type { Collector } from './engine/collector.js'
import { gauge, part } from './engine/metric.js'
import type { Measurement } from './engine/metric.js'

/** The mount point as collectd writes it: `root`, `srv-node-d1`. */
export function mountName(mountPoint: string): string {
  return mountPoint === '/' ? 'root' : part(mountPoint.replace(/^\//, '').replaceAll('/', '-'))
}

const unknown: StatfsFigures = {
  total_bytes: Number.NaN,
  free_bytes: Number.NaN,
  available_bytes: Number.NaN,
  inodes: Number.NaN,
  freeInodes: Number.NaN,
}

/** A filesystem that does not answer keeps its names, without values. */
export function dfMeasurements({ filesystem, result }: FilesystemReading): readonly Measurement[] {
  const prefix = `df.${mountName(filesystem.mounts[0].mountPoint)}`
  const figures = result.state === 'ok' ? result.figures : unknown
  const used = figures.total_bytes - figures.free_bytes
  const usedInodes = figures.inodes - figures.freeInodes
  return [
    gauge(`${prefix}.df_complex.free`, 'bytes', figures.available_bytes),
    gauge(`${prefix}.df_complex.reserved`, 'bytes', figures.free_bytes - figures.available_bytes),
    gauge(`${prefix}.df_complex.used`, 'bytes', used),
    // Of what users other than root can have, as the column Use% of df.
    gauge(`${prefix}.percent_bytes.used`, 'percent', (used / (used + figures.available_bytes)) * 100),
    gauge(`${prefix}.df_inodes.free`, 'count', figures.inodes === 0 ? Number.NaN : figures.freeInodes),
    gauge(`${prefix}.df_inodes.used`, 'count', figures.inodes === 0 ? Number.NaN : usedInodes),
    gauge(`${prefix}.percent_inodes.used`, 'percent', (usedInodes / figures.inodes) * 100),
    gauge(`${prefix}.mount_stuck`, 'count', result.state === 'stuck' ? 1 : 0),
  ]
}

/** The local filesystems; see `machine/filesystems.ts` for how often each is asked. */
export const df: Collector = {
  name: 'df',
  read: async ({ filesystems }) => (await filesystems.read()).flatMap(dfMeasurements),
}
