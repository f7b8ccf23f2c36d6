import { declareFile, type DeclaredFile } from '../declared-file.js'
import { exportsFormat } from './format.js'
import { spelledSettings, writeSetting } from '../spelled-settings.js'
import { clientText, type NfsShare } from '../validate-share.js'

export const exportsFile = '/etc/exports.d/roost.exports'

/** Renders the exports of the kernel's NFS server. A FUSE filesystem has no identity of its own there: `fsid` gives it a stable one. */
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

const spelled = spelledSettings('exports')

function optionsOf({ settings, exportNumber }: NfsShare): readonly string[] {
  const [access = '', ...others] = spelled
    .flatMap((setting) => writeSetting(setting, settings))
    .map(([option, text]) => (option === '' ? text : `${option}=${text}`))
  return [access, 'sync', 'no_subtree_check', ...others, `fsid=${exportNumber}`]
}
