import type { Hardware } from '@roost/api-types/agent'
import { kernelOf, type Machine } from '../machine/machine.js'
import { localFilesystems, readMounts } from '../machine/mounts.js'
import type { RunCommand } from '../machine/run-command.js'
import { readDisks } from './disks.js'
import { createFilesystemReader } from './filesystems.js'
import { unlessDenied } from '../machine/try-read.js'

/** What tells this machine from another when it comes back after a reinstall. */
export async function readHardware(machine: Machine, run: RunCommand): Promise<Hardware> {
  const filesystems = await createFilesystemReader(kernelOf(machine), run).read(localFilesystems(readMounts(machine)))
  return {
    system_uuid: readSystemUuid(machine),
    disk_serials: present(readDisks(machine).map((disk) => disk.serial)),
    macs: readMacs(machine),
    filesystem_uuids: present(filesystems.map((filesystem) => filesystem.uuid)),
  }
}

/** The firmware's number of this machine; the superuser alone may read it. Makers who gave none left a pattern. */
function readSystemUuid(machine: Machine): string | null {
  const uuid =
    unlessDenied(() => machine.read('/sys/class/dmi/id/product_uuid'))
      ?.trim()
      .toLowerCase() ?? ''
  return /^[0-9a-f-]{36}$/.test(uuid) && !/^(.)\1+$/.test(uuid.replaceAll('-', '')) ? uuid : null
}

/** Of interfaces with hardware below them: bridges and containers make up theirs. */
function readMacs(machine: Machine): string[] {
  const names = machine.list('/sys/class/net').filter((name) => machine.stamp(`/sys/class/net/${name}/device`))
  return present(names.map((name) => machine.read(`/sys/class/net/${name}/address`)?.trim().toLowerCase() ?? null))
}

function present(values: readonly (string | null)[]): string[] {
  const found = values.filter((value): value is string => value !== null && value !== '')
  return [...new Set(found)].toSorted()
}
