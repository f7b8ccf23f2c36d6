import { GatewayShareSettings, resourceUri, shareNameKey } from '@roost/api-types/rest'
import type { GatewayShare, ShareSettingName } from '@roost/api-types/rest'
import { Prisma } from '@roost/database'

/** `revision` rises with each change, also with one that the record does not show. */
export type StoredShare = GatewayShare & { readonly revision: number }

// Never the password: what is not read cannot leak.
export const omit = { password: true } as const
export const columns = Prisma.sql`id, node_id as "nodeId", name, protocol, container, access_mode as "accessMode", enabled,
  upload_delay as "uploadDelay", write_retain as "writeRetain", no_apple_doubles as "noAppleDoubles",
  clients_allowed_list as "clientsAllowedList", cache_size_mb as "cacheSizeMb", options, revision, set_name as "setName"`
export type Row = Pick<
  Prisma.GatewayShareGetPayload<{ omit: typeof omit }>,
  Exclude<keyof ReturnType<typeof columnsOf>, 'nameKey'> | 'id' | 'nodeId' | 'revision' | 'setName'
>

/** The settings that have a column of their own. All others are in `options`. */
const settingColumns = {
  access_mode: 'accessMode',
  upload_delay: 'uploadDelay',
  write_retain: 'writeRetain',
  no_apple_doubles: 'noAppleDoubles',
  clients_allowed_list: 'clientsAllowedList',
  cache_size_mb: 'cacheSizeMb',
} as const satisfies Partial<Record<ShareSettingName, keyof Prisma.GatewayShareGetPayload<object>>>

export function columnsOf({ name, protocol, objectstore_container: container, ...settings }: GatewayShareSettings) {
  const options = Object.entries(settings).filter(([setting]) => setting !== 'enabled' && !(setting in settingColumns))
  return {
    name,
    nameKey: shareNameKey(protocol, name),
    protocol,
    container,
    accessMode: settings.access_mode,
    enabled: settings.enabled,
    uploadDelay: settings.upload_delay,
    writeRetain: settings.write_retain,
    noAppleDoubles: settings.no_apple_doubles,
    clientsAllowedList: settings.clients_allowed_list,
    cacheSizeMb: settings.cache_size_mb,
    options: Object.fromEntries(options),
  }
}

type SettingsRow = Pick<Row, 'name' | 'protocol' | 'container' | 'enabled' | 'options' | ColumnOfSetting>
type ColumnOfSetting = (typeof settingColumns)[keyof typeof settingColumns]

/** Returns the settings of a stored share. One that was stored before a setting existed has its default. */
export function settingsOf(row: SettingsRow): GatewayShareSettings {
  const columns = Object.entries(settingColumns).map(([setting, column]) => [setting, row[column]])
  return GatewayShareSettings.parse({
    name: row.name,
    protocol: row.protocol,
    enabled: row.enabled,
    objectstore_container: row.container,
    ...Object.fromEntries(columns),
    ...Object(row.options),
  })
}

export function recordOf(row: Row): StoredShare {
  const identity = { id: row.id, resource_uri: resourceUri('gateway_shares', row.id) }
  const set = row.setName === null ? {} : { set: row.setName }
  return { ...identity, node: resourceUri('nodes', row.nodeId), ...settingsOf(row), ...set, revision: row.revision }
}
