import type { Hardware } from '@roost/api-types/agent'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hardwareMatch } from './hardware.js'

const machine: Hardware = {
  system_uuid: '4c4c4544-0042-3510-8051-b7c04f4d3232',
  disk_serials: ['ZA1', 'ZA2', 'ZA3', 'ZA4'],
  macs: ['00:25:90:aa:bb:01', '00:25:90:aa:bb:02'],
  filesystem_uuids: ['root', 'd1', 'd2', 'd3'],
}
const nothing: Hardware = { system_uuid: null, disk_serials: [], macs: [], filesystem_uuids: [] }

describe('a machine', () => {
  it.each<[string, Hardware]>([
    ['after a reinstall on its system disk', { ...machine, filesystem_uuids: ['new root', 'd1', 'd2', 'd3'] }],
    ['after a reinstall of all its disks', { ...machine, filesystem_uuids: ['new root', 'e1', 'e2', 'e3'] }],
    ['with one disk replaced', { ...machine, disk_serials: ['ZA1', 'ZA2', 'ZA3', 'ZB9'] }],
    ['with another network card', { ...machine, macs: ['00:25:90:cc:dd:01'] }],
    [
      'whose firmware writes its parts in capitals',
      { ...machine, system_uuid: machine.system_uuid?.toUpperCase() ?? '' },
    ],
    ['that tells only some of its parts', { ...nothing, system_uuid: machine.system_uuid, macs: machine.macs }],
  ])('is itself %s', (_name, now) => {
    expect(hardwareMatch(machine, now)).toBeGreaterThanOrEqual(2)
  })

  it.each<[string, Hardware]>([
    ['that tells nothing', nothing],
    ['with its board alone', { ...nothing, system_uuid: machine.system_uuid }],
    ['that got half of its disks and more', { ...other(), disk_serials: ['ZA1', 'ZA2', 'ZA3', 'X'] }],
    [
      'that got one of its disks, with what is on it',
      { ...other(), disk_serials: ['ZA4', 'X'], filesystem_uuids: ['d3', 'x'] },
    ],
    ['cloned from its image', { ...other(), filesystem_uuids: machine.filesystem_uuids }],
    [
      'cloned from its image by a hypervisor that invents serials',
      { ...machine, system_uuid: 'another', macs: ['another'] },
    ],
  ])('is not the machine %s', (_name, now) => {
    expect(hardwareMatch(machine, now)).toBe(0)
  })

  it('is not known by what vendors leave empty', () => {
    const blank = { ...nothing, system_uuid: '03000200-0400-0500-0006-000700080009', macs: ['00:25:90:aa:bb:01'] }
    expect(hardwareMatch(blank, blank)).toBe(0)
  })
})

describe('the comparison', () => {
  const parts = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 5 })
  const hardware: fc.Arbitrary<Hardware> = fc.record({
    system_uuid: fc.option(fc.constantFrom('u1', 'u2')),
    disk_serials: parts,
    macs: parts,
    filesystem_uuids: parts,
  })

  it('is the same from both sides, and never satisfied with one kind of part', () => {
    fc.assert(
      fc.property(hardware, hardware, (one, another) => {
        const match = hardwareMatch(one, another)
        expect(match).toBe(hardwareMatch(another, one))
        expect(match).not.toBe(1)
      }),
    )
  })
})

function other(): Hardware {
  return { system_uuid: 'other', disk_serials: ['o1'], macs: ['o2'], filesystem_uuids: ['o3'] }
}
