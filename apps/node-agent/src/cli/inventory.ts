import type { Inventory } from '@roost/api-types/agent'
import { createLog, renderTable, systemClock } from '@roost/runtime'
import { readConfig } from '../config.js'
import { openContext } from '../context.js'
import { exitCodes } from './command/command-error.js'
import type { PrintFlags } from './command/flags.js'

/** Prints what the agent would report of this machine. */
export async function inventory(flags: PrintFlags): Promise<number> {
  const config = readConfig(flags)
  const log = createLog({ format: 'pretty', level: 'warn', write: (line) => process.stderr.write(line) })
  const context = openContext(config, systemClock, log)
  try {
    const read = await context.inventories.read()
    process.stdout.write(flags.output === 'json' ? `${JSON.stringify(read, undefined, 2)}\n` : renderInventory(read))
    return exitCodes.ok
  } finally {
    await context.close()
  }
}

export function renderInventory(inventory: Inventory): string {
  const { host, roles, facing, gateway, problems } = inventory
  const paragraphs = [
    section('Host', [
      `  ${[host.hostname, host.os, host.kernel, host.architecture].filter((part) => part !== null).join(' · ')}`,
      `  ${host.cpu_cores} CPUs${host.cpu_model === null ? '' : ` (${host.cpu_model})`}, ${bytes(host.memory_bytes)} of memory`,
      `  roles: ${namesOf(roles)}`,
      `  gateway software: ${softwareOf(gateway)}`,
    ]),
    section('Addresses', [
      table(
        ['interface', 'address', 'mac', 'faces'],
        inventory.addresses.map(({ interface: name, address, mac }) => [
          name,
          address,
          text(mac),
          facesOf(facing, address),
        ]),
      ),
    ]),
    ...storage(inventory),
    section(
      'Problems',
      problems.map(({ code, message }) => `  ${code}: ${message}`),
    ),
  ]
  return `${paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')}\n`
}

function storage({ disks, filesystems, devices, policies, rings }: Inventory): readonly string[] {
  return [
    section('Disks', [
      table(
        ['name', 'serial', 'model', 'size', 'kind'],
        disks.map((disk) => [disk.name, text(disk.serial), text(disk.model), bytes(disk.size_bytes), kindOf(disk)]),
      ),
    ]),
    section('Filesystems', [
      table(
        ['source', 'type', 'uuid', 'disk', 'mounted on'],
        filesystems.map((one) => [
          one.source,
          one.fs_type,
          text(one.uuid),
          text(one.disk),
          one.mount_points.join(', '),
        ]),
      ),
    ]),
    section('Devices', [devicesOf(devices, policies)]),
    section('Rings', [
      table(
        ['name', 'version', 'devices', 'partitions', 'replicas', 'md5'],
        rings.map((ring) => [
          ring.name,
          text(ring.version),
          String(ring.devices),
          String(ring.partitions),
          String(ring.replicas),
          ring.md5,
        ]),
      ),
    ]),
  ]
}

function devicesOf(devices: Inventory['devices'], policies: Inventory['policies']): string {
  if (devices === null) return '  unknown until the problems below are solved'
  const names = new Map(policies?.map(({ index, name }) => [index, name]))
  return table(
    ['name', 'status', 'policies', 'uuid', 'mounted on', 'size', 'available'],
    devices.map((device) => [
      device.name,
      device.status,
      device.policies.map((index) => names.get(index) ?? String(index)).join(',') || '-',
      text(device.uuid),
      text(device.mount_point),
      bytes(device.figures?.total_bytes ?? null),
      bytes(device.figures?.available_bytes ?? null),
    ]),
  )
}

function section(title: string, lines: readonly string[]): string {
  const filled = lines.filter((line) => line !== '')
  return filled.length === 0 ? '' : [title, ...filled].join('\n')
}

function text(value: string | number | null): string {
  return value === null ? '-' : String(value)
}

function namesOf(roles: Inventory['roles']): string {
  const names = Object.entries(roles).flatMap(([name, runs]) => (runs ? name.replace('runs_', '') : []))
  return names.join(', ').replaceAll('_', '/') || 'none'
}

function softwareOf(gateway: Inventory['gateway']): string {
  const installed = Object.entries(gateway).flatMap(([name, version]) => (version === null ? [] : `${name} ${version}`))
  return installed.join(', ') || 'none'
}

function facesOf({ cluster_ip, outward_ip, replication_ip }: Inventory['facing'], address: string): string {
  const faces = { cluster: cluster_ip, outward: outward_ip, replication: replication_ip }
  const names = Object.entries(faces).flatMap(([name, ip]) => (ip === address ? name : []))
  return names.join(', ') || '-'
}

function kindOf({ is_rotational }: Inventory['disks'][number]): string {
  if (is_rotational === null) return '-'
  return is_rotational ? 'rotational' : 'solid state'
}

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** Formats bytes in powers of ten, as Roost counts capacity. */
function bytes(value: number | null): string {
  if (value === null) return '-'
  const power = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), units.length - 1)
  return `${(value / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : renderTable(headings, rows, { indent: 2 }).trimEnd()
}
