import type { InventoryProblem, InventoryRing } from '@roost/api-types/agent'
import type { Machine } from '../../machine/machine.js'
import { type Ring, RingError, readRing } from './ring.js'

export interface SwiftRings {
  /** The rings that have a file: `account`, `container`, `object`, `object-1` … */
  readonly names: readonly string[]
  /** The rings that could be read. */
  readonly rings: ReadonlyMap<string, Ring>
  readonly described: readonly InventoryRing[]
  readonly problems: readonly InventoryProblem[]
}

/** Reads the rings one after the other: only one table is in memory at a time. */
export async function readRings(machine: Machine, directory: string): Promise<SwiftRings> {
  const rings = new Map<string, Ring>()
  const described: InventoryRing[] = []
  const problems: InventoryProblem[] = []
  const names = ringNames(machine, directory)
  for (const name of names) {
    const path = `${directory}/${name}.ring.gz`
    try {
      const { md5, ...ring } = await readRing(machine.readBytes(path) ?? new Uint8Array())
      const { version, partitions, replicas, devices } = ring
      rings.set(name, ring)
      described.push({ name, version, md5, devices: devices.length, partitions, replicas })
    } catch (error) {
      const why = error instanceof RingError ? error.message : (error as NodeJS.ErrnoException).code
      const message = `The ring ${path} cannot be used: ${why}. Its last known devices are kept.`
      problems.push({ code: 'ring_unreadable', subject: path, message })
    }
  }
  return { names, rings, described, problems }
}

function ringNames(machine: Machine, directory: string): readonly string[] {
  const files = machine.list(directory)
  return files.flatMap((file) => /^((?:account|container|object(?:-\d+)?))\.ring\.gz$/.exec(file)?.[1] ?? [])
}
