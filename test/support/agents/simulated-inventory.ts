import type { Inventory, InventoryDevice } from '@roost/api-types/agent'

/** An inventory of a machine that holds nothing but so many disks of 4 TB, each with its filesystem and policy 0. */
export function simulatedInventory(hostname: string, disks = 0): Inventory {
  return {
    host: { hostname, os: null, kernel: null, architecture: 'x64', cpu_model: null, cpu_cores: 4, memory_bytes: 8e9 },
    addresses: [],
    facing: { cluster_ip: null, outward_ip: null, replication_ip: null },
    roles: { runs_account_container: false, runs_gateway: false, runs_object: disks > 0, runs_proxy: false },
    disks: [],
    filesystems: [],
    devices: Array.from({ length: disks }, (_, index) => simulatedDevice(hostname, index)),
    policies: [{ index: 0, name: 'gold', aliases: [], is_default: true, is_deprecated: false, type: 'replication' }],
    rings: [],
    gateway: { samba: null, nfs_ganesha: null, nfs_kernel_server: null, rclone: null },
    problems: [],
  }
}

function simulatedDevice(hostname: string, index: number): InventoryDevice {
  return {
    key: `/srv/node/d${index}`,
    name: `d${index}`,
    ring: null,
    uuid: `${hostname}-fs-${index}`,
    serial: `${hostname}-sn-${index}`,
    model: 'Simulated',
    mount_point: `/srv/node/d${index}`,
    fs_type: 'xfs',
    is_rotational: true,
    size_bytes: 4e12,
    policies: [0],
    status: 'ok',
    figures: { total_bytes: 4e12, free_bytes: 2e12, available_bytes: 2e12 },
  }
}
