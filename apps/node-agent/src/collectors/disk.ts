import type { Collector } from './engine/collector.js'
import { gauge, part, rate, ratio } from './engine/metric.js'
import type { Measurement } from './engine/metric.js'
import { columns, eachLine } from './engine/text.js'

/** The columns of a line of /proc/diskstats after the name; the kernel's admin-guide/iostats describes them. */
interface DiskCounters {
  readonly disk: string
  readonly counters: readonly number[]
}

const sectorBytes = 512 // in this file, whatever the disk's own sectors are

export function parseDiskstats(text: string): readonly DiskCounters[] {
  const disks: DiskCounters[] = []
  eachLine(text, (line) => {
    const [, , disk, ...rest] = columns(line)
    const counters = rest.map(Number)
    // Partitions of old kernels have four columns.
    if (disk && counters.length >= 11 && counters.every(Number.isFinite)) disks.push({ disk, counters })
  })
  return disks
}

function diskMeasurements({ disk, counters }: DiskCounters): readonly Measurement[] {
  const name = `disk.${part(disk)}`
  const at = (column: number): number => counters[column] ?? Number.NaN
  const measurements = [
    rate(`${name}.disk_octets.read`, 'bytes/s', at(2) * sectorBytes),
    rate(`${name}.disk_octets.write`, 'bytes/s', at(6) * sectorBytes),
    rate(`${name}.disk_ops.read`, 'operations/s', at(0)),
    rate(`${name}.disk_ops.write`, 'operations/s', at(4)),
    rate(`${name}.disk_merged.read`, 'operations/s', at(1)),
    rate(`${name}.disk_merged.write`, 'operations/s', at(5)),
    // The duration of one operation has no value when none ran.
    ratio(`${name}.disk_time.read`, 'milliseconds/operation', at(3), at(0)),
    ratio(`${name}.disk_time.write`, 'milliseconds/operation', at(7), at(4)),
    gauge(`${name}.pending_operations`, 'count', at(8)),
    rate(`${name}.disk_io_time.io_time`, 'milliseconds/s', at(9)),
    rate(`${name}.disk_io_time.weighted_io_time`, 'milliseconds/s', at(10)),
  ]
  if (counters.length >= 15)
    measurements.push(
      rate(`${name}.disk_octets.discard`, 'bytes/s', at(13) * sectorBytes),
      rate(`${name}.disk_ops.discard`, 'operations/s', at(11)),
    )
  if (counters.length >= 17)
    measurements.push(
      rate(`${name}.disk_ops.flush`, 'operations/s', at(15)),
      ratio(`${name}.disk_time.flush`, 'milliseconds/operation', at(16), at(15)),
    )
  return measurements
}

/** Reports disks and the devices that are built of them, without partitions and unused devices. */
export const disk: Collector = {
  name: 'disk',
  read({ machine }) {
    const devices = new Set(machine.list('/sys/block'))
    return parseDiskstats(machine.read('/proc/diskstats') ?? '')
      .filter(({ disk }) => devices.size === 0 || devices.has(disk.replaceAll('/', '!')))
      .filter(({ counters }) => counters.some((counter) => counter > 0))
      .flatMap(diskMeasurements)
  },
}
