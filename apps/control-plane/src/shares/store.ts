import { gatewayShareRules, shareNameKey, ShareProtocol, throughCluster, throughNode } from '@roost/api-types/rest'
import type { GatewayShareSettings } from '@roost/api-types/rest'
import type { ListQuery } from '@roost/api-types/rpc'
import { Prisma } from '@roost/database'
import type { Transaction } from '../database/transaction.js'
import { queryRows } from '../database/database.js'
import type { Database } from '../database/database.js'
import { found } from '../services/errors.js'
import { lockInserts } from '../database/insert-order.js'
import { byCluster, byId, byNode, conditions, isWithin, ordering } from '../database/listing.js'
import type { FilterTable, OrderTable } from '../database/listing.js'
import type { ReadStore } from '../services/reads.js'
import { columns, columnsOf, omit, recordOf } from './row-store.js'
import type { Row, StoredShare } from './row-store.js'

export interface ShareLocation {
  readonly nodeId: number
  readonly clusterId: number
  /** The ID of the export on the servers of the node. */
  readonly exportNumber: number
}

/** What a share needs to know of the node that will serve it. */
export interface GatewayNode {
  readonly clusterId: number
  readonly runsGateway: boolean
  /** Another share of the node and the protocol has the name. */
  readonly nameUsed: boolean
}

export interface ShareStore extends ReadStore<StoredShare> {
  /** Keeps others from changing the row until the transaction ends. */
  findForUpdate(tx: Transaction, id: number): Promise<StoredShare | undefined>
  /** Keeps others from inserting and renaming shares until the transaction ends. */
  lock(tx: Transaction): Promise<void>
  /** Undefined when there is no such node. */
  findGateway(
    tx: Transaction,
    nodeId: number,
    share: Pick<GatewayShareSettings, 'protocol' | 'name'>,
  ): Promise<GatewayNode | undefined>
  /** The number after the last one that the node's shares were given; undefined when none is left. */
  nextExportNumber(tx: Transaction, nodeId: number): Promise<number | undefined>
  insert(
    tx: Transaction,
    settings: GatewayShareSettings,
    location: ShareLocation,
    control: ControlFields,
    /** The next one of its sequence unless given. */
    id?: number,
  ): Promise<StoredShare>
  /** Returns the id that the next share will get, without using it up. */
  nextId(tx: Transaction): Promise<number>
  /** Undefined leaves the location unchanged. */
  update(
    tx: Transaction,
    id: number,
    settings: GatewayShareSettings,
    location: ShareLocation | undefined,
    control: ControlFields,
  ): Promise<StoredShare>
  delete(tx: Transaction, id: number): Promise<void>
}

/** What no gateway setting contains. Undefined leaves a field unchanged; in a new share it is null. */
export interface ControlFields {
  readonly password?: Uint8Array<ArrayBuffer> | null | undefined
  readonly set?: string | null | undefined
}

// `Export_Id` of an NFS server has 16 bits, and 0 is its root.
const maxExportNumber = 65_535

const filters: FilterTable<typeof gatewayShareRules, Prisma.GatewayShareWhereInput> = {
  ...byId,
  ...byNode,
  ...byCluster,
  protocol: (protocols) => ({ protocol: { in: protocols } }),
  name: (names) => ({ name: { in: names } }),
  enabled: (flags) => ({ OR: flags.map((enabled) => ({ enabled })) }),
  set: (names) => ({ setName: { in: names } }),
}

/** A share without a set has none of the sets that are named. */
const negations = { unset: { set: { setName: null } }, known: { protocol: ShareProtocol.options } }

