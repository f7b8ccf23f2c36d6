import type { InventoryProblem, InventoryRing } from '@roost/api-types/agent'
import { ringUnreadable } from '@roost/api-types/checks'
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

/** Rings that were read before, by path: a file with the same stamp is not read again. */
export type RingCache = Map<string, { readonly stamp: string; readonly ring: FileRing }>

type FileRing = Ring & { readonly md5: string }

/** Reads the rings one after the other: only one table is in memory at a time. */
export async function readRings(machine: Machine, directory: string, cache: RingCache): Promise<SwiftRings> {
  const rings = new Map<string, Ring>()
  const described: InventoryRing[] = []
  const problems: InventoryProblem[] = []
  const names = ringNames(machine, directory)
  for (const name of names) {
    const path = `${directory}/${name}.ring.gz`
    try {
      const ring = await readCached(machine, path, cache)
      rings.set(name, ring)
      described.push(describe(name, ring, machine.modifiedAt(path)))
    } catch (error) {
      const reason = error instanceof RingError ? error.message : String((error as NodeJS.ErrnoException).code)
      problems.push(...ringUnreadable.find({ path, reason }))
    }
  }
  return { names, rings, described, problems }
}

async function readCached(machine: Machine, path: string, cache: RingCache): Promise<FileRing> {
  const stamp = machine.stamp(path) ?? ''
  const known = cache.get(path)
  if (known?.stamp === stamp) return known.ring
  const ring = await readRing(machine.readBytes(path) ?? new Uint8Array())
  cache.set(path, { stamp, ring })
  return ring
}

function describe(name: string, ring: FileRing, modifiedMs: number | undefined): InventoryRing {
  const { version, md5, devices, partitions, replicas, balance, dispersion, nextPartPower } = ring
  return {
    name,
    version,
    md5,
    devices: devices.length,
    partitions,
    replicas,
    balance,
    dispersion,
    regions: new Set(devices.map(({ region }) => region)).size,
    zones: new Set(devices.map(({ region, zone }) => `${region} ${zone}`)).size,
    weight: devices.reduce((sum, { weight }) => sum + weight, 0),
    ...(nextPartPower === null ? {} : { next_part_power: nextPartPower }),
    ...(modifiedMs === undefined ? {} : { modified: modifiedMs / 1_000 }),
  }
}

function ringNames(machine: Machine, directory: string): readonly string[] {
  const files = machine.list(directory)
  return files.flatMap((file) => /^((?:account|container|object(?:-\d+)?))\.ring\.gz$/.exec(file)?.[1] ?? [])
}
