import { randomBytes } from 'node:crypto'
import type { DesiredUser } from '@roost/api-types/agent'
import { adoptableLinePattern, isStorageUrl, lineGroupPattern, loginOfLine } from '@roost/api-types/agent'
import type { UserEntry } from './entry.js'

/** Where keys of adopted users can be found on this node: in the operator's lines, and in our own file. */
export interface KnownLines {
  readonly operator: readonly UserEntry[]
  readonly own: readonly UserEntry[]
}

/** Keys that begin so were made up by us and are known to no client, so that none logs in. */
const blockedPrefix = 'roost-blocked-'
const reseller = '.reseller_admin'

export function isBlocked({ key }: Pick<UserEntry, 'key'>): boolean {
  return key.startsWith(blockedPrefix)
}

/**
 * Returns the line of an adopted user. It has the name of the operator's line, and is read after it, so that it counts. Without a
 * password of Roost it keeps the key that the operator's line has, or had when it was deployed last. Throws a sentence.
 */
export function adoptedEntry(
  { user, password, is_superuser: isSuperuser, adopted }: DesiredUser,
  known: KnownLines,
): UserEntry {
  const { line, groups } = adopted ?? { line: '', groups: [] }
  if (!adoptableLinePattern.test(line) || !groups.every((group) => lineGroupPattern.test(group)))
    throw new Error(`The line of the adopted user '${user}' is not one of tempauth.`)
  const key = password ?? keyOf(line, known)
  if (key === undefined)
    throw new Error(
      `The key of '${loginOfLine(line)}' is not known: this proxy has no line ${line}, and Roost has no password of the user '${user}'. Set one.`,
    )
  return { line, login: loginOfLine(line), key, groups: groupsOf(groups, isSuperuser) }
}

function keyOf(line: string, { operator, own }: KnownLines): string | undefined {
  const ours = own.find((entry) => entry.line === line && !isBlocked(entry))
  return (operator.find((entry) => entry.line === line) ?? ours)?.key
}

function groupsOf(groups: readonly string[], isSuperuser: boolean): readonly string[] {
  if (groups.includes(reseller) === isSuperuser) return groups
  return isSuperuser ? [reseller, ...groups] : groups.filter((group) => group !== reseller)
}

/** Returns lines that keep users out that the operator's configuration would let in. They stay the same once they are made. */
export function blockedEntries(lines: readonly string[], { operator, own }: KnownLines): readonly UserEntry[] {
  const kept = new Map(own.filter(isBlocked).map((entry) => [entry.line, entry]))
  const concerned = new Set(lines)
  return operator
    .filter(({ line }) => concerned.has(line))
    .map(({ line, login }) => kept.get(line) ?? { line, login, key: newKey(), groups: [] })
}

function newKey(): string {
  return blockedPrefix + randomBytes(20).toString('hex')
}

/** Returns the operator's lines that lose their effect: those that the next file has, and the file of before has not. */
export function replacedEntries(next: readonly UserEntry[], { operator, own }: KnownLines): readonly UserEntry[] {
  const [ours, before] = [new Set(next.map(({ line }) => line)), new Set(own.map(({ line }) => line))]
  return operator.filter(({ line }) => ours.has(line) && !before.has(line))
}

/** Returns the groups without the storage URL, as tempauth does. */
export function groupsWithoutUrl(groups: readonly string[]): readonly string[] {
  const last = groups.at(-1)
  return last !== undefined && isStorageUrl(last) ? groups.slice(0, -1) : groups
}
