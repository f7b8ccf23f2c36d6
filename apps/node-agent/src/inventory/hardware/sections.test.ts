import type { Systeminformation as Read } from 'systeminformation'
import { expect, it } from 'vitest'
import { boardSection, diskSection, interfaceSection, memorySection, systemSection, type Access } from './sections.js'

const everything: Access = { fault: () => undefined, isInstalled: () => true }
const unprivileged: Access = { fault: () => 'EACCES', isInstalled: () => true }
const withoutFirmware: Access = { fault: () => 'ENOENT', isInstalled: () => false }
const withoutPrograms: Access = { fault: () => undefined, isInstalled: () => false }

// As the library returns it to an account other than root.
const system: Read.SystemData = {
  manufacturer: 'Supermicro',
  model: 'X11',
  version: '',
  serial: '-',
  uuid: '',
  sku: '-',
  virtual: false,
}
const noModules: Read.MemLayoutData[] = [
  {
    size: 25_276_514_304,
    bank: '',
    type: '',
    ecc: null,
    clockSpeed: 0,
    formFactor: '',
    partNum: '',
    serialNum: '',
    voltageConfigured: null,
    voltageMin: null,
    voltageMax: null,
  },
]
const noInterface = {
  iface: 'veth1',
  mac: '',
  internal: false,
  virtual: true,
  duplex: 'unknown',
  mtu: Number.NaN,
  speed: -1,
} as Read.NetworkInterfacesData

it('gives the reason for values that only root may read', () => {
  expect(systemSection(system, unprivileged)).toEqual({
    name: 'system',
    value: {
      manufacturer: 'Supermicro',
      model: 'X11',
      version: null,
      serial: null,
      uuid: null,
      sku: null,
      is_virtual: false,
    },
    unavailable: { 'system.serial': 'needs root', 'system.uuid': 'needs root' },
  })
  expect(systemSection(system, everything).unavailable).toEqual({})
  const board = { manufacturer: 'A', model: 'B', version: '', serial: '', assetTag: '', memMax: null, memSlots: null }
  expect(boardSection(board, unprivileged).unavailable).toEqual({ 'board.serial': 'needs root' })
})

it.each([
  [unprivileged, 'needs root'],
  [withoutFirmware, 'not reported by the firmware'],
  [withoutPrograms, 'dmidecode is not installed'],
])('does not report the size of the memory as a module', (access, reason) => {
  expect(memorySection(noModules, access)).toEqual({
    name: 'memory_modules',
    value: null,
    unavailable: { memory_modules: reason },
  })
})

it('tells a machine without disks from one that cannot list them', () => {
  expect(diskSection([], everything)).toEqual({ name: 'disks', value: [], unavailable: {} })
  expect(diskSection([], withoutPrograms)).toEqual({
    name: 'disks',
    value: null,
    unavailable: { disks: 'lsblk is not installed' },
  })
})

it('reports interfaces but the loopback, with null for what an interface without a link does not know', () => {
  expect(interfaceSection([{ ...noInterface, iface: 'lo', internal: true }, noInterface]).value).toEqual([
    { name: 'veth1', mac: null, speed_mbps: null, duplex: null, mtu: null, is_virtual: true },
  ])
})

it('leaves control characters out, and cuts long texts', () => {
  const { value } = systemSection({ ...system, model: 'A\u0000B\n', sku: 'x'.repeat(900) }, everything)
  expect([value?.model, value?.sku?.length]).toEqual(['A B', 200])
})
