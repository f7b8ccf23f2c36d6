import type * as z from 'zod/mini'
import { accountList, choice, clientList, fileMode, flag, integer, optionalNumber } from './share-values.js'
import type { ShareValue } from './share-values.js'

export type ShareProtocolName = 'nfs' | 'cifs'
/** The servers of each protocol. */
interface ServersOf {
  readonly nfs: 'exports' | 'ganesha'
  readonly cifs: 'samba'
  readonly every: 'exports' | 'ganesha' | 'samba'
}
export type ShareServerName = ServersOf['every']

/** How a server's configuration has a setting. */
export interface Spelling {
  /** The name of the option; empty where the text of the value is the option. */
  readonly option: string
  /** The text of each value, where it is not the value itself. Empty: the option is left out. */
  readonly texts?: Readonly<Record<string, string>>
  /** What the server assumes without the option. */
  readonly absent: string
}

/** `own code`: the server's folder writes and reads it. `no setting`: the server cannot do this and ignores it. */
export type ServerRow = Spelling | 'own code' | 'no setting'

export interface ShareSetting<P extends keyof ServersOf = keyof ServersOf, S extends z.ZodMiniType = z.ZodMiniType> {
  readonly protocol: P
  readonly value: ShareValue<S>
  /** The value of a new share, and of one that was stored before the setting existed. */
  readonly default: z.output<S>
  /**
   * Which changes end sessions, where a server would otherwise keep them at what they were permitted: a change away from a
   * value, for all clients or for guests, or the removal of entries.
   */
  readonly narrows: 'never' | 'by entry' | { readonly from: z.output<S>; readonly whose?: 'guests' }
  readonly servers: { readonly [N in ServersOf[P]]: ServerRow } | 'mount alone'
  /** For the documents and the OpenAPI document. */
  readonly text: string
}

const yesNo = { true: 'yes', false: 'no' }
const appleDoubles = '/._*/.DS_Store/.AppleDouble/'

/**
 * THE TABLE of share settings. A row is all that a setting needs: see docs/add/share-field.md. Servers write their options in
 * this order.
 */
export const shareSettings = {
  access_mode: setting({
    protocol: 'every',
    value: choice('rw', 'ro'),
    default: 'rw',
    narrows: { from: 'rw' },
    servers: {
      samba: { option: 'read only', texts: { rw: 'no', ro: 'yes' }, absent: 'yes' },
      exports: { option: '', absent: 'ro' },
      ganesha: { option: 'Access_Type', texts: { rw: 'RW', ro: 'RO' }, absent: 'NONE' },
    },
    text: 'Clients may write (`rw`), or only read (`ro`)',
  }),
  upload_delay: setting({
    protocol: 'every',
    value: integer('seconds', 0, 86_400),
    default: 0,
    narrows: 'never',
    servers: 'mount alone',
    text: 'Seconds to wait before a written file is uploaded. The gateway waits at least 5, because a file that is renamed earlier can leave an object behind under its old name',
  }),
  write_retain: setting({
    protocol: 'every',
    value: flag,
    default: true,
    narrows: 'never',
    servers: 'mount alone',
    text: "Keeps a written file in the gateway's cache",
  }),
  // 2 PB: what fits in the database's column.
  cache_size_mb: setting({
    protocol: 'every',
    value: optionalNumber('megabytes', 16, 2_147_483_647),
    default: null,
    narrows: 'never',
    servers: 'mount alone',
    text: "Megabytes of the gateway's disk for cached files; null: 80 % of that disk, divided equally among the shares of the node. A change takes effect when no client has a file open",
  }),
  root_squash: setting({
    protocol: 'nfs',
    value: flag,
    default: false,
    narrows: { from: false },
    servers: {
      exports: { option: '', texts: { true: 'root_squash', false: 'no_root_squash' }, absent: 'root_squash' },
      ganesha: { option: 'Squash', texts: { true: 'root_squash', false: 'no_root_squash' }, absent: 'root_squash' },
    },
    text: 'The user root of a client has the rights of the anonymous user',
  }),
  secure: setting({
    protocol: 'nfs',
    value: flag,
    default: false,
    narrows: { from: false },
    servers: {
      exports: { option: '', texts: { true: 'secure', false: 'insecure' }, absent: 'secure' },
      ganesha: { option: 'PrivilegedPort', absent: 'false' },
    },
    text: 'Serves only clients that send from a port below 1024',
  }),
  cifs_browseable: setting({
    protocol: 'cifs',
    value: flag,
    default: true,
    narrows: 'never',
    servers: { samba: { option: 'browseable', texts: yesNo, absent: 'yes' } },
    text: 'The share is visible in the list of shares of the server',
  }),
  cifs_guest_ok: setting({
    protocol: 'cifs',
    value: flag,
    default: true,
    narrows: { from: true, whose: 'guests' },
    servers: { samba: { option: 'guest ok', texts: yesNo, absent: 'no' } },
    text: 'Clients need no login',
  }),
  cifs_create_mask: setting({
    protocol: 'cifs',
    value: fileMode,
    default: '0664',
    narrows: 'never',
    servers: { samba: { option: 'create mask', absent: '0744' } },
    text: 'Mode of new files, three or four octal digits. Permission bits that are not in the mode are never set',
  }),
  cifs_directory_mask: setting({
    protocol: 'cifs',
    value: fileMode,
    default: '0775',
    narrows: 'never',
    servers: { samba: { option: 'directory mask', absent: '0755' } },
    text: 'Mode of new directories, three or four octal digits. Permission bits that are not in the mode are never set',
  }),
  cifs_valid_users: setting({
    protocol: 'cifs',
    value: accountList,
    default: '',
    narrows: 'by entry',
    servers: { samba: 'own code' },
    text: 'Users that may log in, separated by commas or spaces; every user if this list and the list of groups are empty',
  }),
  cifs_valid_groups: setting({
    protocol: 'cifs',
    value: accountList,
    default: '',
    narrows: 'by entry',
    servers: { samba: 'own code' },
    text: 'Groups whose users may log in, separated by commas or spaces',
  }),
  clients_allowed_list: setting({
    protocol: 'every',
    value: clientList,
    default: '',
    narrows: 'by entry',
    servers: { samba: 'own code', exports: 'own code', ganesha: 'own code' },
    text: 'Clients that may connect, separated by commas or spaces: IPv4 addresses, subnets (10.0.0.0/8 or with a netmask), domain names, .suffix or *.suffix, @netgroup; empty: every client',
  }),
  no_apple_doubles: setting({
    protocol: 'every',
    value: flag,
    default: true,
    narrows: 'never',
    servers: {
      samba: { option: 'veto files', texts: { true: appleDoubles, false: '' }, absent: '' },
      exports: 'no setting',
      ganesha: 'no setting',
    },
    text: 'Rejects the files ._* that macOS clients create',
  }),
} as const

