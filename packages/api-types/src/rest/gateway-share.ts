import { z } from 'zod'
import { _default, describe } from 'zod/mini'
import { byId, throughCluster, throughNode } from './dialect/rules.js'
import type { ResourceRules } from './dialect/rules.js'
import { settingDefaults, settingShape } from '../values/share-settings.js'
import type { ShareSetting } from '../values/share-settings.js'
import { ContainerName, ShareName, SharePassword } from './share-fields.js'
import { relationTo, relationUri, ResourceUri } from './dialect/uri.js'
import { changedSet, SetName, shownSet } from '../values/record-set.js'

export const ShareProtocol = z.enum(['nfs', 'cifs'])
export type ShareProtocol = z.infer<typeof ShareProtocol>

/** The schema of a setting in answers. */
const shown = ({ value: { type }, text }: ShareSetting) => type.check(describe(text))
/** The schema of a setting in a change. */
const changed = ({ value: { rule }, text }: ShareSetting) => rule.check(describe(text))
/** A setting that was stored before it existed, or that a client leaves out, has its default. */
const stored = (row: ShareSetting) => _default(row.value.type, row.default)
const created = (row: ShareSetting) => _default(changed(row), row.default)

const Export = { name: z.string(), enabled: z.boolean(), objectstore_container: z.string() }
const nfs = { protocol: z.literal('nfs') }
const cifs = { protocol: z.literal('cifs') }
const NfsSettings = z.object({ ...Export, ...settingShape('every', stored), ...nfs, ...settingShape('nfs', stored) })
const CifsSettings = z.object({ ...Export, ...settingShape('every', stored), ...cifs, ...settingShape('cifs', stored) })

/** The settings of a share without its node. Parsing leaves out the settings of other protocols. */
export const GatewayShareSettings = z.discriminatedUnion('protocol', [NfsSettings, CifsSettings])
export type GatewayShareSettings = z.infer<typeof GatewayShareSettings>

const exampleSettings = {
  name: 'projects',
  enabled: true,
  objectstore_container: 'projects',
  ...settingDefaults('every'),
  clients_allowed_list: '10.0.0.0/8, @engineering',
}
const exampleNfs = {
  id: 3,
  resource_uri: '/api/v1/gateway_shares/3/',
  node: '/api/v1/nodes/7/',
  ...exampleSettings,
  protocol: 'nfs',
  ...settingDefaults('nfs'),
  root_squash: true,
}
const exampleCifs = {
  id: 4,
  resource_uri: '/api/v1/gateway_shares/4/',
  node: '/api/v1/nodes/7/',
  ...exampleSettings,
  protocol: 'cifs',
  ...settingDefaults('cifs'),
  cifs_guest_ok: false,
}

const Identity = z.object({
  id: z.int(),
  resource_uri: ResourceUri,
  node: relationUri('nodes'),
  ...Export,
  set: shownSet,
})
const NfsShare = Identity.extend({ ...settingShape('every', shown), ...nfs, ...settingShape('nfs', shown) }).meta({
  id: 'NfsShare',
  examples: [exampleNfs],
})
const CifsShare = Identity.extend({ ...settingShape('every', shown), ...cifs, ...settingShape('cifs', shown) }).meta({
  id: 'CifsShare',
  examples: [exampleCifs],
})

/** A share as lists and details show it: never with its password. */
export const GatewayShare = z
  .discriminatedUnion('protocol', [NfsShare, CifsShare])
  .meta({ id: 'GatewayShare', examples: [exampleNfs, exampleCifs] })
export type GatewayShare = z.infer<typeof GatewayShare>

const password = z.string().nullable().optional()

/** The answer to a write: it has the password only if this request set it. */
export const WrittenGatewayShare = z
  .discriminatedUnion('protocol', [NfsShare.extend({}), CifsShare.extend({ password })])
  .meta({ id: 'WrittenGatewayShare', examples: [exampleNfs, { ...exampleCifs, password: 'correct-horse' }] })
