const units = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const

/** Returns seconds as an operator says them: `45 s`, `3 minutes`, `2 days`. It rounds down. */
export function durationText(seconds: number): string {
  const [size, unit] = units.find(([least]) => seconds >= 2 * least) ?? [1, undefined]
  const count = Math.floor(seconds / size)
  return unit === undefined ? `${count} s` : `${count} ${unit}s`
}

export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
