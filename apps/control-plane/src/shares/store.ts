import {
  gatewayShareRules,
  pickShareOptions,
  resourceUri,
  shareNameKey,
  throughCluster,
  throughNode,
} from '@roost/api-types/rest'
import type { GatewayShare, GatewayShareSettings, ShareProtocol } from '@roost/api-types/rest'
import type { ListQuery } from '@roost/api-types/rpc'
import type { Prisma } from '@roost/database'
import type { Transaction } from '../audit/store.js'
import type { Database } from '../db.js'
import { lockInserts } from '../insert-order-store.js'
import { conditions, isWithin, ordering } from '../listing.js'
import type { FilterTable, OrderTable } from '../listing.js'
import type { ReadStore } from '../reads.js'

/** `revision` rises with each change, also with one that the record does not show. */
export type StoredShare = GatewayShare & { readonly revision: number }

export interface Place {
  readonly nodeId: number
  readonly clusterId: number
  /** By which the node's servers know the export. */
  readonly exportNumber: number
}

/** A node as a share finds it that would go there. */
export interface FreePlace {
  readonly clusterId: number
  readonly runsGateway: boolean
  /** Another share of the node and the protocol has the name. */
  readonly nameTaken: boolean
}

export interface ShareStore extends ReadStore<StoredShare> {
  /** Keeps others from changing the row until the transaction ends. */
  findForUpdate(tx: Transaction, id: number): Promise<StoredShare | undefined>
  /** Keeps others from inserting and renaming shares until the transaction ends. */
  lock(tx: Transaction): Promise<void>
  /** Undefined when there is no such node. */
  findPlace(
    tx: Transaction,
    nodeId: number,
    share: Pick<GatewayShareSettings, 'protocol' | 'name'>,
  ): Promise<FreePlace | undefined>
  /** The number after the last one that the node's shares were given; undefined when none is left. */
  takeExportNumber(tx: Transaction, nodeId: number): Promise<number | undefined>
  /** `password` is sealed. */
  insert(tx: Transaction, settings: GatewayShareSettings, place: Place, password: Sealed | null): Promise<StoredShare>
  /** Undefined leaves the place, or the password, as it is. */
  update(
    tx: Transaction,
    id: number,
    settings: GatewayShareSettings,
    place: Place | undefined,
    password: Sealed | null | undefined,
  ): Promise<StoredShare>
  delete(tx: Transaction, id: number): Promise<void>
}

type Sealed = Uint8Array<ArrayBuffer>

// `Export_Id` of an NFS server has 16 bits, and 0 is its root.
const maxExportNumber = 65_535

// Never the password: what is not read cannot leak.
const omit = { password: true } as const
type Row = Prisma.GatewayShareGetPayload<{ omit: typeof omit }>

const filters: FilterTable<typeof gatewayShareRules, Prisma.GatewayShareWhereInput> = {
  id: (ids) => ({ id: { in: ids } }),
  node: (ids) => ({ nodeId: { in: ids } }),
  node__id: (ids) => ({ nodeId: { in: ids } }),
  node__hostname: (names) => ({ node: { hostname: { in: names } } }),
  cluster: (ids) => ({ clusterId: { in: ids } }),
  cluster__id: (ids) => ({ clusterId: { in: ids } }),
  cluster__name: (names) => ({ cluster: { name: { in: names } } }),
  cluster__uuid: (uuids) => ({ cluster: { uuid: { in: uuids } } }),
  protocol: (protocols) => ({ protocol: { in: protocols } }),
  name: (names) => ({ name: { in: names } }),
  enabled: (flags) => ({ OR: flags.map((enabled) => ({ enabled })) }),
}

/** The filters under which the total is known without counting. */
const counted = {
  ...gatewayShareRules,
  filters: { ...throughNode, ...throughCluster, protocol: 'text', enabled: 'boolean' },
} as const
const countFilters: FilterTable<typeof counted, Prisma.ShareCountWhereInput> = {
  node: (ids) => ({ nodeId: { in: ids } }),
  node__id: (ids) => ({ nodeId: { in: ids } }),
  node__hostname: (names) => ({ node: { hostname: { in: names } } }),
  cluster: (ids) => ({ node: { clusterId: { in: ids } } }),
  cluster__id: (ids) => ({ node: { clusterId: { in: ids } } }),
  cluster__name: (names) => ({ node: { cluster: { name: { in: names } } } }),
  cluster__uuid: (uuids) => ({ node: { cluster: { uuid: { in: uuids } } } }),
  protocol: (protocols) => ({ protocol: { in: protocols } }),
  enabled: (flags) => ({ OR: flags.map((enabled) => ({ enabled })) }),
}

