import { GROUP, HEAD_FIXED } from '@roost/history'

/** Columns, from one to another, that are read in one piece: with their groups, or alone where they are of a single group. */
export interface Run {
  readonly from: number
  readonly to: number
}

/** So few groups between two that are wanted are read along: a slice of its own would cost more. */
const readAlong = 4
const mostRuns = 8

const groupOf = (index: number) => Math.floor(index / GROUP)
const hasOneGroup = ({ from, to }: Run) => groupOf(from) === groupOf(to)

/** Divides columns into runs. */
export function runsOf(indexes: readonly number[]): readonly Run[] {
  const runs: { from: number; to: number }[] = []
  for (const index of indexes.toSorted((a, b) => a - b)) {
    const run = runs.at(-1)
    if (run !== undefined && groupOf(index) - groupOf(run.to) <= readAlong) run.to = index
    else runs.push({ from: index, to: index })
  }
  return runs.length <= mostRuns ? runs : [{ from: runs[0]!.from, to: runs.at(-1)!.to }]
}

export const hasColumn = ({ from, to }: Run, index: number) => from <= index && index <= to

/** The groups of a run, of the data of a row. */
export function groupsSql({ from, to }: Run): string {
  const begin = offsetSql(groupOf(from))
  return `substr(data, ${begin} + 1, ${offsetSql(groupOf(to) + 1)} - ${begin})`
}

/** The offset of a group in the data: three bytes of the head. */
function offsetSql(group: number): string {
  const at = HEAD_FIXED + 3 * group
  return `(get_byte(head, ${at}) + 256 * get_byte(head, ${at + 1}) + 65536 * get_byte(head, ${at + 2}))`
}

/**
 * What is wanted of the groups of a run. A group begins with the lengths of its columns, a byte each: of a single group these
 * and the columns of the run are sent, which are a tenth of it. It is sent as it is if a length did not fit into its byte.
 */
export function wantedSql(run: Run, groups: string): string {
  if (!hasOneGroup(run)) return groups
  const lengths = `substr(${groups}, 1, ${GROUP})`
  const [from, to] = [run.from % GROUP, run.to % GROUP]
  const columns = `substr(${groups}, ${GROUP + 1} + ${lengthSql(groups, 0, from)}, ${lengthSql(groups, from, to + 1)})`
  return `case when position('\\xff'::bytea in ${lengths}) > 0 then ${groups} else ${lengths} || ${columns} end`
}

/** The bytes of columns of a group, from one to before another. */
function lengthSql(group: string, from: number, end: number): string {
  const lengths = Array.from({ length: end - from }, (_, i) => `get_byte(${group}, ${from + i})`)
  return lengths.join(' + ') || '0'
}

/** Returns true if a slice has the columns of its run alone, after the lengths of their group. */
export function isCut(slice: Buffer, run: Run): boolean {
  const wide = slice.indexOf(255)
  return hasOneGroup(run) && (wide === -1 || wide >= GROUP)
}
