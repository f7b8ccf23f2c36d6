import { createHash } from 'node:crypto'
import type { DesiredUser } from '@roost/api-types/agent'
import { misreadInKeys, userKeyPattern, userLine, userLineKey, userNamePattern } from '@roost/api-types/agent'

/** A user of tempauth. */
export interface UserEntry {
  /** The name of its line. */
  readonly line: string
  /** `<account>:<user>`, with which it logs in. */
  readonly login: string
  readonly key: string
  readonly groups: readonly string[]
}

/** Converts users to sorted lines of tempauth's section. Throws for a user that tempauth would misread, without its key. */
export function entriesOf(users: readonly DesiredUser[]): readonly UserEntry[] {
  const lines = new Map<string, string>()
  const entries = users.map((desired): UserEntry => {
    const { user, password, is_superuser } = desired
    checkUser(desired)
    const twin = lines.get(userLineKey(user))
    if (twin !== undefined)
      throw new Error(
        `The lines of the users '${twin}' and '${user}' differ only in case, and tempauth cannot tell them apart.`,
      )
    lines.set(userLineKey(user), user)
    const groups = is_superuser ? ['.admin', '.reseller_admin'] : ['.admin']
    return { line: userLine(user), login: `${user}:${user}`, key: password, groups }
  })
  return entries.toSorted((a, b) => (a.line < b.line ? -1 : 1))
}

function checkUser({ user, password }: DesiredUser): void {
  if (!userNamePattern.test(user))
    throw new Error(`The user ${JSON.stringify(user)} has a name that tempauth misreads.`)
  const misread = misreadInKeys.some((part) => password.includes(part))
  if (misread || !userKeyPattern.test(password))
    throw new Error(`The user '${user}' has a password that tempauth misreads. Set another password.`)
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
  return { line, login: loginOf(line), key, groups }
}

/** Returns the login of a line's name; the name itself if tempauth would refuse it. */
export function loginOf(line: string): string {
  const [kind, account, user, ...more] = line.split('_')
  if (account === undefined || user === undefined || more.length > 0) return line
  const decode = kind === 'user64' ? (part: string) => Buffer.from(part, 'base64').toString() : (part: string) => part
  return `${decode(account)}:${decode(user)}`
}

/** Returns a digest of a user's state, without its key. */
export function digestOf({ key, groups }: UserEntry): string {
  return createHash('sha256')
    .update([key, ...groups].join(' '))
    .digest('hex')
}
