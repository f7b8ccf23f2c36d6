import { isBlocked } from './adopted.js'
import type { UserEntry } from './entry.js'

/** Returns a line with a masked key. */
export function maskedLine(entry: UserEntry, key = 'key'): string {
  const shown = isBlocked(entry) ? 'blocked' : key
  return `${entry.line} = ${[`<${shown}>`, ...entry.groups].join(' ')}`
}

/** Returns the changed lines of two files of users, sorted and without keys. */
export function userDiff(before: readonly UserEntry[], after: readonly UserEntry[]): string {
  const old = new Map(before.map((entry) => [entry.line, entry]))
  const next = new Map(after.map((entry) => [entry.line, entry]))
  const names = [...new Set([...old.keys(), ...next.keys()])].toSorted()
  return names.map((name) => lineDiff(old.get(name), next.get(name))).join('')
}

function lineDiff(before: UserEntry | undefined, after: UserEntry | undefined): string {
  if (before === undefined) return after === undefined ? '' : `+${maskedLine(after)}\n`
  if (after === undefined) return `-${maskedLine(before)}\n`
  const isSameKey = before.key === after.key
  if (isSameKey && before.groups.join(' ') === after.groups.join(' ')) return ''
  return `-${maskedLine(before)}\n+${maskedLine(after, isSameKey ? 'key' : 'another key')}\n`
}
