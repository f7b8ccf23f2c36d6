import { diskHealth } from '@roost/api-types/checks'
import type { NodeProblems } from '../machine/problems.js'
import type { RunCommand } from '../machine/run-command.js'
import { askDisk } from './smart/smartctl.js'
import type { DiskHealth } from './smart/smartctl.js'
import type { Collector } from './engine/collector.js'
import { gauge, part } from './engine/metric.js'
import type { Measurement } from './engine/metric.js'

export interface SmartOptions {
  readonly run: RunCommand
  /** Gets the disks that say that they fail, or are worn. */
  readonly problems: Pick<NodeProblems, 'set'>
}

const hourMs = 3_600_000
/** Disks with a health of their own: those of virtual machines have none. */
const isDisk = (name: string): boolean => /^(?:[sh]d[a-z]+|nvme\d+n\d+)$/.test(name)

const unknown: DiskHealth = {
  passed: undefined,
  celsius: Number.NaN,
  poweredSeconds: Number.NaN,
  reallocated: Number.NaN,
  pending: Number.NaN,
  uncorrectable: Number.NaN,
  usedPercent: Number.NaN,
  sparePercent: Number.NaN,
}

/**
 * Reports the health of disks by smartctl, once an hour, one disk after the other, in processes that may hang. A disk that
 * sleeps is not woken up, and keeps its names without values. Throws the reason if no disk could be asked.
 */
export function createSmart({ run, problems }: SmartOptions): Collector {
  /** Disks whose process hangs: there is never a second one. */
  const hanging = new Set<string>()
  const known = new Set<string>()
  /** What a sleeping disk said last stays a problem. */
  const last = new Map<string, DiskHealth>()

  /** Returns why nothing is known of the disk; undefined where something is, or nothing can be. */
  async function ask(disk: string, measurements: Measurement[]): Promise<string | undefined> {
    if (hanging.has(disk)) return `smartctl hangs with ${disk}.`
    hanging.add(disk)
    const { health, ended } = await askDisk(run, `/dev/${disk}`)
    void ended.then(() => hanging.delete(disk))
    if (!('reason' in health)) {
      known.add(disk)
      last.set(disk, health)
    }
    if (known.has(disk)) measurements.push(...measurementsOf(disk, 'reason' in health ? unknown : health))
    return 'reason' in health && health.reason === 'failed' ? `${disk}: ${health.message}` : undefined
  }

  return {
    name: 'smart',
    minIntervalMs: hourMs,
    async read({ machine }) {
      const disks = machine.list('/sys/block').filter(isDisk)
      const measurements: Measurement[] = []
      const faults: string[] = []
      for (const disk of disks) {
        const fault = await ask(disk, measurements)
        if (fault !== undefined) faults.push(fault)
      }
      for (const disk of last.keys()) if (!disks.includes(disk)) last.delete(disk)
      const found = [...last].flatMap(([disk, { passed, usedPercent }]) =>
        diskHealth.find({ disk, passed, usedPercent }),
      )
      problems.set('smart', found)
      if (measurements.length === 0 && faults[0] !== undefined) throw new Error(faults[0])
      return measurements
    },
  }
}

function measurementsOf(disk: string, health: DiskHealth): readonly Measurement[] {
  const name = `smart.${part(disk)}`
  return [
    gauge(`${name}.passed`, 'boolean', health.passed === undefined ? Number.NaN : Number(health.passed)),
    gauge(`${name}.temperature`, 'celsius', health.celsius),
    gauge(`${name}.power_on_time`, 'seconds', health.poweredSeconds),
    gauge(`${name}.reallocated_sectors`, 'count', health.reallocated),
    gauge(`${name}.pending_sectors`, 'count', health.pending),
    gauge(`${name}.uncorrectable_sectors`, 'count', health.uncorrectable),
    gauge(`${name}.percent.used`, 'percent', health.usedPercent),
    gauge(`${name}.percent.spare`, 'percent', health.sparePercent),
  ]
}
