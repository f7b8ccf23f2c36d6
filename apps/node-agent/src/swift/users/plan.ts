import type { DeploymentPlan } from '@roost/api-types/agent'
import { userDiff } from './diff.js'
import type { Intent } from './intent.js'
import { parseUserFile } from './render.js'

/** Returns the plan of a deployment. `cost` is what a reload costs clients; null without a cost. */
export function planOf({ location, entries, text, now, revoked }: Intent, cost: string | null): DeploymentPlan {
  const isSame = text === now
  const change = now === null ? 'create' : 'change'
  const diff = userDiff(parseUserFile(now ?? ''), entries)
  const accounts = new Set(entries.map(({ login }) => login.split(':')[0]))
  const shared = location.settings.operatorUsers.filter(({ login }) => accounts.has(login.split(':')[0]))
  return {
    files: isSame ? [] : [{ path: location.file, change, diff }],
    daemons: [{ daemon: 'swift-proxy-server', action: isSame ? 'none' : 'reload', sessions_lost: [] }],
    mounts: { started: [], stopped: [] },
    notes: [
      ...(isSame || cost === null ? [] : [cost]),
      ...(revoked.length === 0 ? [] : [`The tokens of ${listed(revoked)} will be revoked.`]),
      ...(shared.length === 0
        ? []
        : [
            `The proxy's own configuration has users in the same accounts: ${listed(shared.map(({ login }) => login))}.`,
          ]),
    ],
  }
}

/** Names at most 20 logins. */
export function listed(logins: readonly string[]): string {
  const more = logins.length - 20
  return `${logins.slice(0, 20).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
