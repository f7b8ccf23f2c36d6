import type { Hardware } from '@roost/api-types/agent'
import { type ReadSlowly, type SlowReaderOptions, slowReaders } from '../collectors/engine/slow-reader.js'
import { kernelOf, type Machine } from '../machine/machine.js'
import { localFilesystems, readMounts } from '../machine/mounts.js'
import { disksOf, readBlockDevices } from './disks.js'
import { createFilesystemReader } from './filesystems.js'

export interface HardwareOptions extends SlowReaderOptions {
  readonly machine: Machine
}

/** Reads what tells this machine from another when it comes back after a reinstall. */
export async function readHardware(options: HardwareOptions): Promise<Hardware> {
  const { machine, run } = options
  const reader = slowReaders(options)()
  const kernel = { kernel: machine, readSlowly: reader.read, monotonic: () => performance.now() }
  try {
    const filesystems = await createFilesystemReader(kernelOf(machine), run).read(localFilesystems(readMounts(machine)))
    return {
      system_uuid: await readSystemUuid(reader.read),
      disk_serials: present(disksOf(await readBlockDevices(kernel)).map((disk) => disk.serial)),
      macs: await readMacs(machine, reader.read),
      filesystem_uuids: present(filesystems.map((filesystem) => filesystem.uuid)),
    }
  } finally {
    reader.close()
  }
}

/** Reads the firmware's number of this machine; the superuser alone may read it. Makers who gave none left a pattern. */
async function readSystemUuid(readSlowly: ReadSlowly): Promise<string | null> {
  const path = '/sys/class/dmi/id/product_uuid'
  const uuid = (await readSlowly([path])).get(path)?.text?.trim().toLowerCase() ?? ''
  return /^[0-9a-f-]{36}$/.test(uuid) && !/^(.)\1+$/.test(uuid.replaceAll('-', '')) ? uuid : null
}

/** Reads the addresses of interfaces with hardware below them: bridges and containers make up theirs. */
async function readMacs(machine: Machine, readSlowly: ReadSlowly): Promise<string[]> {
  const names = machine.list('/sys/class/net').filter((name) => machine.stamp(`/sys/class/net/${name}/device`))
  const files = await readSlowly(names.map((name) => `/sys/class/net/${name}/address`))
  return present(Array.from(files.values(), ({ text }) => text?.trim().toLowerCase() ?? null))
}

function present(values: readonly (string | null)[]): string[] {
  const found = values.filter((value): value is string => value !== null && value !== '')
  return [...new Set(found)].toSorted()
}
