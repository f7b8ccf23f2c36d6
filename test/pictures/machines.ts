import type { DeploymentPlan, Inventory, InventoryDevice, InventoryService } from '@roost/api-types/agent'
import { simulatedInventory } from '../support/agents/simulated-inventory.js'

export type MachineKind = 'proxy' | 'storage' | 'gateway'

export interface Machine {
  readonly hostname: string
  readonly kind: MachineKind
  /** The end of its addresses. */
  readonly number: number
}

const disksPerNode = 12
const diskBytes = 18e12

/** The machines of a small cluster. */
export const machines: readonly Machine[] = [
  { hostname: 'gw-01', kind: 'gateway', number: 21 },
  { hostname: 'gw-02', kind: 'gateway', number: 22 },
  { hostname: 'px-01', kind: 'proxy', number: 11 },
  { hostname: 'px-02', kind: 'proxy', number: 12 },
  ...Array.from({ length: 6 }, (_, i) => ({
    hostname: `st-0${i + 1}`,
    kind: 'storage' as const,
    number: 31 + i,
  })),
]

/** Returns how full a disk is, in percent: no two alike, the archive emptier. */
export function fullness(machine: number, disk: number): number {
  return disk < 8 ? 58 + ((machine * 7 + disk * 5) % 19) : 31 + ((machine * 3 + disk * 4) % 12)
}

/** Returns what the agent of a machine reports of it. */
export function inventoryOf({ hostname, kind, number }: Machine): Inventory {
  const storage = kind === 'storage'
  return {
    ...simulatedInventory(hostname),
    host: hostOf(hostname, storage),
    facing: {
      cluster_ip: `10.20.0.${number}`,
      outward_ip: storage ? null : `192.0.2.${number}`,
      replication_ip: storage ? `10.21.0.${number}` : null,
    },
    roles: {
      runs_account_container: storage,
      runs_gateway: kind === 'gateway',
      runs_object: storage,
      runs_proxy: kind === 'proxy',
    },
    in_account_ring: storage,
    devices: storage ? devicesOf(hostname, number) : [],
    policies: ['gold', 'archive'].map((name, index) => ({
      index,
      name,
      aliases: [],
      is_default: index === 0,
      is_deprecated: false,
      type: 'replication',
    })),
    rings: kind === 'gateway' ? [] : ringNames.map(ringOf),
    swift_version: storage ? '2.30.0' : null,
    ...(kind === 'gateway' && { gateway: gatewayPrograms }),
    services: servicesOf(kind),
    problems: hostname === 'st-05' ? [damaged] : [],
  }
}

function hostOf(hostname: string, isLarge: boolean): Inventory['host'] {
  return {
    hostname,
    os: 'Debian GNU/Linux 12 (bookworm)',
    kernel: '6.1.0-28-amd64',
    architecture: 'x64',
    cpu_model: 'AMD EPYC 7313P 16-Core Processor',
    cpu_cores: isLarge ? 32 : 16,
    memory_bytes: (isLarge ? 128 : 64) * 2 ** 30,
  }
}

const gatewayPrograms = { samba: '4.17.12', nfs_ganesha: null, nfs_kernel_server: '2.6.2', rclone: '1.60.1' }

const damaged: Inventory['problems'][number] = {
  code: 'filesystem_errors',
  subject: '/srv/node/d4',
  severity: 'warning',
  message:
    'The filesystem at /srv/node/d4 recorded 3 errors since it was mounted. Unmount it and run e2fsck -f /dev/sde1.',
  remedy: 'unmount it and run e2fsck -f /dev/sde1.',
  value: 3,
  threshold: 0,
}

const ringNames = ['account', 'container', 'object', 'object-1']

function ringOf(name: string, index: number): Inventory['rings'][number] {
  const md5 = `${index}f3a`.repeat(8)
  return { name, version: 42, md5, devices: name === 'object-1' ? 24 : 48, partitions: 16_384, replicas: 3 }
}

function devicesOf(hostname: string, number: number): InventoryDevice[] {
  return Array.from({ length: disksPerNode }, (_, i) => {
    const isOut = hostname === 'st-03' && i === 7
    const available = Math.round(diskBytes * (1 - fullness(number, i) / 100))
    return {
      key: `/srv/node/d${i + 1}`,
      name: `d${i + 1}`,
      ring: null,
      uuid: `${hostname}-fs-${i + 1}`,
      serial: `ZR5${number}${String(100 + i * 7)}`,
      model: 'ST18000NM000J',
      mount_point: `/srv/node/d${i + 1}`,
      fs_type: 'xfs',
      is_rotational: true,
      size_bytes: diskBytes,
      policies: [i < 8 ? 0 : 1],
      status: isOut ? 'unmounted' : 'ok',
      figures: isOut ? null : { total_bytes: diskBytes, free_bytes: available, available_bytes: available },
    }
  })
}

const servers: Readonly<Record<MachineKind, readonly string[]>> = {
  proxy: ['proxy-server'],
  storage: ['account-server', 'container-server', 'object-server', 'object-replicator', 'object-updater'],
  gateway: [],
}

function servicesOf(kind: MachineKind): InventoryService[] {
  const since = Date.now() / 1000 - 11 * 86_400
  return servers[kind].map((name) => ({ name, file: `/etc/swift/${name}.conf`, address: null, state: 'up', since }))
}

/** Returns what a gateway would do to deploy the share `reports`. */
export function planOf(hostname: string): DeploymentPlan {
  if (hostname !== 'gw-01') return { files: [], daemons: [], mounts: { started: [], stopped: [] }, notes: [] }
  return {
    files: [
      {
        path: '/etc/exports.d/roost.exports',
        change: 'change',
        diff: [
          '@@ -2,3 +2,4 @@',
          ' # Written by Roost: changes are lost with the next deployment.',
          '-/srv/roost/1 10.20.0.0/16(rw,sync,root_squash,fsid=1)',
          '+/srv/roost/1 10.20.0.0/16(ro,sync,root_squash,fsid=1)',
          '+/srv/roost/2 10.30.0.0/16(rw,sync,root_squash,fsid=2)',
          '',
        ].join('\n'),
      },
      {
        path: '/etc/samba/roost/shares.conf',
        change: 'change',
        diff: [
          '@@ -8,3 +8,3 @@',
          ' [scans]',
          '-  read only = no',
          '+  read only = yes',
          '   browseable = yes',
          '',
        ].join('\n'),
      },
    ],
    daemons: [
      { daemon: 'nfs-server', action: 'reload', sessions_lost: [] },
      {
        daemon: 'smbd',
        action: 'close-share',
        sessions_lost: [{ share: 'scans', client: '10.30.4.17', user: 'share-3' }],
      },
    ],
    mounts: { started: ['/srv/roost/2'], stopped: [] },
    notes: [],
  }
}
