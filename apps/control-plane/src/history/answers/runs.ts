import { GROUP, HEAD_FIXED } from '@roost/history'

/** Columns that are read in one piece: groups of the data, or some neighbors of a single group. */
export interface Run {
  /** Of the groups. */
  readonly first: number
  readonly last: number
  /** Of the columns. */
  readonly from: number
  readonly to: number
}

/** So few groups between two that are wanted are read along: a slice of its own would cost more. */
const readAlong = 4
const mostRuns = 8

const groupOf = (index: number) => Math.floor(index / GROUP)

/** Divides columns into runs. */
export function runsOf(indexes: readonly number[]): readonly Run[] {
  const runs: { first: number; last: number; from: number; to: number }[] = []
  for (const index of indexes.toSorted((a, b) => a - b)) {
    const [group, run] = [groupOf(index), runs.at(-1)]
    if (run === undefined || group - run.last > readAlong)
      runs.push({ first: group, last: group, from: index, to: index })
    else Object.assign(run, { last: group, to: index })
  }
  const [first, last] = [runs[0], runs.at(-1)]
  if (first === undefined || last === undefined || runs.length <= mostRuns) return runs
  return [{ ...last, first: first.first, from: first.from }]
}

export const hasColumn = ({ from, to }: Run, index: number) => from <= index && index <= to

/** The groups of a run, of the data of a row. */
export function sliceSql({ first, last }: Run): string {
  return `substr(data, ${offsetSql(first)} + 1, ${offsetSql(last + 1)} - ${offsetSql(first)})`
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
  if (run.first !== run.last) return groups
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

/** Returns true if a slice has the columns of its run alone, after the lengths of its group. */
export function isCut(slice: Buffer, { first, last }: Run): boolean {
  return first === last && !slice.subarray(0, GROUP).includes(255)
}
