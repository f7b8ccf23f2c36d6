import { createHash } from 'node:crypto'
import { RoostError } from '@roost/api-types/rest'
import type { ResourceRules } from '@roost/api-types/rest'
import { messages } from './messages.js'

/** Identifies the state of a record, without the fields that change by themselves (`observed`). */
export function etagOf(record: object, { observed }: Pick<ResourceRules, 'observed'>): string {
  const kept = Object.entries(record).filter(([field]) => !observed.includes(field))
  return `"${createHash('sha256').update(JSON.stringify(kept)).digest('base64url').slice(0, 22)}"`
}

/** Returns true if a header If-None-Match (`*`, or ETags) names the ETag. Proxies that compress answers make it a weak one. */
export function matchesAny(etag: string, ifNoneMatch: string | undefined): boolean {
  const seen = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return seen.includes('*') || seen.includes(etag)
}

/** Throws `stale` unless the record is still one that the caller saw. `ifMatch` is the header: `*`, or ETags. */
export function assertFresh(record: object, rules: Pick<ResourceRules, 'observed'>, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  const seen = ifMatch.split(',').map((tag) => tag.trim())
  if (!seen.includes(etagOf(record, rules))) throw new RoostError('stale', messages.stale)
}
