import { idOfUri, RoostError, shareNameKey, shareNamesIgnoreCase } from '@roost/api-types/rest'
import type { GatewayShareChange, GatewayShareSettings } from '@roost/api-types/rest'
import type { Transaction } from '../database/transaction.js'
import { unknownRelation } from '../services/errors.js'
import { fieldError } from '../services/field-errors.js'
import type { StoredShare } from './row-store.js'
import type { GatewayNode, ShareLocation, ShareStore } from './store.js'

/** Returns the location of a new share. Throws when the node is no gateway, or has a share of that name. */
export async function locateNew(
  store: ShareStore,
  tx: Transaction,
  nodeId: number,
  settings: GatewayShareSettings,
): Promise<ShareLocation> {
  await store.lock(tx)
  const free = await findGateway(store, tx, nodeId, settings)
  assertGateway(free)
  assertNameFree(free, settings)
  return locationOn(store, tx, nodeId, free)
}

/** Returns the new location of a changed share; undefined when it does not move. Throws as above, and when `cluster` is not the node's. */
export async function locateChanged(
  store: ShareStore,
  tx: Transaction,
  before: StoredShare,
  { node, cluster }: GatewayShareChange,
  settings: GatewayShareSettings,
): Promise<ShareLocation | undefined> {
  const present = nodeIdOf(before)
  const nodeId = node ?? present
  const moved = nodeId !== present
  const named = moved || keyOf(settings) !== keyOf(before)
  if (!named && cluster === undefined) return undefined
  if (named) await store.lock(tx)
  const free = await findGateway(store, tx, nodeId, settings)
  if (moved) assertGateway(free)
  if (named) assertNameFree(free, settings)
  if (cluster !== undefined) assertCluster(free, cluster)
  return moved ? locationOn(store, tx, nodeId, free) : undefined
}

function nodeIdOf({ node }: StoredShare): number {
  return idOfUri('nodes', node) ?? 0
}

async function findGateway(store: ShareStore, tx: Transaction, nodeId: number, settings: GatewayShareSettings) {
  const free = await store.findGateway(tx, nodeId, settings)
  if (free === undefined) throw unknownRelation('nodes', nodeId)
  return free
}

async function locationOn(
  store: ShareStore,
  tx: Transaction,
  nodeId: number,
  { clusterId }: GatewayNode,
): Promise<ShareLocation> {
  const exportNumber = await store.nextExportNumber(tx, nodeId)
  if (exportNumber !== undefined) return { nodeId, clusterId, exportNumber }
  throw new RoostError('conflict', 'All export IDs of this node are in use. Use another gateway.')
}

function assertGateway({ runsGateway }: GatewayNode): void {
  if (!runsGateway) throw fieldError({ node: ['This node is not a gateway: set runs_gateway in its node_role first.'] })
}

function assertCluster({ clusterId }: GatewayNode, cluster: number): void {
  if (cluster !== clusterId) throw fieldError({ cluster: ["This is not the cluster of the share's node."] })
}

/** Two shares of a node may not have the same. */
function keyOf({ protocol, name }: GatewayShareSettings): string {
  return `${protocol} ${shareNameKey(protocol, name)}`
}

function assertNameFree({ nameUsed }: GatewayNode, { protocol }: GatewayShareSettings): void {
  const hint = shareNamesIgnoreCase(protocol) ? '; names are not case-sensitive' : ''
  if (nameUsed)
    throw fieldError({ name: [`The node already has a share of protocol ${protocol} with this name${hint}.`] })
}
