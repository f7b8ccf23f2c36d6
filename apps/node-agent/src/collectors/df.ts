import { percentUsed, usageOf } from '@roost/capacity-core'
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
  const values = result.state === 'ok' ? result.values : unknown
  const { total_bytes: totalBytes, free_bytes: freeBytes, available_bytes: availableBytes, inodes, freeInodes } = values
  const usage = usageOf({ totalBytes, freeBytes, availableBytes })
  const hasInodes = inodes > 0
  return [
    gauge(`${prefix}.df_complex.free`, 'bytes', usage.freeBytes),
    gauge(`${prefix}.df_complex.reserved`, 'bytes', Math.max(0, freeBytes - usage.freeBytes)),
    gauge(`${prefix}.df_complex.used`, 'bytes', usage.usedBytes),
    // The base is the space of users other than root, as in the column Use% of df.
    gauge(`${prefix}.percent_bytes.used`, 'percent', percentOf(usage.usedBytes, usage.rawBytes)),
    gauge(`${prefix}.df_inodes.free`, 'count', hasInodes ? freeInodes : Number.NaN),
    gauge(`${prefix}.df_inodes.used`, 'count', hasInodes ? inodes - freeInodes : Number.NaN),
    gauge(`${prefix}.percent_inodes.used`, 'percent', hasInodes ? percentOf(inodes - freeInodes, inodes) : Number.NaN),
    gauge(`${prefix}.mount_stuck`, 'count', result.state === 'stuck' ? 1 : 0),
  ]
}

/** Returns no percentage of what is unknown, and the control plane's of anything else. */
function percentOf(used: number, raw: number): number {
  return Number.isNaN(raw) ? raw : percentUsed(used, raw)
}

/** Reports the local filesystems; `machine/filesystems.ts` decides how often each is asked. */
export const df: Collector = {
  name: 'df',
  read: async ({ filesystems }) => (await filesystems.read()).flatMap(dfMeasurements),
}
