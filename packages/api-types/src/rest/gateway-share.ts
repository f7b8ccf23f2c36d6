import { z } from 'zod'
import { throughCluster, throughNode } from './dialect/rules.js'
import type { ResourceRules } from './dialect/rules.js'
import {
  AccountList,
  CacheSize,
  ClientsAllowedList,
  ContainerName,
  FileMask,
  ShareName,
  SharePassword,
  UploadDelay,
} from './share-fields.js'
import { relationTo, relationUri, ResourceUri } from './dialect/uri.js'

export const ShareProtocol = z.enum(['nfs', 'cifs'])
export type ShareProtocol = z.infer<typeof ShareProtocol>
const AccessMode = z.enum(['rw', 'ro'])

export const NfsOptions = z.object({
  root_squash: z.boolean(),
  secure: z.boolean().meta({ description: 'Serves only clients that send from a port below 1024' }),
})
export type NfsOptions = z.infer<typeof NfsOptions>

export const CifsOptions = z.object({
  cifs_browseable: z.boolean(),
  cifs_create_mask: FileMask,
  cifs_directory_mask: FileMask,
  cifs_guest_ok: z.boolean(),
  cifs_valid_users: AccountList,
  cifs_valid_groups: AccountList,
})
export type CifsOptions = z.infer<typeof CifsOptions>

/** The settings that one protocol has and the others have not. */
export type ShareOptions = NfsOptions | CifsOptions

const nfsDefaults: NfsOptions = { root_squash: false, secure: false }
const cifsDefaults: CifsOptions = {
  cifs_browseable: true,
  cifs_create_mask: '0664',
  cifs_directory_mask: '0775',
  cifs_guest_ok: true,
  cifs_valid_users: '',
  cifs_valid_groups: '',
}

const CommonSettings = z.object({
  name: z.string(),
  access_mode: AccessMode,
  enabled: z.boolean(),
  objectstore_container: z.string(),
  upload_delay: z
    .int()
    .meta({ description: 'Seconds before a written file goes to the store; on the gateway less than 5 counts as 5' }),
  write_retain: z.boolean().meta({ description: "Keeps a written file in the gateway's cache" }),
  no_apple_doubles: z.boolean().meta({ description: "Keeps the files ._* of Apple's clients away" }),
  clients_allowed_list: z.string().meta({ description: 'Empty: every client' }),
  cache_size_mb: z.int().nullable().meta({
    description: "Megabytes of the gateway's disk for cached files; null: an equal part for each share of the node",
  }),
})
const NfsSettings = CommonSettings.extend({ protocol: z.literal('nfs'), ...NfsOptions.shape })
const CifsSettings = CommonSettings.extend({ protocol: z.literal('cifs'), ...CifsOptions.shape })

/** What a share is, wherever it is. Leaves out whatever belongs to another protocol. */
export const GatewayShareSettings = z.discriminatedUnion('protocol', [NfsSettings, CifsSettings])
export type GatewayShareSettings = z.infer<typeof GatewayShareSettings>

const exampleSettings = {
  name: 'projects',
  access_mode: 'rw',
  enabled: true,
  objectstore_container: 'projects',
  upload_delay: 0,
  write_retain: true,
  no_apple_doubles: true,
  clients_allowed_list: '10.0.0.0/8, @engineering',
  cache_size_mb: null,
}
const exampleNfs = {
  id: 3,
  resource_uri: '/api/v1/gateway_shares/3/',
  node: '/api/v1/nodes/7/',
  ...exampleSettings,
  protocol: 'nfs',
  root_squash: true,
  secure: false,
}
const exampleCifs = {
  id: 4,
  resource_uri: '/api/v1/gateway_shares/4/',
  node: '/api/v1/nodes/7/',
  ...exampleSettings,
  protocol: 'cifs',
  ...cifsDefaults,
  cifs_guest_ok: false,
}

const Identity = z.object({ id: z.int(), resource_uri: ResourceUri, node: relationUri('nodes') })
const NfsShare = Identity.extend(NfsSettings.shape).meta({ id: 'NfsShare', examples: [exampleNfs] })
const CifsShare = Identity.extend(CifsSettings.shape).meta({ id: 'CifsShare', examples: [exampleCifs] })

/** A share as lists and details show it: never with its password. */
export const GatewayShare = z
  .discriminatedUnion('protocol', [NfsShare, CifsShare])
  .meta({ id: 'GatewayShare', examples: [exampleNfs, exampleCifs] })
export type GatewayShare = z.infer<typeof GatewayShare>

const password = z.string().nullable().optional()

/** The answer to a write: the password stands in it only if that very request set it. */
export const WrittenGatewayShare = z
  .discriminatedUnion('protocol', [NfsShare.extend({}), CifsShare.extend({ password })])
  .meta({ id: 'WrittenGatewayShare', examples: [exampleNfs, { ...exampleCifs, password: 'correct-horse' }] })
