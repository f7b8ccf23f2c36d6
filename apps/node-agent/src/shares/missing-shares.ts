import type { GatewayState as DesiredGateway, MissingShare } from '../mounts/desired/mounts.js'

const namesShown = 50
const reasonsShown = 3

/** Describes the shares that are not served in one sentence for an operator; none when all are. */
export function describeMissing({ shares }: DesiredGateway, missing: readonly MissingShare[]): readonly string[] {
  if (missing.length === 0) return []
  const names = new Map(shares.map(({ id, name }) => [id, name]))
  const listed = missing.slice(0, namesShown).map(({ share }) => `'${names.get(share) ?? share}'`)
  const more = missing.length > namesShown ? ` and ${missing.length - namesShown} more` : ''
  const reasons = [...new Set(missing.map(({ reason }) => reason))].slice(0, reasonsShown).join(' ')
  return [
    `Shares that are not served because they are not mounted: ${listed.join(', ')}${more}. ${reasons} The agent retries every minute.`,
  ]
}
