import type { InventoryDevice } from '@roost/api-types/agent'

/** Returns a mounted device of policy 0 of which nothing else is known, except for what the test sets. */
export function sampleDevice(name: string, ip: string, change: Partial<InventoryDevice> = {}): InventoryDevice {
  return {
    key: `${ip}:6200/${name}`,
    name,
    ring: { ip, port: 6200, replication_ip: ip, replication_port: 6200 },
    uuid: null,
    serial: null,
    model: null,
    mount_point: `/srv/node/${name}`,
    fs_type: 'xfs',
    is_rotational: null,
    size_bytes: null,
    policies: [0],
    status: 'ok',
    figures: null,
    ...change,
  }
}