export type WrittenGatewayShare = z.infer<typeof WrittenGatewayShare>

const SettingsInput = z.object({
  name: ShareName,
  node: relationTo('nodes'),
  objectstore_container: ContainerName,
  access_mode: AccessMode.default('rw'),
  enabled: z.boolean().default(false),
  upload_delay: UploadDelay.default(0),
  write_retain: z.boolean().default(true),
  no_apple_doubles: z.boolean().default(true),
  clients_allowed_list: ClientsAllowedList.default(''),
  cache_size_mb: CacheSize.default(null),
})

const NfsInput = z.object({
  protocol: z.literal('nfs').optional().default('nfs'),
  ...withDefaults(NfsOptions.shape, nfsDefaults),
})
const CifsInput = z.object({
  protocol: z.literal('cifs'),
  ...withDefaults(CifsOptions.shape, cifsDefaults),
  password: SharePassword.optional(),
})

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
    access_mode: AccessMode,
    enabled: z.boolean(),
    upload_delay: UploadDelay,
    write_retain: z.boolean(),
    no_apple_doubles: z.boolean(),
    clients_allowed_list: ClientsAllowedList,
    cache_size_mb: CacheSize,
  })
  .partial()

const NfsChange = SettingsChange.extend(NfsOptions.partial().shape)
/** `password: null` takes the share's own login away. */
const CifsChange = SettingsChange.extend({
  ...CifsOptions.partial().shape,
  password: SharePassword.nullable().optional(),
})
const AnyChange = NfsChange.extend(CifsChange.shape)

/** What a change may hold, whichever protocol the share has. */
export type GatewayShareChange = z.infer<typeof AnyChange>

/**
 * A change as a transport takes it: not checked yet, since the settings that count are those of the share's protocol,
 * which only the service knows. `shareChangeSchema` tells what checks it.
 */
export const GatewayShareChange = z.looseObject({}).meta({
  properties: z.toJSONSchema(AnyChange, { io: 'input' }).properties,
  examples: [{ clients_allowed_list: '10.0.0.0/8' }],
}) as unknown as z.ZodType<GatewayShareChange, z.input<typeof AnyChange>>

/** THE LIST of protocols. */
const protocols = {
  nfs: { options: NfsOptions, defaults: nfsDefaults, change: NfsChange, namesIgnoreCase: false },
  cifs: { options: CifsOptions, defaults: cifsDefaults, change: CifsChange, namesIgnoreCase: true },
} as const satisfies Record<ShareProtocol, unknown>

export const gatewayShareRules = {
  filters: {
    id: 'integer',
    ...throughNode,
    ...throughCluster,
    protocol: 'text',
    name: 'text',
    enabled: 'boolean',
  },
  ordering: ['id', 'name', 'node', 'protocol', 'access_mode', 'enabled', 'objectstore_container', 'upload_delay'],
  // In the answers of writes alone; a new one moves the record's revision.
  observed: ['password'],
} as const satisfies ResourceRules

/**
 * What checks a change of a share whose protocol is `present`: the schema of the protocol that the change brings, or of
 * the present one. It leaves out the settings of any other protocol.
 */
export function shareChangeSchema(present: ShareProtocol, change: object): z.ZodType<GatewayShareChange> {
  const brought = ShareProtocol.safeParse('protocol' in change ? change.protocol : undefined)
  return protocols[brought.data ?? present].change
}

/** The protocol's settings where a client says nothing. */
export function shareDefaults(protocol: ShareProtocol): ShareOptions {
  return protocols[protocol].defaults
}

/** The settings of the protocol among other fields; throws when one is missing or wrong. */
export function pickShareOptions(protocol: ShareProtocol, fields: unknown): ShareOptions {
  return protocols[protocol].options.parse(fields)
}

/** Whether the protocol's server takes names that differ in case alone for one. */
export function shareNamesIgnoreCase(protocol: ShareProtocol): boolean {
  return protocols[protocol].namesIgnoreCase
}

/** The name as the protocol's server tells names apart. */
export function shareNameKey(protocol: ShareProtocol, name: string): string {
  return shareNamesIgnoreCase(protocol) ? name.toLowerCase() : name
}

function withDefaults<S extends z.ZodRawShape>(shape: S, defaults: { readonly [K in keyof S]: z.output<S[K]> }) {
  const entries = Object.entries(shape).map(([key, schema]) => [
    key,
    (schema as z.ZodType).default(() => defaults[key as keyof S]),
  ])
  return Object.fromEntries(entries) as { [K in keyof S]: z.ZodDefault<S[K]> }
}
