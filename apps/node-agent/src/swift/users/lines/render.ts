import { createHash } from 'node:crypto'
import type { DesiredUser } from '@roost/api-types/agent'
import { loginOfLine, misreadInKeys, userKeyPattern, userLine, userNamePattern } from '@roost/api-types/agent'
import { adoptedEntry, blockedEntries } from './adopted.js'
import type { KnownLines } from './adopted.js'
import type { UserEntry } from './entry.js'

/** Users as a desired state has them. */
export interface DesiredLines {
  readonly users: readonly DesiredUser[]
  readonly blocked?: readonly string[] | undefined
}

/** Converts users to sorted lines of tempauth's section. Throws for a user that tempauth would misread, without its key. */
export function entriesOf({ users, blocked = [] }: DesiredLines, known: KnownLines): readonly UserEntry[] {
  const entries = users.map((desired) =>
    desired.adopted === undefined ? entryOf(desired) : adoptedEntry(desired, known),
  )
  requireDistinct(entries)
  return [...entries, ...blockedEntries(blocked, known)].toSorted((a, b) => (a.line < b.line ? -1 : 1))
}

function entryOf({ user, password, is_superuser }: DesiredUser): UserEntry {
  if (!userNamePattern.test(user))
    throw new Error(`The user ${JSON.stringify(user)} has a name that tempauth misreads.`)
  if (password === null || misreadInKeys.some((part) => password.includes(part)) || !userKeyPattern.test(password))
    throw new Error(`The user '${user}' has a password that tempauth misreads. Set another password.`)
  const groups = is_superuser ? ['.admin', '.reseller_admin'] : ['.admin']
  return { line: userLine(user), login: `${user}:${user}`, key: password, groups }
}

function requireDistinct(entries: readonly UserEntry[]): void {
  const names = new Map<string, string>()
  for (const { line, login } of entries) {
    const [key, name] = [line.toLowerCase(), login.split(':')[0] ?? '']
    const twin = names.get(key)
    if (twin !== undefined)
      throw new Error(
        `The lines of the users '${twin}' and '${name}' differ only in case, and tempauth cannot tell them apart.`,
      )
    names.set(key, name)
  }
}

/** Renders our file in the proxy's folder. `section` is the name of tempauth there, such as `filter:tempauth`. */
export function renderUserFile(section: string, entries: readonly UserEntry[]): string {
  const lines = entries.map(({ line, key, groups }) => `${line} = ${[key, ...groups].join(' ')}\n`)
  return `${heading}\n[${section}]\n${lines.join('')}`
}

const heading =
  '# Written by Roost from the users of its cluster. What is changed here by hand, the next deployment undoes.'

/** Parses the users of our file. Added lines count if tempauth would read them. */
export function parseUserFile(text: string): readonly UserEntry[] {
  return text.split('\n').flatMap((line) => parseUserLine(line) ?? [])
}

function parseUserLine(text: string): UserEntry | undefined {
  const [, line, value] = /^(user(?:64)?_[^\s=:]+)\s*[=:]\s*(.*)$/.exec(text) ?? []
  if (line === undefined || value === undefined) return undefined
  const [key = '', ...groups] = value.trim().split(/\s+/)
  return { line, login: loginOfLine(line), key, groups }
}

/** Returns a digest of a user's state, without its key. */
export function digestOf({ key, groups }: UserEntry): string {
  return createHash('sha256')
    .update([key, ...groups].join(' '))
    .digest('hex')
}