const orders: OrderTable<typeof gatewayShareRules, Prisma.GatewayShareOrderByWithRelationInput> = {
  id: (id) => ({ id }),
  name: (name) => ({ name }),
  node: (nodeId) => ({ nodeId }),
  protocol: (protocol) => ({ protocol }),
  access_mode: (accessMode) => ({ accessMode }),
  enabled: (enabled) => ({ enabled }),
  objectstore_container: (container) => ({ container }),
  upload_delay: (uploadDelay) => ({ uploadDelay }),
}

export function createShareStore({ prisma }: Database): ShareStore {
  return {
    async list(query) {
      const where = { AND: conditions(gatewayShareRules, filters, query.filters) }
      const orderBy = ordering(gatewayShareRules, orders, query.order)
      const [rows, total] = await Promise.all([
        prisma.gatewayShare.findMany({ omit, where, orderBy, skip: query.offset, take: query.limit }),
        isWithin(counted, query.filters) ? countedTotal(prisma, query.filters) : prisma.gatewayShare.count({ where }),
      ])
      return { objects: rows.map(recordOf), total }
    },
    async find(id) {
      const row = await prisma.gatewayShare.findUnique({ omit, where: { id } })
      return row === null ? undefined : recordOf(row)
    },
    async findMany(ids) {
      return (await prisma.gatewayShare.findMany({ omit, where: { id: { in: [...ids] } } })).map(recordOf)
    },
    async findForUpdate(tx, id) {
      await tx.$queryRaw`select id from gateway_shares where id = ${id} for update`
      const row = await tx.gatewayShare.findUnique({ omit, where: { id } })
      return row === null ? undefined : recordOf(row)
    },
    lock: (tx) => lockInserts(tx, 'gateway_shares'),
    findPlace,
    takeExportNumber,
    insert: async (tx, settings, place, password) =>
      recordOf(await tx.gatewayShare.create({ omit, data: { ...columnsOf(settings), ...place, password } })),
    async update(tx, id, settings, place, password) {
      const data = { ...columnsOf(settings), ...place, revision: { increment: 1 } }
      const secret = password === undefined ? {} : { password }
      return recordOf(await tx.gatewayShare.update({ omit, where: { id }, data: { ...data, ...secret } }))
    },
    async delete(tx, id) {
      await tx.gatewayShare.delete({ where: { id } })
    },
  }
}

async function findPlace(
  tx: Transaction,
  nodeId: number,
  { protocol, name }: Pick<GatewayShareSettings, 'protocol' | 'name'>,
): Promise<FreePlace | undefined> {
  const [place] = await tx.$queryRaw<FreePlace[]>`
    select n.cluster_id as "clusterId", coalesce(r.runs_gateway, false) as "runsGateway",
           exists (select from gateway_shares where node_id = n.id and protocol = ${protocol}
                      and name_key = ${shareNameKey(protocol, name)}) as "nameTaken"
      from nodes n left join node_roles r on r.node_id = n.id
     where n.id = ${nodeId} for key share of n`
  return place
}

async function takeExportNumber(tx: Transaction, nodeId: number): Promise<number | undefined> {
  const [counter] = await tx.$queryRaw<{ readonly last: number }[]>`
    insert into export_counters as c (node_id, last) values (${nodeId}, 1)
    on conflict (node_id) do update set last = c.last + 1 where c.last < ${maxExportNumber}
    returning last`
  return counter?.last
}

async function countedTotal(prisma: Database['prisma'], filters: ListQuery['filters']): Promise<number> {
  const where = { AND: conditions(counted, countFilters, filters) }
  const { _sum: sum } = await prisma.shareCount.aggregate({ _sum: { shares: true }, where })
  return sum.shares ?? 0
}

function columnsOf({ name, protocol, objectstore_container: container, ...settings }: GatewayShareSettings) {
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
    options: { ...pickShareOptions(protocol, settings) },
  }
}

function recordOf(row: Row): StoredShare {
  const protocol = row.protocol as ShareProtocol
  return {
    id: row.id,
    resource_uri: resourceUri('gateway_shares', row.id),
    node: resourceUri('nodes', row.nodeId),
    name: row.name,
    protocol,
    access_mode: row.accessMode,
    enabled: row.enabled,
    objectstore_container: row.container,
    upload_delay: row.uploadDelay,
    write_retain: row.writeRetain,
    no_apple_doubles: row.noAppleDoubles,
    clients_allowed_list: row.clientsAllowedList,
    ...pickShareOptions(protocol, row.options),
    revision: row.revision,
  } as StoredShare
}
