import {
  accountNamePattern,
  type DesiredShare,
  fileMaskPattern,
  networkAddress,
  parseShareClient,
  reservedShareNames,
  type ShareClient,
  shareNamePattern,
  splitList,
} from '@roost/api-types/agent'

interface CommonSettings {
  readonly id: number
  readonly name: string
  /** Where its container is mounted; made from the id alone. */
  readonly path: string
  readonly exportNumber: number
  readonly isWritable: boolean
  readonly hidesAppleDoubles: boolean
  /** Empty: every client. */
  readonly clients: readonly ShareClient[]
}

export interface NfsShare extends CommonSettings {
  readonly protocol: 'nfs'
  readonly squashesRoot: boolean
  readonly wantsLowPort: boolean
}

export interface CifsShare extends CommonSettings {
  readonly protocol: 'cifs'
  readonly isBrowseable: boolean
  readonly isForGuests: boolean
  readonly createMask: string
  readonly directoryMask: string
  /** By whom the server reads and writes; null: by the client's own account. */
  readonly writesAs: string | null
  /** Empty with `validGroups`: every account. */
  readonly validUsers: readonly string[]
  readonly validGroups: readonly string[]
}

export type MeantShare = NfsShare | CifsShare

/** Where the containers of shares lie on this machine, and who owns what is in them. */
export interface SharePlaces {
  /** Made from the share's id; absolute, of plain signs. */
  readonly pathOf: (share: Pick<DesiredShare, 'id'>) => string
  /** The account that owns every file, by which a server writes; null: each client is its own user. */
  readonly account: string | null
}

/** A setting that cannot be rendered: names the share and the field, and keeps the whole deployment from being written. */
export class ShareError extends Error {
  override readonly name = 'ShareError'
  readonly field: string

  constructor(share: Pick<DesiredShare, 'id'>, field: string, fault: string) {
    super(`Share ${share.id}: ${field} ${fault}.`)
    this.field = field
  }
}

/** The second wall: holds every field that reaches a server's configuration to the contract, and reads its lists. */
export function readShare(share: DesiredShare, places: SharePlaces): MeantShare {
  const common = readCommon(share, places)
  if (share.protocol === 'nfs')
    return { ...common, protocol: 'nfs', squashesRoot: share.root_squash, wantsLowPort: share.secure }
  return {
    ...common,
    protocol: 'cifs',
    isBrowseable: share.cifs_browseable,
    isForGuests: share.cifs_guest_ok,
    createMask: readMask(share, 'cifs_create_mask', share.cifs_create_mask),
    directoryMask: readMask(share, 'cifs_directory_mask', share.cifs_directory_mask),
    writesAs: places.account,
    validUsers: [
      ...(share.password === null ? [] : [accountOf(share.id)]),
      ...readAccounts(share, 'cifs_valid_users', share.cifs_valid_users),
    ],
    validGroups: readAccounts(share, 'cifs_valid_groups', share.cifs_valid_groups),
  }
}

/** The account that the share's own password belongs to. */
export function accountOf(id: number): string {
  return `share-${id}`
}

function readCommon(share: DesiredShare, { pathOf }: SharePlaces): CommonSettings {
  const { id, name, export_number: exportNumber } = share
  if (!Number.isSafeInteger(id) || id < 1) throw new ShareError(share, 'id', 'must be a whole number above 0')
  if (!Number.isInteger(exportNumber) || exportNumber < 1 || exportNumber > 0xff_ff)
    throw new ShareError(share, 'export_number', 'must be from 1 to 65535')
  if (!shareNamePattern.test(name) || name.endsWith(' ') || reservedShareNames.has(name.toLowerCase()))
    throw new ShareError(share, 'name', `${quote(name)} is no name of a share`)
  return {
    id,
    name,
    path: readPath(share, pathOf(share)),
    exportNumber,
    isWritable: share.access_mode === 'rw',
    hidesAppleDoubles: share.no_apple_doubles,
    clients: splitList(share.clients_allowed_list).map((entry) => readClient(share, entry)),
  }
}

/** Made by the agent: what fails here would be a fault of its configuration. */
function readPath(share: DesiredShare, path: string): string {
  if (/^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/.test(path)) return path
  throw new ShareError(share, 'path', `${quote(path)} has signs that not every server can read`)
}

function readClient(share: DesiredShare, entry: string): ShareClient {
  const client = parseShareClient(entry)
  if (client === undefined)
    throw new ShareError(
      share,
      'clients_allowed_list',
      `holds ${quote(entry)}, which is no IPv4 address, subnet, domain name, .suffix or @netgroup`,
    )
  // not every server accepts a subnet with bits of a host in it
  return client.kind === 'subnet' ? { ...client, address: networkAddress(client.address, client.prefix) } : client
}

function readMask(share: DesiredShare, field: string, mask: string): string {
  if (!fileMaskPattern.test(mask)) throw new ShareError(share, field, `is ${quote(mask)}, which is no file mode`)
  return mask.padStart(4, '0')
}

function readAccounts(share: DesiredShare, field: string, list: string): readonly string[] {
  const accounts = [...new Set(splitList(list))]
  const wrong = accounts.find((account) => !accountNamePattern.test(account))
  if (wrong !== undefined) throw new ShareError(share, field, `holds ${quote(wrong)}, which is no name`)
  return accounts
}

/** A client in a server's words, which differ for a whole domain alone: `.example` or `*.example`. */
export function clientText(client: ShareClient, suffixSign: '.' | '*.'): string {
  if (client.kind === 'address') return client.address
  if (client.kind === 'subnet') return `${client.address}/${client.prefix}`
  if (client.kind === 'netgroup') return `@${client.netgroup}`
  return client.kind === 'suffix' ? `${suffixSign}${client.domain}` : client.domain
}

/** As one line, however long or strange it is. */
export function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80))
}
