import { InvalidArgumentError } from 'commander'

const seconds = { s: 1, m: 60, h: 3600, d: 86_400 } as const

/** Returns the seconds of a time such as `30m`. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? []
  if (unit === undefined) throw new InvalidArgumentError('Use a number with s, m, h or d, such as 30m.')
  return Number(count) * seconds[unit as keyof typeof seconds]
}