export type WrittenGatewayShare = z.infer<typeof WrittenGatewayShare>

const SettingsInput = z.object({
  name: ShareName,
  node: relationTo('nodes'),
  objectstore_container: ContainerName,
  enabled: z.boolean().default(false),
  set: SetName.optional(),
  ...settingShape('every', created),
})

const NfsInput = z.object({
  protocol: z.literal('nfs').optional().default('nfs'),
  ...settingShape('nfs', created),
})
const CifsInput = z.object({ ...cifs, ...settingShape('cifs', created), password: SharePassword.optional() })

/** An intersection, so that faults of the common fields and of the protocol's are found at once. */
export const GatewayShareInput = z
  .intersection(
    SettingsInput,
    z.discriminatedUnion('protocol', [NfsInput, CifsInput], { error: 'Select nfs or cifs.' }),
  )
  .meta({
    examples: [{ name: 'projects', node: '/api/v1/nodes/7/', objectstore_container: 'projects', enabled: true }],
  })
export type GatewayShareInput = z.infer<typeof GatewayShareInput>

const SettingsChange = z
  .object({
    name: ShareName,
    node: relationTo('nodes'),
    cluster: relationTo('clusters'),
    protocol: ShareProtocol,
    objectstore_container: ContainerName,
    enabled: z.boolean(),
    set: changedSet,
    ...settingShape('every', changed),
  })
  .partial()

const NfsChange = SettingsChange.extend(z.object(settingShape('nfs', changed)).partial().shape)
/** `password: null` removes the share's own login. */
const CifsChange = SettingsChange.extend({
  ...z.object(settingShape('cifs', changed)).partial().shape,
  password: SharePassword.nullable().optional(),
})
const AnyChange = NfsChange.extend(CifsChange.shape)

/** A change of a share of any protocol. */
export type GatewayShareChange = z.infer<typeof AnyChange>

/**
 * A change as a transport accepts it. It is not checked yet, because the settings that count are those of the protocol of
 * the share, which only the service knows. `shareChangeSchema` returns the schema that checks it.
 */
export const GatewayShareChange = z.looseObject({}).meta({
  properties: z.toJSONSchema(AnyChange, { io: 'input' }).properties,
  examples: [{ clients_allowed_list: '10.0.0.0/8' }],
}) as unknown as z.ZodType<GatewayShareChange, z.input<typeof AnyChange>>

/** THE LIST of protocols. */
const protocols = {
  nfs: { change: NfsChange, namesIgnoreCase: false },
  cifs: { change: CifsChange, namesIgnoreCase: true },
} as const satisfies Record<ShareProtocol, unknown>

export const gatewayShareRules = {
  filters: {
    ...byId,
    ...throughNode,
    ...throughCluster,
    protocol: 'text',
    name: 'text',
    enabled: 'boolean',
    set: 'text',
  },
  ordering: ['id', 'name', 'node', 'protocol', 'access_mode', 'enabled', 'objectstore_container', 'upload_delay'],
  // In the answers of writes alone; a new one moves the record's revision.
  observed: ['password'],
} as const satisfies ResourceRules

/**
 * Returns the schema of a change of a share whose protocol is `present`: that of the protocol in the change, or of the
 * present one. It leaves out the settings of any other protocol.
 */
export function shareChangeSchema(present: ShareProtocol, change: object): z.ZodType<GatewayShareChange> {
  const brought = ShareProtocol.safeParse('protocol' in change ? change.protocol : undefined)
  return protocols[brought.data ?? present].change
}

/** Returns whether names that differ only in case are the same to the server of the protocol. */
export function shareNamesIgnoreCase(protocol: ShareProtocol): boolean {
  return protocols[protocol].namesIgnoreCase
}

/** Returns the name as the server of the protocol compares it. */
export function shareNameKey(protocol: ShareProtocol, name: string): string {
  return shareNamesIgnoreCase(protocol) ? name.toLowerCase() : name
}
