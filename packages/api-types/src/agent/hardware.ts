import * as z from 'zod/mini'
import { Bytes, Count, list, Name, Seconds, table } from './bounds.js'

const text = z.nullable(Name)
const count = z.nullable(Count)
/** A node with containers has an interface for each of them. */
const maxParts = 2_000
const parts = <T extends z.ZodMiniObject>(part: T) => z.nullable(list(part, maxParts))

/**
 * The parts of a machine that rarely change. A part or value is null where the machine does not report it; `unavailable`
 * gives the reason for each that could not be read, by its name, such as `memory_modules` or `system.serial`.
 */
export const HardwareReport = z.object({
  /** Unix seconds. */
  read_at: Seconds,
  system: z.nullable(
    z.object({
      manufacturer: text,
      model: text,
      version: text,
      serial: text,
      uuid: text,
      sku: text,
      is_virtual: z.boolean(),
    }),
  ),
  board: z.nullable(z.object({ manufacturer: text, model: text, version: text, serial: text, asset_tag: text })),
  bios: z.nullable(z.object({ vendor: text, version: text, release_date: text })),
  cpu: z.nullable(
    z.object({
      manufacturer: text,
      model: text,
      sockets: count,
      physical_cores: count,
      logical_cores: count,
      max_ghz: z.nullable(z.number().check(z.nonnegative(), z.maximum(2 ** 20))),
    }),
  ),
  /** An empty slot has 0 bytes. */
  memory_modules: parts(
    z.object({
      bank: text,
      size_bytes: Bytes,
      type: text,
      form_factor: text,
      speed_mhz: count,
      manufacturer: text,
      part_number: text,
      serial: text,
    }),
  ),
  disks: parts(
    z.object({
      name: Name,
      vendor: text,
      model: text,
      serial: text,
      firmware: text,
      interface: text,
      kind: text,
      size_bytes: z.nullable(Bytes),
    }),
  ),
  interfaces: parts(
    z.object({
      name: Name,
      mac: text,
      speed_mbps: count,
      duplex: text,
      mtu: count,
      is_virtual: z.boolean(),
    }),
  ),
  unavailable: table(Name, 100),
})
export type HardwareReport = z.infer<typeof HardwareReport>
