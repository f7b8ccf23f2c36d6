import {
  type DesiredShare,
  networkAddress,
  parseShareClient,
  reservedShareNames,
  type ShareClient,
  shareNamePattern,
  shareSettingRows,
  splitList,
} from '@roost/api-types/agent'

interface CommonFields {
  readonly id: number
  readonly name: string
  /** Where its container is mounted; made from the id alone. */
  readonly path: string
  readonly exportNumber: number
  /** Empty: every client. */
  readonly clients: readonly ShareClient[]
}

export interface NfsShare extends CommonFields {
  readonly protocol: 'nfs'
  readonly settings: Extract<DesiredShare, { readonly protocol: 'nfs' }>
}

export interface CifsShare extends CommonFields {
  readonly protocol: 'cifs'
  readonly settings: Extract<DesiredShare, { readonly protocol: 'cifs' }>
  /** The account by which the server reads and writes; null: the client's own account. */
  readonly writesAs: string | null
  /** Empty with `validGroups`: every account. */
  readonly validUsers: readonly string[]
  readonly validGroups: readonly string[]
}

export type ValidatedShare = NfsShare | CifsShare

/** Where the containers of shares lie on this machine, and who owns what is in them. */
export interface ShareLocations {
  /** Made from the share's id; absolute, of plain characters. */
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

/** Validates every field that reaches a server's configuration, whatever the control plane has checked, and reads its lists. */
export function validateShare(share: DesiredShare, locations: ShareLocations): ValidatedShare {
  const common = validateCommon(share, locations)
  for (const [name, { protocol, value }] of shareSettingRows)
    if (protocol === 'every' || protocol === share.protocol)
      requireRule(share, name, value.rule.safeParse(share[name as keyof DesiredShare]))
  const clients = splitList(share.clients_allowed_list).flatMap(readClient)
  if (share.protocol === 'nfs') return { ...common, clients, protocol: 'nfs', settings: share }
  const { cifs_valid_users: users, cifs_valid_groups: groups } = share
  return {
    ...common,
    clients,
    protocol: 'cifs',
    settings: share,
    writesAs: locations.account,
    validUsers: [...(share.password === null ? [] : [accountOf(share.id)]), ...new Set(splitList(users))],
    validGroups: [...new Set(splitList(groups))],
  }
}

/** Returns the account of the share's own password. */
export function accountOf(id: number): string {
  return `share-${id}`
}

function validateCommon(share: DesiredShare, { pathOf }: ShareLocations): Omit<CommonFields, 'clients'> {
  const { id, name, export_number: exportNumber } = share
  if (!Number.isSafeInteger(id) || id < 1) throw new ShareError(share, 'id', 'must be a whole number above 0')
  if (!Number.isInteger(exportNumber) || exportNumber < 1 || exportNumber > 0xff_ff)
    throw new ShareError(share, 'export_number', 'must be from 1 to 65535')
  if (!shareNamePattern.test(name) || name.endsWith(' ') || reservedShareNames.has(name.toLowerCase()))
    throw new ShareError(share, 'name', `${quote(name)} is not a valid name of a share`)
  return { id, name, path: validatePath(share, pathOf(share)), exportNumber }
}

/** Checks a path that the agent made: a failure is a fault of its configuration. */
function validatePath(share: DesiredShare, path: string): string {
  if (/^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/.test(path)) return path
  throw new ShareError(share, 'path', `${quote(path)} has characters that not every server can read`)
}

function requireRule(
  share: DesiredShare,
  field: string,
  read: { readonly error?: { readonly issues: readonly { readonly message: string }[] } | undefined },
): void {
  const issue = read.error?.issues[0]
  if (issue !== undefined) throw new ShareError(share, field, `is not valid: ${issue.message.replace(/\.$/, '')}`)
}

function readClient(entry: string): readonly ShareClient[] {
  const client = parseShareClient(entry)
  if (client === undefined) return []
  // not every server accepts a subnet with bits of a host in it
  return [client.kind === 'subnet' ? { ...client, address: networkAddress(client.address, client.prefix) } : client]
}

/** Formats a client for a server. Servers differ only in the format of domains: `.example` or `*.example`. */
export function clientText(client: ShareClient, suffixSign: '.' | '*.'): string {
  if (client.kind === 'address') return client.address
  if (client.kind === 'subnet') return `${client.address}/${client.prefix}`
  if (client.kind === 'netgroup') return `@${client.netgroup}`
  return client.kind === 'suffix' ? `${suffixSign}${client.domain}` : client.domain
}

/** Quotes a text in one line, however long or strange it is. */
export function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80))
}
