import { createHash } from 'node:crypto'
import type { Outcome } from '../../deployments/applier.js'
import { knownOf } from './changes.js'
import type { InForceFile } from './in-force.js'
import type { Intent } from './intent.js'
import { listed } from './plan.js'
import type { ProxySettings } from './proxy-settings.js'
import { endPendingTokens } from './tokens.js'

/** Stores what the next deployment must know, and returns the outcome. */
export async function applied(
  { location, text, entries, revoked }: Intent,
  generation: number,
  kept: InForceFile,
  notReached: readonly string[],
): Promise<Outcome> {
  const before = await kept.read()
  // After a kill the same generation comes again, with the logins of its first attempt.
  const ended = before?.generation === generation ? [...(before.ended ?? []), ...revoked] : revoked
  const pending = notReached.length > 0 ? revoked : []
  await kept.write({ generation, users: knownOf(entries), ended: [...new Set(ended)], pending })
  const sha256 = createHash('sha256').update(text).digest('hex')
  const files = [{ path: location.file, sha256 }]
  if (notReached.length === 0) return { outcome: 'applied', in_force: generation, message: '', files }
  return { outcome: 'failed', in_force: generation, partly: true, message: describe(notReached), files }
}

function describe(notReached: readonly string[]): string {
  return `The users are in force. ${notReached.join(' ')} The agent tries again every minute.`
}

/** Ends the tokens that a memcached server kept while it was not reached. Returns null if there are none. */
export async function completed(kept: InForceFile, settings: () => ProxySettings): Promise<Outcome | null> {
  const result = await endPendingTokens(kept, settings)
  if (result === null) return null
  const { generation: in_force, notReached, logins } = result
  if (notReached.length > 0)
    return { outcome: 'failed', in_force, partly: true, message: describe(notReached), files: [] }
  return { outcome: 'applied', in_force, message: `The tokens of ${listed(logins)} are revoked everywhere.`, files: [] }
}
