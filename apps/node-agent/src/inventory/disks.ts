import type { InventoryDisk } from '@roost/api-types/agent'
import type { Machine } from '../machine/machine.js'
import { readUdev } from './udev.js'
import { unlessDenied } from '../machine/try-read.js'

const sectorBytes = 512

/** The machine's disks as `/sys` and udev know them: nothing is asked of a disk itself, so that a dead one cannot do harm. */
export function readDisks(machine: Machine): readonly InventoryDisk[] {
  return machine.list('/sys/block').flatMap((name) => {
    const size = readSize(machine, name)
    return isDisk(machine, name) && size !== 0 ? [readDisk(machine, name, size)] : []
  })
}

/** Hardware has a `device`; loop, RAM, RAID and mapped devices have none. Type 5 of SCSI is an optical drive. */
function isDisk(machine: Machine, name: string): boolean {
  const folder = `/sys/block/${name}/device`
  return machine.stamp(folder) !== undefined && textIn(machine, `${folder}/type`) !== '5'
}

function readDisk(machine: Machine, name: string, sizeBytes: number | null): InventoryDisk {
  const folder = `/sys/block/${name}`
  const first = (...files: readonly string[]): string | undefined =>
    files.map((file) => textIn(machine, `${folder}/${file}`)).find((text) => text !== undefined)
  const udev = readUdev(machine, first('dev') ?? '')
  const serial = first('serial', 'device/serial') ?? vitalProductSerial(machine, folder)
  return {
    name,
    serial: serial ?? udev.get('ID_SERIAL_SHORT') ?? null,
    model: first('device/model') ?? udev.get('ID_MODEL') ?? null,
    wwn: first('wwid', 'device/wwid') ?? udev.get('ID_WWN') ?? null,
    size_bytes: sizeBytes,
    is_rotational: readRotational(machine, name),
  }
}

/** The serial number of a SCSI or SATA disk: page 0x80 of its vital product data, behind a header of four bytes. */
function vitalProductSerial(machine: Machine, folder: string): string | undefined {
  const page = unlessDenied(() => machine.readBytes(`${folder}/device/vpd_pg80`))
  const serial = page?.toString('latin1', 4).replaceAll('\0', '').trim()
  return serial === '' ? undefined : serial
}

/** Bytes of a block device by its kernel name; null where it is not there. */
export function readSize(machine: Machine, name: string): number | null {
  const sectors = textIn(machine, `/sys/class/block/${name}/size`) ?? textIn(machine, `/sys/block/${name}/size`)
  return sectors === undefined ? null : Number(sectors) * sectorBytes
}

export function readRotational(machine: Machine, disk: string): boolean | null {
  const flag = textIn(machine, `/sys/block/${disk}/queue/rotational`)
  return flag === undefined ? null : flag === '1'
}

function textIn(machine: Machine, path: string): string | undefined {
  const text = unlessDenied(() => machine.read(path))?.trim()
  return text === '' ? undefined : text
}
