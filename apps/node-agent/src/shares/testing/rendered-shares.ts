import type { DesiredShare } from '@roost/api-types/agent'
import { sharePath } from '../../mounts/desired/share-path.js'
import { renderShares, type ShareServers } from '../index.js'
import type { ShareLocations } from '../servers/validate-share.js'

export const locations: ShareLocations = { pathOf: (share) => sharePath('/srv/roost', share), account: 'nobody' }

/** The bodies of the files, by path. */
export function bodiesOf(
  shares: readonly DesiredShare[],
  nfs: ShareServers['nfs'] = 'kernel',
): Readonly<Record<string, string>> {
  const options = { servers: { nfs, cifs: 'samba' }, locations, generation: 1 } as const
  return Object.fromEntries(renderShares(shares, options).map(({ path, body }) => [path, body]))
}
