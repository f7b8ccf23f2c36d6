import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type KnownDevice, type NamedDevice, planDevices } from './plan-devices.js'

function known(id: number, more: Partial<KnownDevice>): KnownDevice {
  return {
    id,
    isOwn: true,
    key: `10.0.0.1:6200/d${id}`,
    name: `d${id}`,
    uuid: null,
    serial: null,
    status: 'ok',
    ...more,
  }
}

function named(slot: string, uuid: string | null = null, serial: string | null = null): NamedDevice {
  return { key: `10.0.0.1:6200/${slot}`, name: slot, uuid, serial, status: 'ok' }
}

/** Which id each place has got; null for a new device. */
function matchesOf(before: readonly KnownDevice[], report: readonly NamedDevice[]) {
  const { matches } = planDevices(before, report)
  return Object.fromEntries(
    report.map(({ key, name }) => [name, matches.find(({ device }) => device.key === key)?.id ?? null]),
  )
}

describe('which device is which', () => {
  it('knows every device again after a reboot that changed nothing', () => {
    const report = [named('d1', 'u1', 's1'), named('d2', 'u2', 's2')]
    const before = [known(1, { uuid: 'u1', serial: 's1' }), known(2, { uuid: 'u2', serial: 's2' })]
    expect(planDevices(before, report)).toMatchObject({ inserts: [], missing: [], retired: [], forgotten: [] })
    expect(matchesOf(before, report)).toEqual({ d1: 1, d2: 2 })
  })

  it('lets disks that swapped places keep their records', () => {
    const before = [known(1, { uuid: 'u1' }), known(2, { uuid: 'u2' })]
    expect(matchesOf(before, [named('d1', 'u2'), named('d2', 'u1')])).toEqual({ d1: 2, d2: 1 })
  })

  it('gives a new disk in an old place a record of its own, and remembers the old one', () => {
    const plan = planDevices([known(1, { uuid: 'u1', serial: 's1' })], [named('d1', 'u9', 's9')])
    expect(plan).toMatchObject({ matches: [], missing: [1], retired: [] })
    expect(plan.inserts).toHaveLength(1)
  })

  it('tells a disk without a readable filesystem by its serial number', () => {
    const before = [known(1, { serial: 's1' }), known(2, { serial: 's2' })]
    expect(matchesOf(before, [named('d1', null, 's2'), named('d2', null, 's9')])).toEqual({ d1: 2, d2: null })
  })

  it('takes a place that was never mounted for the filesystem that shows up there', () => {
    expect(matchesOf([known(1, {})], [named('d1', 'u1', 's1')])).toEqual({ d1: 1 })
  })

  it('takes a place where nothing is mounted for the device that was there', () => {
    expect(matchesOf([known(1, { uuid: 'u1', serial: 's1' })], [named('d1')])).toEqual({ d1: 1 })
  })

  it('finds a device again after its place was empty and it came back elsewhere', () => {
    const before = [known(1, { uuid: 'u1' }), known(2, { uuid: 'u2' })]
    expect(matchesOf(before, [named('d1'), named('d2', 'u1')])).toEqual({ d1: null, d2: 1 })
  })

  it('retires a device that left the rings, also while its filesystem is still mounted and after that', () => {
    const inRing = known(1, { uuid: 'u1' })
    expect(planDevices([inRing], [])).toMatchObject({ retired: [1], missing: [], stillMounted: [] })
    const mounted = { ...named('d1', 'u1'), key: '/srv/node/d1', status: 'unmanaged' }
    expect(planDevices([inRing], [mounted])).toMatchObject({ matches: [{ id: 1 }], retired: [], stillMounted: [1] })
    const retired = known(1, { uuid: 'u1', key: '/srv/node/d1', status: 'retired' })
    expect(planDevices([retired], [mounted])).toMatchObject({ stillMounted: [1] })
    expect(planDevices([retired], [])).toMatchObject({ retired: [1], missing: [] })
    expect(planDevices([{ ...retired, key: null }], [named('d1', 'u1')])).toMatchObject({ stillMounted: [] })
    const declared = known(2, { uuid: 'u2', key: '/data/2' })
    expect(planDevices([declared], [])).toMatchObject({ retired: [], missing: [2] })
  })

  it('forgets a place of a ring that never had a disk', () => {
    expect(planDevices([known(1, {})], [])).toMatchObject({ missing: [], retired: [], forgotten: [1] })
  })

  it('recognises a device that was gone when it comes back', () => {
    expect(matchesOf([known(1, { key: null, uuid: 'u1' })], [named('d7', 'u1')])).toEqual({ d7: 1 })
  })

  it('keeps clones apart: the serial number tells which is the one that was there', () => {
    const before = [known(1, { uuid: 'u1', serial: 's1' })]
    expect(matchesOf(before, [named('d1', 'u1', 's2'), named('d2', 'u1', 's1')])).toEqual({ d1: null, d2: 1 })
  })

  it('keeps clones without a serial number apart by their places', () => {
    const before = [known(1, { uuid: 'u1' })]
    expect(matchesOf(before, [named('d1', 'u1'), named('d2', 'u1')])).toEqual({ d1: 1, d2: null })
  })

  it('takes no serial number for an identity that two disks carry', () => {
    const before = [known(1, { serial: 'virtual' }), known(2, { serial: 'virtual' })]
    expect(matchesOf(before, [named('d2', null, 'virtual'), named('d3', null, 'virtual')])).toEqual({ d2: 2, d3: null })
  })

  it('lets a device follow its disk to another node, by its filesystem', () => {
    const before = [known(1, { isOwn: false, uuid: 'u1', serial: 's1', key: '10.0.0.2:6200/d1' })]
    expect(matchesOf(before, [named('d5', 'u1', 's1')])).toEqual({ d5: 1 })
    expect(matchesOf(before, [named('d5', 'u1', 's2')])).toEqual({ d5: null })
    expect(matchesOf(before, [named('d1', null, 's1')])).toEqual({ d1: null })
  })

  it('never touches a device of another node that has not moved', () => {
    const before = [known(1, { isOwn: false, uuid: 'u1', key: '10.0.0.2:6200/d1' })]
    const nothing = { matches: [], inserts: [], missing: [], retired: [], stillMounted: [], forgotten: [] }
    expect(planDevices(before, [])).toEqual(nothing)
  })

  it('keeps a ring’s device when the ring gives the node another address', () => {
    const before = [known(1, { uuid: 'u1', key: '10.0.9.9:6200/d1' })]
    expect(matchesOf(before, [named('d1')])).toEqual({ d1: 1 })
  })
})

