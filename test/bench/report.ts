/** One value beside its target and the values of the peers. */
export interface Row {
  readonly what: string
  readonly value: number
  readonly unit: string
  /** At most, or at least, so much; null where there is no target. */
  readonly target: { readonly atMost: number } | { readonly atLeast: number } | null
  /** The values of other systems, measured on a similar machine. */
  readonly peers?: Readonly<Record<string, number>>
  /** Milliseconds of the control plane's CPU for it: steadier than the time by the clock where others work too. */
  readonly cpuMs?: number
}

export function row(what: string, value: number, unit: string, target: Row['target'], peers: Row['peers'] = {}): Row {
  return { what, value, unit, target, peers }
}

export const atMost = (limit: number) => ({ atMost: limit })
export const atLeast = (limit: number) => ({ atLeast: limit })

function isMet({ value, target }: Row): boolean {
  if (target === null) return true
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast
}

/** Returns the rows as a table; a ratio below one means that Roost has the smaller value. */
export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map((one) => [
    one.what,
    `${short(one.value)} ${one.unit}${cpuOf(one)}`,
    targetOf(one),
    peersOf(one),
  ])
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)))
  return cells
    .map((line) => `  ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
    .join('\n')
}

/** What is missed, and by how much. */
export function missed(rows: readonly Row[]): readonly string[] {
  return rows
    .filter((one) => !isMet(one))
    .map((one) => `${one.what}: ${short(one.value)} ${one.unit}, target ${limitOf(one)}`)
}

function cpuOf({ cpuMs }: Row): string {
  return cpuMs === undefined ? '' : ` (${short(cpuMs)} CPU)`
}

function targetOf(one: Row): string {
  if (one.target === null) return ''
  return `${limitOf(one)} ${isMet(one) ? 'met' : 'MISSED'}`
}

function limitOf({ target }: Row): string {
  if (target === null) return ''
  return 'atMost' in target ? `≤ ${short(target.atMost)}` : `≥ ${short(target.atLeast)}`
}

function peersOf({ value, peers = {} }: Row): string {
  return Object.entries(peers)
    .map(([name, peer]) => `${name} ${short(peer)} (×${short(value / peer)})`)
    .join(' · ')
}

function short(value: number): string {
  if (value !== 0 && Math.abs(value) < 0.001) return value.toExponential(1)
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}
