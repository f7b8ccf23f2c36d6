import type { DeploymentPlan } from '@roost/api-types/agent'
import { isBlocked } from './lines/adopted.js'
import { userDiff } from './lines/diff.js'
import type { Intent } from './intent.js'
import { parseUserFile } from './lines/render.js'

/** Returns the plan of a deployment. `cost` is what a reload costs clients; null without a cost. */
export function planOf(intent: Intent, cost: string | null): DeploymentPlan {
  const { location, entries, text, now } = intent
  const isSame = text === now
  const change = now === null ? 'create' : 'change'
  const diff = userDiff(parseUserFile(now ?? ''), entries)
  return {
    files: isSame ? [] : [{ path: location.file, change, diff }],
    daemons: [{ daemon: 'swift-proxy-server', action: isSame ? 'none' : 'reload', sessions_lost: [] }],
    mounts: { started: [], stopped: [] },
    notes: [...(isSame || cost === null ? [] : [cost]), ...notesOf(intent)],
  }
}

function notesOf({ location, entries, revoked, replaced }: Intent): readonly string[] {
  const ours = new Set(entries.map(({ line }) => line))
  const accounts = new Set(entries.map(({ login }) => login.split(':')[0]))
  const shared = location.settings.operatorUsers.filter(
    ({ line, login }) => !ours.has(line) && accounts.has(login.split(':')[0]),
  )
  return [
    ...note(revoked, (logins) => `The tokens of ${logins} will be revoked.`),
    ...note(
      replaced.map(({ line }) => line),
      (lines) => `Roost's file replaces these lines of the proxy's own configuration: ${lines}.`,
    ),
    ...note(
      entries.filter(isBlocked).map(({ login }) => login),
      (logins) =>
        `The proxy's own configuration has users who are disabled in Roost or were removed from it. Roost's file keeps them out: ${logins}.`,
    ),
    ...note(
      shared.map(({ login }) => login),
      (logins) => `The proxy's own configuration has users in the same accounts: ${logins}.`,
    ),
  ]
}

function note(names: readonly string[], sentence: (listed: string) => string): readonly string[] {
  return names.length === 0 ? [] : [sentence(listed(names))]
}

/** Names at most 20 logins. */
export function listed(logins: readonly string[]): string {
  const more = logins.length - 20
  return `${logins.slice(0, 20).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