interface Disk {
  readonly id: number
  readonly uuid: string
  readonly serial: string
}

/** What is in a slot at one boot: a disk, and whether it was mounted. */
interface Slot {
  readonly disk: Disk
  readonly isMounted: boolean
}

/** A machine whose disks are swapped, replaced, cloned, pulled and not mounted between its boots. */
const boots = fc.array(
  fc.array(
    fc.record({
      disk: fc.integer({ min: 0, max: 7 }),
      isMounted: fc.boolean(),
      slot: fc.integer({ min: 1, max: 5 }),
    }),
    { maxLength: 5 },
  ),
  { minLength: 12, maxLength: 20 },
)

/** Disks 6 and 7 are clones of 4 and 5: the same filesystem on other hardware. */
function diskOf(index: number): Disk {
  return { id: index, uuid: `u${index >= 6 ? index - 2 : index}`, serial: `s${index}` }
}

function slotsOf(boot: readonly { disk: number; isMounted: boolean; slot: number }[]): ReadonlyMap<number, Slot> {
  const slots = new Map<number, Slot>()
  const used = new Set<number>()
  for (const { disk, isMounted, slot } of boot) {
    if (slots.has(slot) || used.has(disk)) continue
    used.add(disk)
    slots.set(slot, { disk: diskOf(disk), isMounted })
  }
  return slots
}

/** Does to a list what the store does to the database. */
function apply(before: readonly KnownDevice[], report: readonly NamedDevice[], nextId: () => number) {
  const { matches, inserts, missing, retired, forgotten } = planDevices(before, report)
  const gone = [...missing, ...retired]
  const after = before
    .filter(({ id }) => !forgotten.includes(id))
    .map((row) => {
      const device = matches.find(({ id }) => id === row.id)?.device
      if (device === undefined) return gone.includes(row.id) ? { ...row, key: null } : row
      return { ...row, ...device, uuid: device.uuid ?? row.uuid, serial: device.serial ?? row.serial }
    })
  return [...after, ...inserts.map((device) => ({ ...device, id: nextId(), isOwn: true }))]
}

describe('over random reboots', () => {
  it('merges no two filesystems into one device, and gives each place exactly one, in 12,000 of them', () => {
    fc.assert(
      fc.property(boots, (sequence) => {
        let rows: readonly KnownDevice[] = []
        let ids = 0
        const uuidOf = new Map<number, string>()
        return sequence.every((boot) => {
          const report = [...slotsOf(boot)].map(([slot, { disk, isMounted }]) =>
            isMounted ? named(`d${slot}`, disk.uuid, disk.serial) : named(`d${slot}`),
          )
          rows = apply(rows, report, () => ++ids)
          const merged = rows.filter(({ id, uuid }) => uuid !== null && (uuidOf.get(id) ?? uuid) !== uuid)
          for (const { id, uuid } of rows) if (uuid !== null) uuidOf.set(id, uuid)
          const keys = rows.flatMap(({ key }) => key ?? []).toSorted()
          return (
            merged.length === 0 &&
            keys.join() ===
              report
                .map(({ key }) => key)
                .toSorted()
                .join()
          )
        })
      }),
      { numRuns: 1_000 },
    )
  })

  it('keeps the record of every disk that has no clone, wherever it is mounted', () => {
    fc.assert(
      fc.property(boots, (sequence) => {
        let rows: readonly KnownDevice[] = []
        let ids = 0
        const recordOf = new Map<number, number | undefined>()
        return sequence.every((boot) => {
          const mounted = [...slotsOf(boot)].filter(([, { isMounted, disk }]) => isMounted && disk.id < 4)
          const report = mounted.map(([slot, { disk }]) => named(`d${slot}`, disk.uuid, disk.serial))
          rows = apply(rows, report, () => ++ids)
          return mounted.every(([slot, { disk }]) => {
            const record = rows.find(({ key }) => key === named(`d${slot}`).key)?.id
            const isKept = (recordOf.get(disk.id) ?? record) === record
            recordOf.set(disk.id, record)
            return isKept
          })
        })
      }),
      { numRuns: 500 },
    )
  })
})
