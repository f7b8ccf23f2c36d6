import * as z from 'zod/mini'
import { hardwareParts } from '../values/hardware.js'
import { Bytes, Count, list, Name, Seconds, table } from './bounds.js'

/** A node with containers has an interface for each of them. */
const maxParts = 2_000
const part = hardwareParts({
  name: Name,
  text: z.nullable(Name),
  count: z.nullable(Count),
  bytes: Bytes,
  flag: z.boolean(),
})
const parts = <T extends z.ZodMiniObject>(item: T) => z.nullable(list(item, maxParts))

/**
 * The parts of a machine that rarely change. A part or value is null where the machine does not report it; `unavailable`
 * gives the reason for each that could not be read, by its name, such as `memory_modules` or `system.serial`.
 */
export const HardwareReport = z.object({
  /** Unix seconds. */
  read_at: Seconds,
  system: z.nullable(z.object(part.system)),
  board: z.nullable(z.object(part.board)),
  bios: z.nullable(z.object(part.bios)),
  cpu: z.nullable(
    z.object({ ...part.cpu, max_ghz: z.nullable(z.number().check(z.nonnegative(), z.maximum(2 ** 20))) }),
  ),
  /** An empty slot has 0 bytes. */
  memory_modules: parts(z.object(part.memoryModule)),
  disks: parts(z.object({ ...part.disk, size_bytes: z.nullable(Bytes) })),
  interfaces: parts(z.object(part.interface)),
  unavailable: table(Name, 100),
})
export type HardwareReport = z.infer<typeof HardwareReport>
