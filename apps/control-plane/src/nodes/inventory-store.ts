import type { Inventory, InventoryProblem } from '@roost/api-types/agent'
import { severityOf } from '@roost/api-types/checks'
import { RoostError } from '@roost/api-types/rest'
import { advisoryLockSpaces } from '@roost/database'
import type { Prisma } from '@roost/database'
import type { Database } from '../database/database.js'
import { storeDevices } from './inventory-devices-store.js'
import { storePolicies } from './inventory-policies-store.js'
import type { NodeRow } from './inventory-devices-store.js'

export interface StoredInventory {
  /** The node, and those from which devices have moved here. */
  readonly nodeIds: readonly number[]
  /** Users are asked of the node again: its desired state must be sent. */
  readonly isAskedAgain: boolean
}

/** Asks a node again for users, whose proxy may accept them. Returns true if a deployment had left it out. */
export type AskAgain = (tx: Prisma.TransactionClient, nodeId: number) => Promise<boolean>

export interface InventoryStore {
  /** All of it or nothing. Undefined when that number, or a later one, is stored already. */
  store(nodeId: number, sequence: number, inventory: Inventory, now: Date): Promise<StoredInventory | undefined>
}

/** Many agents report at once, and those of one cluster take turns. */
const waits = { maxWait: 30_000, timeout: 60_000 }

export function createInventoryStore({ prisma }: Pick<Database, 'prisma'>, askAgain: AskAgain): InventoryStore {
  return {
    store: (nodeId, sequence, inventory, now) =>
      prisma.$transaction(async (tx) => {
        // Deployments lock in this order, too.
        await tx.$executeRaw`select 1 from node_deployments where node_id = ${nodeId} and is_left_out for update`
        const node = await lockNode(tx, nodeId)
        if (node.inventorySequence >= BigInt(sequence)) return undefined
        await updateNode(tx, node, sequence, inventory)
        await updateRole(tx, node, inventory)
        await storePolicies(tx, node, inventory)
        const moved = inventory.devices === null ? [] : await storeDevices(tx, node, inventory.devices, now)
        const isAskedAgain = mayAcceptUsers(inventory) && (await askAgain(tx, nodeId))
        return { nodeIds: [...new Set([nodeId, ...moved])], isAskedAgain }
      }, waits),
  }
}

/** A proxy of which nothing is known may have tempauth. */
function mayAcceptUsers({ proxy_authentication: name = 'tempauth' }: Inventory): boolean {
  return name === 'tempauth'
}

/**
 * The node as it stays until the transaction ends. Its cluster's inventories take turns: two nodes between which a device
 * moves must not decide at the same time.
 */
async function lockNode(tx: Prisma.TransactionClient, id: number): Promise<NodeRow> {
  await tx.$executeRaw`
    select pg_advisory_xact_lock(${advisoryLockSpaces.inventory}::int, cluster_id) from nodes where id = ${id}`
  await tx.$executeRaw`select id from nodes where id = ${id} for update`
  const select = { id: true, clusterId: true, operatorFields: true, inventorySequence: true } as const
  const node = await tx.node.findUnique({ where: { id }, select })
  if (node === null) throw new RoostError('not_found', 'This node was removed.')
  return node
}

/** Lists of nodes carry them. */
const shownProblems = 100
const longestProblem = 1_000

function brief({ code, subject, message, severity, remedy = '', ...measured }: InventoryProblem): InventoryProblem {
  const texts = { subject: cut(subject), message: cut(message), remedy: cut(remedy) }
  return { code: cut(code), severity: severity ?? severityOf(code), ...texts, ...measured }
}

/** Half a character at the end would be none for the database. */
function cut(text: string): string {
  return text.slice(0, longestProblem).replace(/[\ud800-\udbff]$/, '')
}

/** Hardware that is not reported stays known. */
async function updateNode(
  tx: Prisma.TransactionClient,
  { id, operatorFields }: NodeRow,
  sequence: number,
  { hardware, ...inventory }: Inventory,
): Promise<void> {
  const { host, addresses, facing, disks, filesystems } = inventory
  const facingIps = [facing.cluster_ip, facing.outward_ip, facing.replication_ip]
  const others = addresses
    .map(({ address }) => address)
    .filter((address) => !/^127\.|^::1$/.test(address) && !facingIps.includes(address))
  const readings = {
    cluster_facing_ip: { clusterFacingIp: facing.cluster_ip },
    outward_facing_ip: { outwardFacingIp: facing.outward_ip },
    replication_facing_ip: { replicationFacingIp: facing.replication_ip },
    other_ips: { otherIps: [...new Set(others)] },
  }
  await tx.node.update({
    where: { id },
    select: { id: true },
    data: {
      hostname: host.hostname,
      cpuCores: host.cpu_cores,
      memoryBytes: BigInt(host.memory_bytes),
      ...accountRingOf(inventory),
      proxyAuthentication: inventory.proxy_authentication ?? null,
      ...Object.assign({}, ...without(readings, operatorFields)),
      inventory,
      ...(hardware === undefined ? {} : { hardwareReport: hardware }),
      problems: inventory.problems.slice(0, shownProblems).map(brief),
      inventorySequence: BigInt(sequence),
    },
  })
  await keepHardware(tx, id, present(disks.map(({ serial }) => serial)), present(filesystems.map(({ uuid }) => uuid)))
}

/** Agents of 0.1 report only whether accounts or containers are on the node. */
function accountRingOf({ devices, roles, in_account_ring }: Omit<Inventory, 'hardware'>) {
  const inAccountRing = in_account_ring ?? roles.runs_account_container
  return devices === null ? {} : { inAccountRing }
}

/** Disks are replaced: the machine must be recognised by those that it has now. */
async function keepHardware(
  tx: Prisma.TransactionClient,
  id: number,
  serials: readonly string[],
  uuids: readonly string[],
): Promise<void> {
  const parts = {
    ...(serials.length > 0 ? { disk_serials: serials } : {}),
    ...(uuids.length > 0 ? { filesystem_uuids: uuids } : {}),
  }
  await tx.$executeRaw`update nodes set hardware = hardware || ${JSON.stringify(parts)}::jsonb where id = ${id}`
}

/** Without devices nothing tells whether this is a storage node: those flags stay. Where shares are served, servers may be down. */
async function updateRole(
  tx: Prisma.TransactionClient,
  { id, operatorFields }: NodeRow,
  { roles, devices }: Inventory,
): Promise<void> {
  const runsGateway = roles.runs_gateway || (await tx.gatewayShare.count({ where: { nodeId: id } })) > 0
  const readings = {
    runs_gateway: { runsGateway },
    runs_proxy: { runsProxy: roles.runs_proxy },
    ...(devices === null
      ? {}
      : {
          runs_account_container: { runsAccountContainer: roles.runs_account_container },
          runs_object: { runsObject: roles.runs_object },
        }),
  }
  const data: Prisma.NodeRoleUpdateInput = Object.assign({}, ...without(readings, operatorFields))
  await tx.nodeRole.updateMany({ where: { nodeId: id }, data })
}

/** What an operator has set is the operator's. */
function without<T extends object>(readings: Readonly<Record<string, T>>, operatorFields: readonly string[]) {
  return Object.entries(readings).flatMap(([field, columns]) => (operatorFields.includes(field) ? [] : columns))
}

function present(values: readonly (string | null)[]): readonly string[] {
  return [...new Set(values.filter((value) => value !== null))]
}
