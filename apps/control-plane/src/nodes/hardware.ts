import type { Hardware } from '@roost/api-types/agent'

/** Parts that a vendor did not fill in tell nothing apart. */
const emptySystemUuids = new Set([
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '03000200-0400-0500-0006-000700080009',
])

/**
 * How sure it is that two readings are of one machine: 0, or the number of kinds of parts that agree. No single kind is
 * enough, because disks move, boards are replaced and images are cloned: at least two must agree, and more than disagree.
 */
export function hardwareMatch(one: Hardware, other: Hardware): number {
  const verdicts = [
    compareSystem(one.system_uuid, other.system_uuid),
    compareSets(one.disk_serials, other.disk_serials),
    compareSets(one.macs, other.macs),
    compareSets(one.filesystem_uuids, other.filesystem_uuids),
  ]
  const agree = verdicts.filter((verdict) => verdict === 'agree').length
  const disagree = verdicts.filter((verdict) => verdict === 'disagree').length
  return agree >= 2 && agree > disagree ? agree : 0
}

type Verdict = 'agree' | 'disagree' | 'unknown'

function compareSystem(one: string | null, other: string | null): Verdict {
  const [a, b] = [one?.toLowerCase(), other?.toLowerCase()]
  if (a === undefined || b === undefined || emptySystemUuids.has(a) || emptySystemUuids.has(b)) return 'unknown'
  return a === b ? 'agree' : 'disagree'
}

/** Most of the larger set must be in the other: a machine that got two of another's twelve disks is not that machine. */
function compareSets(one: readonly string[], other: readonly string[]): Verdict {
  const [a, b] = [new Set(one.map(fold)), new Set(other.map(fold))]
  if (a.size === 0 || b.size === 0) return 'unknown'
  const common = [...a].filter((part) => b.has(part)).length
  return common * 2 >= Math.max(a.size, b.size) ? 'agree' : 'disagree'
}

function fold(part: string): string {
  return part.trim().toLowerCase()
}