type Rows = typeof shareSettings
export type ShareSettingName = keyof Rows
/** The settings of a protocol: its own, or `every` for those that all protocols have. */
export type SettingNameOf<P extends keyof ServersOf> = {
  [K in ShareSettingName]: Rows[K]['protocol'] extends P ? K : never
}[ShareSettingName]

/** The settings in the order of the table. */
export const shareSettingRows = Object.entries(shareSettings) as unknown as readonly (readonly [
  ShareSettingName,
  ShareSetting,
])[]

/** The schemas of a protocol's settings. */
type Shape<P extends keyof ServersOf> = { readonly [K in SettingNameOf<P>]: Rows[K]['value']['type'] }
type ShapeWithDefaults<P extends keyof ServersOf> = {
  readonly [K in SettingNameOf<P>]: z.ZodMiniDefault<Rows[K]['value']['type']>
}
type RowReader<S> = (row: ShareSetting, name: ShareSettingName) => S

/** Returns the shape of an object for zod: a schema for each setting of the protocol. */
export function settingShape<P extends keyof ServersOf>(
  protocol: P,
  schemaOf: RowReader<z.ZodMiniDefault>,
): ShapeWithDefaults<P>
export function settingShape<P extends keyof ServersOf>(protocol: P, schemaOf: RowReader<z.ZodMiniType>): Shape<P>
export function settingShape(protocol: keyof ServersOf, schemaOf: RowReader<z.ZodMiniType>) {
  const rows = shareSettingRows.filter(([, row]) => row.protocol === protocol)
  return Object.fromEntries(rows.map(([name, row]) => [name, schemaOf(row, name)]))
}

/** The values that a share of the protocol has where a client sends none. */
export function settingDefaults<P extends keyof ServersOf>(protocol: P) {
  const rows = shareSettingRows.filter(([, row]) => row.protocol === protocol)
  return Object.fromEntries(rows.map(([name, row]) => [name, row.default])) as {
    [K in SettingNameOf<P>]: z.output<Shape<P>[K]>
  }
}

/** Checks a row, and keeps its types. */
function setting<const P extends keyof ServersOf, S extends z.ZodMiniType>(
  row: ShareSetting<P, S>,
): ShareSetting<P, S> {
  return row
}
