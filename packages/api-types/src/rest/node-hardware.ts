import { z } from 'zod'
import { hardwareParts } from '../values/hardware.js'
import { relationUri } from './dialect/uri.js'

const text = z.string().nullable()
const count = z.int().nullable()
const part = hardwareParts({ name: z.string(), text, count, bytes: z.int(), flag: z.boolean() })
const description = (text: string) => ({ description: text })

/** The parts of a node's machine that rarely change, as its agent read them last. */
export const NodeHardware = z
  .object({
    node: relationUri('nodes'),
    read_at: z.iso
      .datetime()
      .meta(description('When the agent read the hardware. It does so once a day and when disks change')),
    system: z.object(part.system).nullable(),
    board: z.object(part.board).nullable(),
    bios: z.object(part.bios).nullable(),
    cpu: z.object({ ...part.cpu, max_ghz: z.number().nullable() }).nullable(),
    memory_modules: z
      .array(z.object({ ...part.memoryModule, size_bytes: z.int().meta(description('0 in an empty slot')) }))
      .nullable(),
    disks: z
      .array(
        z.object({
          ...part.disk,
          name: z.string().meta(description('Kernel name, such as `sda`; it can change at each boot')),
          interface: text.meta(description('Such as `SATA`, `SAS` or `PCIe`')),
          kind: text.meta(description('`HD`, `SSD` or `NVMe`')),
          size_bytes: count,
        }),
      )
      .nullable(),
    interfaces: z
      .array(z.object({ ...part.interface, speed_mbps: count.meta(description('Null without a link')) }))
      .nullable(),
    unavailable: z
      .record(z.string(), z.string())
      .meta(description('Parts and values that could not be read, each with the reason. Their fields are null')),
  })
  .meta({
    id: 'NodeHardware',
    examples: [
      {
        node: '/api/v1/nodes/7/',
        read_at: '2026-11-22T08:00:00.000Z',
        system: {
          manufacturer: 'ACME',
          model: 'Storage 4200',
          version: null,
          serial: null,
          uuid: null,
          sku: 'S4200',
          is_virtual: false,
        },
        board: { manufacturer: 'ACME', model: 'X11', version: '1.02', serial: null, asset_tag: null },
        bios: { vendor: 'ACME', version: '2.4.1', release_date: '2025-03-14' },
        cpu: {
          manufacturer: 'AMD',
          model: 'EPYC 7313P',
          sockets: 1,
          physical_cores: 16,
          logical_cores: 32,
          max_ghz: 3.73,
        },
        memory_modules: null,
        disks: [
          {
            name: 'sda',
            vendor: 'Seagate',
            model: 'ST16000NM001G',
            serial: 'ZL2ABC12',
            firmware: 'SN03',
            interface: 'SATA',
            kind: 'HD',
            size_bytes: 16_000_900_661_248,
          },
        ],
        interfaces: [
          {
            name: 'eth0',
            mac: '02:00:00:00:00:07',
            speed_mbps: 25_000,
            duplex: 'full',
            mtu: 9_000,
            is_virtual: false,
          },
        ],
        unavailable: {
          'board.serial': 'needs root',
          memory_modules: 'needs root',
          'system.serial': 'needs root',
          'system.uuid': 'needs root',
        },
      },
    ],
  })
export type NodeHardware = z.infer<typeof NodeHardware>
