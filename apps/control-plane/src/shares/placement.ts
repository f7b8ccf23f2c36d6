import { idOfUri, RoostError, shareNameKey, shareNamesIgnoreCase } from '@roost/api-types/rest'
import type { GatewayShareChange, GatewayShareSettings } from '@roost/api-types/rest'
import type { Transaction } from '../database/transaction.js'
import { unknownRelation } from '../services/errors.js'
import { fieldError } from '../services/field-errors.js'
import type { FreePlace, Place, ShareStore, StoredShare } from './store.js'

/** Where a new share goes. Throws when the node is no gateway, or has a share of that name. */
export async function placeNew(
  store: ShareStore,
  tx: Transaction,
  nodeId: number,
  settings: GatewayShareSettings,
): Promise<Place> {
  await store.lock(tx)
  const free = await findPlace(store, tx, nodeId, settings)
  assertGateway(free)
  assertNameFree(free, settings)
  return placeAt(store, tx, nodeId, free)
}

/** Where a change puts a share; undefined when it stays. Throws as above, and when `cluster` is not the node's. */
export async function placeChanged(
  store: ShareStore,
  tx: Transaction,
  before: StoredShare,
  { node, cluster }: GatewayShareChange,
  settings: GatewayShareSettings,
): Promise<Place | undefined> {
  const present = nodeIdOf(before)
  const nodeId = node ?? present
  const moved = nodeId !== present
  const named = moved || keyOf(settings) !== keyOf(before)
  if (!named && cluster === undefined) return undefined
  if (named) await store.lock(tx)
  const free = await findPlace(store, tx, nodeId, settings)
  if (moved) assertGateway(free)
  if (named) assertNameFree(free, settings)
  if (cluster !== undefined) assertCluster(free, cluster)
  return moved ? placeAt(store, tx, nodeId, free) : undefined
}

function nodeIdOf({ node }: StoredShare): number {
  return idOfUri('nodes', node) ?? 0
}

async function findPlace(store: ShareStore, tx: Transaction, nodeId: number, settings: GatewayShareSettings) {
  const free = await store.findPlace(tx, nodeId, settings)
  if (free === undefined) throw unknownRelation('nodes', nodeId)
  return free
}

async function placeAt(store: ShareStore, tx: Transaction, nodeId: number, { clusterId }: FreePlace): Promise<Place> {
  const exportNumber = await store.takeExportNumber(tx, nodeId)
  if (exportNumber !== undefined) return { nodeId, clusterId, exportNumber }
  throw new RoostError('conflict', 'This node has given away all its export numbers. Put the share on another gateway.')
}

function assertGateway({ runsGateway }: FreePlace): void {
  if (!runsGateway) throw fieldError({ node: ['This node is not a gateway: set runs_gateway in its node_role first.'] })
}

function assertCluster({ clusterId }: FreePlace, cluster: number): void {
  if (cluster !== clusterId) throw fieldError({ cluster: ["This is not the cluster of the share's node."] })
}

/** Two shares of a node may not have the same. */
function keyOf({ protocol, name }: GatewayShareSettings): string {
  return `${protocol} ${shareNameKey(protocol, name)}`
}

function assertNameFree({ nameTaken }: FreePlace, { protocol }: GatewayShareSettings): void {
  const hint = shareNamesIgnoreCase(protocol) ? '; names are compared without case' : ''
  if (nameTaken)
    throw fieldError({ name: [`The node has a share of protocol ${protocol} under this name already${hint}.`] })
}
