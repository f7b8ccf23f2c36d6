import { type DesiredShare, settingDefaults } from '@roost/api-types/agent'
import { createShareCounts } from '../../mounts/cache/files/share-counts.js'
import { CacheSizes } from '../../mounts/upkeep/cache-sizes.js'
import type { MountStore } from '../../mounts/desired/mount-store.js'
import { sharePath } from '../../mounts/desired/share-path.js'
import { renderShares, type ShareServers } from '../index.js'
import type { ShareLocations } from '../servers/validate-share.js'

type Nfs = Extract<DesiredShare, { protocol: 'nfs' }>
type Cifs = Extract<DesiredShare, { protocol: 'cifs' }>

function common(id: number) {
  const identity = { id, name: `share${id}`, objectstore_container: 'photos', export_number: id }
  return { ...identity, ...settingDefaults('every') }
}

export function nfsShare(id: number, settings: Partial<Nfs> = {}): Nfs {
  return { ...common(id), protocol: 'nfs', ...settingDefaults('nfs'), ...settings }
}

export function cifsShare(id: number, settings: Partial<Cifs> = {}): Cifs {
  return { ...common(id), protocol: 'cifs', ...settingDefaults('cifs'), password: null, ...settings }
}

/** A cache on a disk that is large enough for every share. */
export function ampleCache(store: MountStore) {
  const disk = { read: async () => ({ totalBytes: 1e12, availableBytes: 1e12 }), close: () => {} }
  return {
    cacheSizes: new CacheSizes({ store, disk }),
    counts: createShareCounts(),
    incomplete: { recent: () => undefined, failedAtMs: -Infinity, check: async () => {}, intervalMs: 1_000 },
    cacheDirectory: '/cache',
  }
}

export const locations: ShareLocations = { pathOf: (share) => sharePath('/srv/roost', share), account: 'nobody' }

/** The bodies of the files, by path. */
export function bodiesOf(
  shares: readonly DesiredShare[],
  nfs: ShareServers['nfs'] = 'kernel',
): Readonly<Record<string, string>> {
  const options = { servers: { nfs, cifs: 'samba' }, locations, generation: 1 } as const
  return Object.fromEntries(renderShares(shares, options).map(({ path, body }) => [path, body]))
}
