import { describe, expect, it } from 'vitest'
import { joinDevices } from './ring-devices.js'
import type { AssignedDevice } from './ring.js'

function entry(device: string, ip: string, port: number, more: Partial<AssignedDevice> = {}): AssignedDevice {
  const shares = { region: 1, zone: 2, weight: 100, assigned: 7 }
  return { id: 0, device, ip, port, replicationIp: ip, replicationPort: port, ...shares, ...more }
}

function rings(entries: Readonly<Record<string, readonly AssignedDevice[]>>) {
  return new Map(Object.entries(entries).map(([name, devices]) => [name, { devices }]))
}

const isNode1 = (address: string): boolean => address === '10.0.0.1'

describe('the devices of a node', () => {
  it('are joined over the rings by address and name, not by id', () => {
    const joined = joinDevices(
      rings({
        object: [entry('d1', '10.0.0.1', 6200), entry('d1', '10.0.0.2', 6200, { id: 1 })],
        'object-2': [entry('d9', '10.0.0.2', 6200), entry('d1', '10.0.0.1', 6200, { id: 1 })],
        account: [entry('d1', '10.0.0.1', 6202, { id: 5 })],
      }),
      isNode1,
    )
    expect(joined).toHaveLength(1)
    expect(joined[0]).toMatchObject({
      key: '10.0.0.1:6200/d1',
      policies: [0, 2],
      inObjectRing: true,
      inAccountOrContainerRing: true,
      inAccountRing: true,
    })
    expect(joined[0]?.rings.map(({ ring }) => ring)).toEqual(['account', 'object', 'object-2'])
  })

  it('have their entry of each ring', () => {
    const replication = { replicationIp: '10.1.0.1', replicationPort: 6300 }
    const [device] = joinDevices(
      rings({ 'object-1': [entry('d1', '10.0.0.1', 6200, { ...replication, region: 3, weight: 0, assigned: 0 })] }),
      isNode1,
    )
    const entryOfRing = { ring: 'object-1', region: 3, zone: 2, weight: 0, partitions: 0 }
    expect(device?.rings).toEqual([{ ...entryOfRing, replication_ip: '10.1.0.1', replication_port: 6300 }])
  })

  it('are distinguished by port when several servers share an address', () => {
    const joined = joinDevices(
      rings({ object: [entry('sdb1', '10.0.0.1', 6210), entry('sdb1', '10.0.0.1', 6220)] }),
      isNode1,
    )
    expect(joined.map(({ key }) => key)).toEqual(['10.0.0.1:6210/sdb1', '10.0.0.1:6220/sdb1'])
  })

  it('of accounts and containers only are one device for both servers', () => {
    const joined = joinDevices(
      rings({ account: [entry('ssd', '10.0.0.1', 6202)], container: [entry('ssd', '10.0.0.1', 6201)] }),
      isNode1,
    )
    expect(joined).toEqual([expect.objectContaining({ key: '10.0.0.1:6201/ssd', policies: [], inObjectRing: false })])
  })

  it('are the node’s own when only the replication address is', () => {
    const device = entry('d1', '10.9.9.9', 6200, { replicationIp: '10.0.0.1' })
    expect(joinDevices(rings({ object: [device] }), isNode1)).toHaveLength(1)
  })

  it('have IPv6 addresses in brackets in their keys', () => {
    const joined = joinDevices(rings({ object: [entry('d1', 'fd00::1', 6200)] }), () => true)
    expect(joined[0]?.key).toBe('[fd00::1]:6200/d1')
  })
})
