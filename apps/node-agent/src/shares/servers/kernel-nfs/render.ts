import { declareFile, type DeclaredFile } from '../declared-file.js'
import { exportsFormat } from './format.js'
import { clientText, type NfsShare } from '../validate-share.js'

export const exportsFile = '/etc/exports.d/roost.exports'

/** The kernel's NFS server. A FUSE filesystem has no identity of its own there: `fsid` gives it one that stays. */
export function renderExports(shares: readonly NfsShare[], generation: number): DeclaredFile {
  const lines = shares.map((share) => ({
    path: share.path,
    clients: hostsOf(share).map((host) => ({ host, options: optionsOf(share) })),
  }))
  return declareFile(exportsFile, exportsFormat, lines, generation)
}

function hostsOf({ clients }: NfsShare): readonly string[] {
  return clients.length === 0 ? ['*'] : [...new Set(clients.map((client) => clientText(client, '*.')))]
}

function optionsOf(share: NfsShare): readonly string[] {
  return [
    share.isWritable ? 'rw' : 'ro',
    'sync',
    'no_subtree_check',
    share.squashesRoot ? 'root_squash' : 'no_root_squash',
    share.wantsLowPort ? 'secure' : 'insecure',
    `fsid=${share.exportNumber}`,
  ]
}
