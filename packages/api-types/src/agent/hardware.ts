import * as z from 'zod/mini'
import { Bytes, Count } from './numbers.js'

const maxText = 500
const text = z.nullable(z.string().check(z.maxLength(maxText)))
const count = z.nullable(Count)
/** A node with containers has an interface for each of them. */
const maxParts = 2_000
const list = <T extends z.ZodMiniObject>(part: T) => z.nullable(z.array(part).check(z.maxLength(maxParts)))

/**
 * The parts of a machine that rarely change. A part or value is null where the machine does not report it; `unavailable`
 * gives the reason for each that could not be read, by its name, such as `memory_modules` or `system.serial`.
 */
export const HardwareReport = z.object({
  /** Unix seconds. */
  read_at: z.number().check(z.nonnegative(), z.maximum(2 ** 40)),
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
  memory_modules: list(
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
  disks: list(
    z.object({
      name: z.string().check(z.maxLength(maxText)),
      vendor: text,
      model: text,
      serial: text,
      firmware: text,
      interface: text,
      kind: text,
      size_bytes: z.nullable(Bytes),
    }),
  ),
  interfaces: list(
    z.object({
      name: z.string().check(z.maxLength(maxText)),
      mac: text,
      speed_mbps: count,
      duplex: text,
      mtu: count,
      is_virtual: z.boolean(),
    }),
  ),
  unavailable: z.record(z.string().check(z.maxLength(maxText)), z.string().check(z.maxLength(maxText))),
})
export type HardwareReport = z.infer<typeof HardwareReport>
