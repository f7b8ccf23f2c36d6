import { locale } from '../words/locale.js'
import { display } from './display.js'

/** What is shown for a value that is not known. */
export const noValue = '–'

const decimal = { base: 1000, names: ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'] } as const
const binary = { base: 1024, names: ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] } as const
const integers = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 })

type Missing = null | undefined

/** Three significant digits. */
function short(value: number): string {
  const digits = Math.abs(value) >= 99.95 || Number.isInteger(value) ? 0 : Math.abs(value) >= 9.995 ? 1 : 2
  return value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** Bytes in the unit that the operator chose, always with the unit: `12.4 TB`. */
export function bytes(value: number | Missing): string {
  if (value === null || value === undefined) return noValue
  const { base, names } = display().units === 'binary' ? binary : decimal
  let rest = value
  let exponent = 0
  while (Math.abs(rest) >= base - 0.5 && exponent < names.length - 1) {
    rest /= base
    exponent += 1
  }
  return `${short(exponent === 0 ? Math.round(rest) : rest)} ${names[exponent] ?? 'B'}`
}

/** What the API counts in TB of 10^12 bytes. */
export function terabytes(value: number | Missing): string {
  return value === null || value === undefined ? noValue : bytes(value * 1e12)
}

/** The sign stays on the line of its number. */
export function percent(value: number | Missing, digits = 1): string {
  if (value === null || value === undefined) return noValue
  return `${value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })}\u{a0}%`
}

export function count(value: number | Missing): string {
  return value === null || value === undefined ? noValue : integers.format(value)
}

const thousands = ['', 'k', 'M', 'G', 'T'] as const

function scaled(value: number, unit: string): string {
  let rest = value
  let exponent = 0
  while (Math.abs(rest) >= 9_999.5 && exponent < thousands.length - 1) {
    rest /= 1000
    exponent += 1
  }
  return `${short(rest)} ${thousands[exponent] ?? ''}${unit}`.trim()
}

/** A value of a metric in its unit, as the agent spells units: `B`, `B/s`, `%`, `operations/s`, `s`. */
export function measure(value: number | Missing, unit: string): string {
  if (value === null || value === undefined) return noValue
  if (unit === 'B' || unit === 'bytes') return bytes(value)
  if (unit === 'B/s' || unit === 'bytes/s') return `${bytes(value)}/s`
  if (unit === '%' || unit === 'percent') return percent(value)
  return scaled(value, unit)
}
