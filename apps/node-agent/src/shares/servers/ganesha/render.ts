import type { ShareClient } from '@roost/api-types/agent'
import { declareFile, type DeclaredFile } from '../declared-file.js'
import { type GaneshaBlock, ganeshaFormat, ganeshaKind, type GaneshaSetting, type GaneshaValue } from './format.js'
import { spelledSettings, writeSetting } from '../spelled-settings.js'
import { clientText, type NfsShare, quote, ShareError } from '../validate-share.js'

export const ganeshaExportsFile = '/etc/ganesha/roost.d/exports.conf'

/** Renders an EXPORT block for each share. Its rights are in the block for everybody, or in CLIENT for the clients that are named. */
export function renderGanesha(shares: readonly NfsShare[], generation: number): DeclaredFile {
  return declareFile(ganeshaExportsFile, ganeshaFormat, shares.map(exportOf), generation)
}

const spelled = spelledSettings('ganesha')
/** For every client that the block does not name. */
const access = 'Access_Type'

function exportOf(share: NfsShare): GaneshaBlock {
  const { exportNumber, name, path, clients } = share
  const rights = spelled
    .flatMap((setting) => writeSetting(setting, share.settings))
    .map(([option, text]) => set(option, bare(text)))
  const named: GaneshaBlock = {
    name: 'CLIENT',
    settings: [{ name: 'Clients', values: clientsOf(share) }, ...rights],
    blocks: [],
  }
  return {
    name: 'EXPORT',
    settings: [
      set('Export_Id', { kind: 'number', text: String(exportNumber) }),
      set('Path', { kind: 'text', text: path }),
      set('Pseudo', { kind: 'text', text: `/${name}` }),
      set('Tag', { kind: 'text', text: name }),
      set('Filesystem_Id', { kind: 'fsid', text: `${exportNumber}.${exportNumber}` }),
      ...(clients.length === 0
        ? rights
        : rights.map((right) => (right.name === access ? set(access, keyword('NONE')) : right))),
    ],
    blocks: [
      ...(clients.length === 0 ? [] : [named]),
      { name: 'FSAL', settings: [set('Name', keyword('VFS'))], blocks: [] },
    ],
  }
}

function set(name: string, value: GaneshaValue): GaneshaSetting {
  return { name, values: [value] }
}

function bare(text: string): GaneshaValue {
  const kind = ganeshaKind(text)
  return kind === undefined ? { kind: 'text', text } : { kind, text }
}

function keyword(text: string): GaneshaValue {
  return { kind: 'keyword', text }
}

function clientsOf(share: NfsShare): readonly GaneshaValue[] {
  const values = share.clients.map((client) => valueOf(share, client))
  return values.filter(({ text }, i) => values.findIndex((other) => other.text === text) === i)
}

const kindOfClient = {
  address: 'address',
  subnet: 'address',
  domain: 'keyword',
  suffix: 'wildcard',
  netgroup: 'netgroup',
} as const satisfies Record<ShareClient['kind'], GaneshaValue['kind']>

function valueOf(share: NfsShare, client: ShareClient): GaneshaValue {
  const kind = kindOfClient[client.kind]
  const written = clientText(client, '*.')
  // To ganesha this address without its prefix is everybody.
  const text = written === '0.0.0.0' ? '0.0.0.0/32' : written
  if (ganeshaKind(text) === kind) return { kind, text }
  throw new ShareError(
    share,
    'clients_allowed_list',
    `contains ${quote(text)}, which nfs-ganesha does not accept as a host name: use its IP addresses instead`,
  )
}