/** The filters under which the total is known without counting. */
const counted = {
  ...gatewayShareRules,
  filters: { ...throughNode, ...throughCluster, protocol: 'text', enabled: 'boolean' },
} as const
const countFilters: FilterTable<typeof counted, Prisma.ShareCountWhereInput> = {
  ...byNode,
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

const insert: ShareStore['insert'] = async (tx, settings, { nodeId, clusterId, exportNumber }, control, id) => {
  const share = columnsOf(settings)
  const next = Prisma.sql`nextval('gateway_shares_id_seq')`
  const [row] = await tx.$queryRaw<Row[]>`
    insert into gateway_shares (id, node_id, cluster_id, export_number, name, name_key, protocol, container, access_mode, enabled,
      upload_delay, write_retain, no_apple_doubles, clients_allowed_list, cache_size_mb, options, password, set_name)
    values (${id === undefined ? next : Prisma.sql`${id}`}, ${nodeId}, ${clusterId}, ${exportNumber}, ${share.name}, ${share.nameKey}, ${share.protocol}, ${share.container},
      ${share.accessMode}, ${share.enabled}, ${share.uploadDelay}, ${share.writeRetain}, ${share.noAppleDoubles},
      ${share.clientsAllowedList}, ${share.cacheSizeMb}, ${JSON.stringify(share.options)}::jsonb,
      ${control.password ?? null}, ${control.set ?? null})
    returning ${columns}`
  return recordOf(found(row))
}

const update: ShareStore['update'] = async (tx, id, settings, location, { password, set }) => {
  const share = columnsOf(settings)
  const moved =
    location === undefined
      ? Prisma.empty
      : Prisma.sql`, node_id = ${location.nodeId}, cluster_id = ${location.clusterId}, export_number = ${location.exportNumber}`
  const secret = password === undefined ? Prisma.empty : Prisma.sql`, password = ${password}`
  const owner = set === undefined ? Prisma.empty : Prisma.sql`, set_name = ${set}`
  const [row] = await tx.$queryRaw<Row[]>`
    update gateway_shares set revision = revision + 1, name = ${share.name}, name_key = ${share.nameKey},
      protocol = ${share.protocol}, container = ${share.container}, access_mode = ${share.accessMode},
      enabled = ${share.enabled}, upload_delay = ${share.uploadDelay}, write_retain = ${share.writeRetain},
      no_apple_doubles = ${share.noAppleDoubles}, clients_allowed_list = ${share.clientsAllowedList},
      cache_size_mb = ${share.cacheSizeMb}, options = ${JSON.stringify(share.options)}::jsonb ${moved} ${secret} ${owner}
     where id = ${id} returning ${columns}`
  return recordOf(found(row))
}

export function createShareStore(database: Database): ShareStore {
  const { prisma } = database
  return {
    async list(query) {
      const where = { AND: conditions(gatewayShareRules, filters, query.filters, negations) }
      const orderBy = ordering(gatewayShareRules, orders, query.order)
      const [rows, total] = await Promise.all([
        prisma.gatewayShare.findMany({ omit, where, orderBy, skip: query.offset, take: query.limit }),
        isWithin(counted, query.filters) ? countedTotal(prisma, query.filters) : prisma.gatewayShare.count({ where }),
      ])
      return { objects: rows.map(recordOf), total }
    },
    async find(id) {
      const [row] = await queryRows<Row>(database, `select ${columns.sql} from gateway_shares where id = $1`, [id])
      return row === undefined ? undefined : recordOf(row)
    },
    async findMany(ids) {
      return (await prisma.gatewayShare.findMany({ omit, where: { id: { in: [...ids] } } })).map(recordOf)
    },
    async findForUpdate(tx, id) {
      const [row] = await tx.$queryRaw<Row[]>`select ${columns} from gateway_shares where id = ${id} for update`
      return row === undefined ? undefined : recordOf(row)
    },
    lock: (tx) => lockInserts(tx, 'gateway_shares'),
    findGateway,
    nextExportNumber,
    async nextId(tx) {
      const [row] = await tx.$queryRaw<{ readonly next: number }[]>`
        select (last_value + is_called::int)::int as next from gateway_shares_id_seq`
      return found(row).next
    },
    insert,
    update,
    async delete(tx, id) {
      await tx.gatewayShare.delete({ where: { id } })
    },
  }
}

async function findGateway(
  tx: Transaction,
  nodeId: number,
  { protocol, name }: Pick<GatewayShareSettings, 'protocol' | 'name'>,
): Promise<GatewayNode | undefined> {
  const [node] = await tx.$queryRaw<GatewayNode[]>`
    select n.cluster_id as "clusterId", coalesce(r.runs_gateway, false) as "runsGateway",
           exists (select from gateway_shares where node_id = n.id and protocol = ${protocol}
                      and name_key = ${shareNameKey(protocol, name)}) as "nameUsed"
      from nodes n left join node_roles r on r.node_id = n.id
     where n.id = ${nodeId} for key share of n`
  return node
}

async function nextExportNumber(tx: Transaction, nodeId: number): Promise<number | undefined> {
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
