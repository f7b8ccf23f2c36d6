/** A device that the database has. */
export interface KnownDevice {
  readonly id: number
  /** False for one of another node that could have moved here. */
  readonly isOwn: boolean
  /** Where it was last; null when the last inventory did not name it. */
  readonly key: string | null
  readonly name: string
  readonly uuid: string | null
  readonly serial: string | null
  readonly status: string
}

/** A device as an inventory names it. `key` is unique in the inventory. */
export interface NamedDevice {
  readonly key: string
  readonly name: string
  readonly uuid: string | null
  readonly serial: string | null
  readonly status: string
}

export interface DevicePlan<R extends NamedDevice> {
  /** One and the same device. One of another node has moved here. */
  readonly matches: readonly { readonly id: number; readonly device: R }[]
  readonly inserts: readonly R[]
  /** They are remembered, since they may come back here or elsewhere. */
  readonly missing: readonly number[]
  /** They left all rings, and are remembered as long. */
  readonly retired: readonly number[]
  /** Matches that left all rings while their filesystem is still mounted. */
  readonly stillMounted: readonly number[]
  /** Locations that never had a disk with an identity. */
  readonly forgotten: readonly number[]
}

/**
 * Decides which device of an inventory is which of the database. The UUID of the filesystem decides, then the serial
 * number of the disk; a location (ring address and name, or mount point) only identifies a device that has neither. Two
 * different UUIDs are never one device, and a value that occurs twice identifies nothing. In doubt a device is a new one.
 */
export function planDevices<R extends NamedDevice>(
  known: readonly KnownDevice[],
  reported: readonly R[],
): DevicePlan<R> {
  const own = known.filter((device) => device.isOwn)
  const onceReported = { uuid: once(reported, uuidOf), serial: once(reported, serialOf) }
  const onceOwn = once(own, serialOf)
  const clearUuid = (device: R): string | null => only(onceReported.uuid, uuidOf(device))
  const rules: readonly Rule<R>[] = [
    { known: own, knownMark: bothOf, mark: bothOf, fits: () => true },
    { known: own, knownMark: uuidOf, mark: clearUuid, fits: () => true },
    { known: known.filter(({ isOwn }) => !isOwn), knownMark: uuidOf, mark: clearUuid, fits: sameSerial },
    {
      known: own,
      knownMark: (device) => only(onceOwn, serialOf(device)),
      mark: (device) => only(onceReported.serial, serialOf(device)),
      fits: sameUuid,
    },
    { known: own, knownMark: (device) => device.key, mark: (device) => device.key, fits: isSameLocation },
    { known: own, knownMark: ringNameOf, mark: ringNameOf, fits: isSameLocation },
  ]
  const matches = new Map<R, KnownDevice>()
  for (const rule of rules) applyRule(rule, reported, matches)

  const matched = new Set(matches.values())
  const left = own.filter((device) => device.key !== null && !matched.has(device))
  const remembered = left.filter(hasIdentity)
  const keys = new Set(reported.map(({ key }) => key))
  const isRetired = (device: KnownDevice) => wasInRing(device) && !keys.has(device.key ?? '')
  return {
    matches: [...matches].map(([device, { id }]) => ({ id, device })),
    inserts: reported.filter((device) => !matches.has(device)),
    missing: remembered.filter((device) => !isRetired(device)).map(({ id }) => id),
    retired: remembered.filter(isRetired).map(({ id }) => id),
    stillMounted: [...matches]
      .filter(([{ status }, device]) => status === 'unmanaged' && wasInRing(device))
      .map(([, { id }]) => id),
    forgotten: left.filter((device) => !hasIdentity(device)).map(({ id }) => id),
  }
}

/** Returns true for a device that a ring listed last. Keys that are mount points belong to devices of no ring. */
function wasInRing({ key, status }: KnownDevice): boolean {
  return status === 'retired' || (key !== null && !key.startsWith('/'))
}

/** Joins what is left on both sides by a mark that both have once. */
interface Rule<R> {
  readonly known: readonly KnownDevice[]
  readonly knownMark: (device: KnownDevice) => string | null
  readonly mark: (device: R) => string | null
  readonly fits: (known: KnownDevice, reported: R) => boolean
}

function applyRule<R>(rule: Rule<R>, reported: readonly R[], matches: Map<R, KnownDevice>): void {
  const matched = new Set(matches.values())
  const known = once(
    rule.known.filter((device) => !matched.has(device)),
    rule.knownMark,
  )
  const open = once(
    reported.filter((device) => !matches.has(device)),
    rule.mark,
  )
  for (const [mark, device] of open) {
    const match = known.get(mark)
    if (match && rule.fits(match, device)) matches.set(device, match)
  }
}

/** Returns the devices whose mark is unique, by mark. */
function once<T>(devices: readonly T[], markOf: (device: T) => string | null): ReadonlyMap<string, T> {
  const found = new Map<string, T>()
  const repeated = new Set<string>()
  for (const device of devices) {
    const mark = markOf(device)
    if (mark === null) continue
    if (found.has(mark)) repeated.add(mark)
    found.set(mark, device)
  }
  for (const mark of repeated) found.delete(mark)
  return found
}

function only(marks: ReadonlyMap<string, unknown>, mark: string | null): string | null {
  return mark !== null && marks.has(mark) ? mark : null
}

type Identity = Pick<NamedDevice, 'uuid' | 'serial'>

const uuidOf = ({ uuid }: Identity): string | null => uuid
const serialOf = ({ serial }: Identity): string | null => serial
const bothOf = ({ uuid, serial }: Identity): string | null => (uuid && serial ? `${uuid} ${serial}` : null)
const hasIdentity = ({ uuid, serial }: Identity): boolean => uuid !== null || serial !== null

/** Equal, or unknown on one side. */
const sameUuid = (a: Identity, b: Identity): boolean => a.uuid === null || b.uuid === null || a.uuid === b.uuid
const sameSerial = (a: Identity, b: Identity): boolean =>
  a.serial === null || b.serial === null || a.serial === b.serial

const isSame = (a: string | null, b: string | null): boolean => a !== null && a === b

/** A location identifies its device where one side has no identity, or where both have the same. */
function isSameLocation(known: Identity, reported: Identity): boolean {
  if (!hasIdentity(known) || !hasIdentity(reported)) return true
  const shares = isSame(known.uuid, reported.uuid) || isSame(known.serial, reported.serial)
  return shares && sameUuid(known, reported) && sameSerial(known, reported)
}

/** A device of a ring keeps its name when the ring's address changes. Mount points begin with a slash. */
function ringNameOf({ key, name }: { readonly key: string | null; readonly name: string }): string | null {
  return key === null || key.startsWith('/') ? null : name
}
