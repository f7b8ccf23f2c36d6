import type { LoginCheck } from './login.js'
import { digestOf } from './lines/render.js'
import type { UserEntry } from './lines/entry.js'

/** A deployed user, without its key. */
export interface KnownUser {
  readonly line: string
  readonly login: string
  readonly digest: string
}

/** Returns the logins whose tokens must end: of users that were removed, or have another key or other rights. */
export function loginsToRevoke(known: readonly KnownUser[], next: readonly UserEntry[]): readonly string[] {
  const digests = new Map(next.map((entry) => [entry.login, digestOf(entry)]))
  const logins = known.filter(({ login, digest }) => digests.get(login) !== digest).map(({ login }) => login)
  return [...new Set(logins)].toSorted()
}

export function knownOf(entries: readonly UserEntry[]): readonly KnownUser[] {
  return entries.map((entry) => ({ line: entry.line, login: entry.login, digest: digestOf(entry) }))
}

/** The number of logins of each kind to check: each costs the proxy a request. */
const sample = 5

/** Returns the logins whose result differs before and after the change. */
export function loginChecks(before: readonly UserEntry[], next: readonly UserEntry[]): readonly LoginCheck[] {
  const old = new Map(before.map((entry) => [entry.login, entry]))
  const now = new Map(next.map((entry) => [entry.login, entry]))
  const changed = next.filter((entry) => old.get(entry.login)?.key !== entry.key)
  const ended = before.filter((entry) => now.get(entry.login)?.key !== entry.key)
  const accepted = [...changed.slice(0, sample), ...next.slice(0, 1)]
  return [
    ...accepted.map(({ login, key }) => ({ login, key, mustSucceed: true })),
    ...ended.slice(0, sample).map(({ login, key }) => ({ login, key, mustSucceed: false })),
  ]
}
