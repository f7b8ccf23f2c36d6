import type { DeviceUsageMessage } from '@roost/api-types/agent'
import type { FilesystemReading } from '../machine/filesystems.js'
import { type Mount, mountNow } from '../machine/mounts.js'
import type { ProbeResult } from '../machine/statfs-probe.js'
import { type DeviceProbe, spaceOf } from './device-probe.js'
import type { ReadDevice } from './devices.js'
import type { FilesystemErrors } from './filesystem-errors.js'
import type { MountStamp } from './mount-stamp.js'

type Usage = DeviceUsageMessage['devices'][number]

export interface UsageFacts {
  /** The mounts of this moment. */
  readonly mounts: readonly Mount[]
  readonly stampOf: MountStamp
  readonly readings: readonly FilesystemReading[]
  readonly probe: DeviceProbe
  readonly errors: FilesystemErrors
  /** The mounts that the last quick check could not open. */
  readonly suspects: ReadonlySet<Mount>
}

/**
 * Returns the state and usage of a device of the inventory. Undefined where something else has been mounted there since: its
 * usage belongs to another device, which the next inventory names.
 */
export async function usageOf(known: ReadDevice, facts: UsageFacts): Promise<Usage | undefined> {
  const { key, status } = known.device
  const { mount } = known
  if (mount === undefined) return { key, status, figures: null }
  const now = mountNow(mount, facts.mounts)
  if (now === undefined) return { key, status: 'unmounted', figures: null }
  if (facts.stampOf(now) !== known.stamp) return undefined
  const space = mount.kind === 'network' ? null : spaceOf(await ask(mount, facts))
  if (space === null || (await facts.errors.of(mount, known.stamp))?.isNow === true)
    return { key, status: 'failed', figures: null }
  return { key, status: status === 'unmanaged' ? status : 'ok', figures: space }
}

/** Checks health now and then, and usage as often as the collectors do; both must be good. */
async function ask(mount: Mount, { probe, readings, suspects }: UsageFacts): Promise<ProbeResult> {
  const health = await probe.probe(mount, suspects.has(mount) ? 0 : undefined)
  const reading = readings.find(({ filesystem }) => filesystem.device === mount.device)
  return health.state === 'ok' && reading !== undefined ? reading.result : health
}
