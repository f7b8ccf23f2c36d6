/** A moment: relative in a table, ISO 8601 in `wide` and CSV. */
interface Moment {
  readonly at: string
}

/** The name of a state, which is colored on a terminal. */
interface State {
  readonly state: string
}

export type Cell = string | number | boolean | null | undefined | Moment | State

/** Columns by heading; each function returns the cell of a record. */
export type Columns<R> = Readonly<Record<string, (record: R) => Cell>>

export function moment(at: string | null | undefined): Cell {
  return at === null || at === undefined ? null : { at }
}

export function state(name: string): Cell {
  return { state: name }
}

/** Returns a number of bytes with a unit of 1000, such as `4.1 TB`. */
export function bytes(count: number | null | undefined): Cell {
  if (count === null || count === undefined) return null
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB']
  const power = count < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(count) / 3))
  return `${(count / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

/** Returns the text of a cell. */
export function cellText(cell: Cell, now?: number): string {
  if (typeof cell !== 'object' || cell === null) return String(cell ?? '')
  if ('state' in cell) return cell.state
  return now === undefined ? cell.at : relative(Date.parse(cell.at) - now)
}

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
] as const

function relative(differenceMs: number): string {
  const distance = Math.abs(differenceMs)
  const [size, unit] = units.find(([each]) => distance >= 2 * each) ?? [1000, 's']
  const text = `${Math.floor(distance / size)} ${unit}`
  return differenceMs > 0 ? `in ${text}` : `${text} ago`
}

const colors: readonly (readonly [names: RegExp, code: number])[] = [
  [/^(?:online|ok|up|synced|applied|active|enabled|resolved|COMPLETED_SUCCESS)$/, 32],
  [/^(?:stale|pending|warn|warning|drifted|unknown|QUEUED|IN_PROGRESS|rolled_back|unmounted|waiting)$/, 33],
  [
    /^(?:offline|critical|failed|fail|missing|duplicate|needs_upgrade|revoked|expired|firing|down|COMPLETED_FAILED)$/,
    31,
  ],
]

/** Returns the escape sequences around a padded cell, where its color says something. */
export function painted(cell: Cell, padded: string): string {
  if (typeof cell !== 'object' || cell === null || !('state' in cell)) return padded
  const code = colors.find(([names]) => names.test(cell.state))?.[1]
  return code === undefined ? padded : `\u001B[${code}m${padded}\u001B[39m`
}
