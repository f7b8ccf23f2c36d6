import {
  faultsOf,
  GatewayShareInput,
  parseShareClient,
  settingDefaults,
  shareChangeSchema,
  splitList,
} from '@roost/api-types/rest'
import type { GatewayShareChange, ShareProtocol } from '@roost/api-types/rest'
import type { ShareRecord } from '../api/queries/shares.js'
import { idIn } from '../api/uri.js'
import type { Faults } from '../form/use-form.js'

/** A share as its form has it: numbers are what was typed, and the settings of both protocols stay while one chooses. */
export interface ShareValues {
  readonly protocol: ShareProtocol
  readonly name: string
  readonly node: string
  readonly objectstore_container: string
  readonly enabled: boolean
  readonly access_mode: string
  readonly clients_allowed_list: string
  readonly upload_delay: string
  readonly cache_size_mb: string
  readonly write_retain: boolean
  readonly no_apple_doubles: boolean
  readonly root_squash: boolean
  readonly secure: boolean
  readonly cifs_browseable: boolean
  readonly cifs_guest_ok: boolean
  readonly cifs_create_mask: string
  readonly cifs_directory_mask: string
  readonly cifs_valid_users: string
  readonly cifs_valid_groups: string
  readonly password: string
}

type Protocols = 'every' | ShareProtocol
/** The settings of a share by their names in the API; those of a single share, such as its container, are not among them. */
export type SettingName = { [P in Protocols]: keyof ReturnType<typeof settingDefaults<P>> }[Protocols]

/** A new share is enabled: it reaches clients with its deployment, not before. */
export function newShareValues(node: string): ShareValues {
  return {
    protocol: 'nfs',
    name: '',
    node,
    objectstore_container: '',
    enabled: true,
    ...settingTexts({ ...settingDefaults('every'), ...settingDefaults('nfs'), ...settingDefaults('cifs') }),
    password: '',
  }
}

export function valuesOf(share: ShareRecord): ShareValues {
  const { protocol, name, node, objectstore_container, enabled } = share
  const base = newShareValues(String(idIn(node)))
  return { ...base, ...settingTexts(share), protocol, name, objectstore_container, enabled, node: base.node }
}

/** Returns the values of a share like this one: it needs a name of its own, and the API shows no password. */
export function copyOf(share: ShareRecord): ShareValues {
  return { ...valuesOf(share), name: '' }
}

/** Makes texts of the numbers. */
function settingTexts<S extends { readonly upload_delay: number; readonly cache_size_mb: number | null }>(settings: S) {
  const { upload_delay: delay, cache_size_mb: cache } = settings
  return { ...settings, upload_delay: String(delay), cache_size_mb: cache === null ? '' : String(cache) }
}

/** Returns what the server is sent: the settings of the protocol, and a password where one was typed. */
function fieldsOf(values: ShareValues): Readonly<Record<string, unknown>> {
  const { protocol, node, upload_delay: delay, cache_size_mb: cache } = values
  return {
    protocol,
    name: values.name.trim(),
    node: node === '' ? undefined : Number(node),
    objectstore_container: values.objectstore_container,
    enabled: values.enabled,
    access_mode: values.access_mode,
    clients_allowed_list: values.clients_allowed_list.trim(),
    upload_delay: delay.trim() === '' ? Number.NaN : Number(delay),
    cache_size_mb: cache.trim() === '' ? null : Number(cache),
    write_retain: values.write_retain,
    no_apple_doubles: values.no_apple_doubles,
    ...(protocol === 'nfs' ? nfsFields(values) : cifsFields(values)),
  }
}

function nfsFields({ root_squash, secure }: ShareValues) {
  return { root_squash, secure }
}

function cifsFields(values: ShareValues) {
  return {
    cifs_browseable: values.cifs_browseable,
    cifs_guest_ok: values.cifs_guest_ok,
    cifs_create_mask: values.cifs_create_mask.trim(),
    cifs_directory_mask: values.cifs_directory_mask.trim(),
    cifs_valid_users: values.cifs_valid_users.trim(),
    cifs_valid_groups: values.cifs_valid_groups.trim(),
    ...(values.password === '' ? {} : { password: values.password }),
  }
}

export function inputOf(values: ShareValues): GatewayShareInput {
  return fieldsOf(values) as GatewayShareInput
}

/** Returns the fields that differ from the share as it is. */
export function changeOf(values: ShareValues, present: ShareValues): Readonly<Record<string, unknown>> {
  const before = fieldsOf(present)
  return Object.fromEntries(Object.entries(fieldsOf(values)).filter(([name, value]) => before[name] !== value))
}

export function checkNew(values: ShareValues): Faults {
  return faultsOf(GatewayShareInput, fieldsOf(values))
}

export function checkChange(values: ShareValues): Faults {
  const fields = fieldsOf(values)
  return faultsOf(shareChangeSchema(values.protocol, fields), fields)
}

/** Returns the settings that shares of these protocols have in common. */
export function settingsOf(protocols: ReadonlySet<ShareProtocol>): readonly SettingName[] {
  const [protocol] = protocols
  const own = protocols.size === 1 && protocol !== undefined ? settingDefaults(protocol) : {}
  return Object.keys({ ...settingDefaults('every'), ...own }) as SettingName[]
}

/** Returns a change of one setting. */
export function settingChange(values: ShareValues, name: SettingName | 'node'): GatewayShareChange {
  return { [name]: fieldsOf(values)[name] }
}

export function checkSetting(values: ShareValues, name: SettingName | 'node'): Faults {
  const change = settingChange(values, name)
  return faultsOf(shareChangeSchema(values.protocol, change), change)
}

/** Returns how many addresses a list of clients allows; undefined if it has names, whose number is not known. */
export function addressesIn(list: string): number | undefined {
  let sum = 0
  for (const entry of splitList(list)) {
    const client = parseShareClient(entry)
    if (client?.kind === 'address') sum += 1
    else if (client?.kind === 'subnet') sum += 2 ** (32 - client.prefix)
    else return undefined
  }
  return sum
}
