import type { DesiredShare } from '@roost/api-types/agent'
import { createShareCounts } from '../../mounts/cache/files/share-counts.js'
import { CacheSizes } from '../../mounts/upkeep/cache-sizes.js'
import type { MountStore } from '../../mounts/desired/mount-store.js'
import { sharePath } from '../../mounts/desired/share-path.js'
import { renderShares, type ShareServers } from '../index.js'
import type { SharePlaces } from '../servers/validate-share.js'

type Nfs = Extract<DesiredShare, { protocol: 'nfs' }>
type Cifs = Extract<DesiredShare, { protocol: 'cifs' }>

function common(id: number) {
  return {
    id,
    name: `share${id}`,
    access_mode: 'rw',
    objectstore_container: 'photos',
    upload_delay: 0,
    write_retain: true,
    no_apple_doubles: true,
    clients_allowed_list: '',
    export_number: id,
  } as const
}

export function nfsShare(id: number, settings: Partial<Nfs> = {}): Nfs {
  return { ...common(id), protocol: 'nfs', root_squash: false, secure: false, ...settings }
}

export function cifsShare(id: number, settings: Partial<Cifs> = {}): Cifs {
  return {
    ...common(id),
    protocol: 'cifs',
    cifs_browseable: true,
    cifs_create_mask: '0664',
    cifs_directory_mask: '0775',
    cifs_guest_ok: true,
    cifs_valid_users: '',
    cifs_valid_groups: '',
    password: null,
    ...settings,
  }
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

export const places: SharePlaces = { pathOf: (share) => sharePath('/srv/roost', share), account: 'nobody' }

/** The bodies of the files, by path. */
export function bodiesOf(
  shares: readonly DesiredShare[],
  nfs: ShareServers['nfs'] = 'kernel',
): Readonly<Record<string, string>> {
  const options = { servers: { nfs, cifs: 'samba' }, places, generation: 1 } as const
  return Object.fromEntries(renderShares(shares, options).map(({ path, body }) => [path, body]))
}
