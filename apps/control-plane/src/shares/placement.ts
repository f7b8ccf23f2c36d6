import { idOfRelation, idOfUri, RoostError, shareNameKey } from '@roost/api-types/rest'
import type { GatewayShareChange, GatewayShareSettings, RelationInput } from '@roost/api-types/rest'
import type { Transaction } from '../audit/store.js'
import { unknownRelation } from '../errors.js'
import { fieldError } from '../field-errors.js'
import type { Place, ShareStore, StoredShare } from './store.js'

/** Where a new share goes. Throws when the node is no gateway, or has a share of that name. */
export async function placeNew(
  store: ShareStore,
  tx: Transaction,
  node: RelationInput,
  settings: GatewayShareSettings,
): Promise<Place> {
  await store.lock(tx)
  const gateway = await gatewayOf(store, tx, nodeIdOf(node))
  await assertNameFree(store, tx, gateway.nodeId, settings)
  return placeAt(store, tx, gateway)
}

/** Where a change puts a share; undefined when it stays. Throws as above, and when `cluster` is not the node's. */
export async function placeChanged(
  store: ShareStore,
  tx: Transaction,
  before: StoredShare,
  change: GatewayShareChange,
  settings: GatewayShareSettings,
): Promise<Place | undefined> {
  const present = idOfUri('nodes', before.node) ?? 0
  const nodeId = change.node === undefined ? present : nodeIdOf(change.node)
  const moved = nodeId !== present
  if (moved || keyOf(settings) !== keyOf(before)) {
    await store.lock(tx)
    await assertNameFree(store, tx, nodeId, settings)
  }
  const gateway = moved ? await gatewayOf(store, tx, nodeId) : undefined
  if (change.cluster !== undefined) await assertClusterOf(store, tx, nodeId, change.cluster)
  return gateway === undefined ? undefined : placeAt(store, tx, gateway)
}

async function assertClusterOf(store: ShareStore, tx: Transaction, nodeId: number, cluster: RelationInput) {
  const node = await store.findGateway(tx, nodeId)
  if (idOfRelation('clusters', cluster) !== node?.clusterId)
    throw fieldError({ cluster: ["This is not the cluster of the share's node."] })
}

type Gateway = Omit<Place, 'exportNumber'>

function nodeIdOf(node: RelationInput): number {
  const nodeId = idOfRelation('nodes', node)
  if (nodeId === undefined) throw fieldError({ node: ['This is no resource URI of a node.'] })
  return nodeId
}

async function gatewayOf(store: ShareStore, tx: Transaction, nodeId: number): Promise<Gateway> {
  const node = await store.findGateway(tx, nodeId)
  if (node === undefined) throw unknownRelation('nodes', nodeId)
  if (!node.runsGateway) throw fieldError({ node: ['This node is no gateway: its role runs_gateway is not set.'] })
  return { nodeId, clusterId: node.clusterId }
}

async function placeAt(store: ShareStore, tx: Transaction, gateway: Gateway): Promise<Place> {
  const exportNumber = await store.takeExportNumber(tx, gateway.nodeId)
  if (exportNumber !== undefined) return { ...gateway, exportNumber }
  throw new RoostError('conflict', 'This node has given away all its export numbers. Put the share on another gateway.')
}

/** Two shares of a node may not have the same. */
function keyOf({ protocol, name }: GatewayShareSettings): string {
  return `${protocol} ${shareNameKey(protocol, name)}`
}

async function assertNameFree(
  store: ShareStore,
  tx: Transaction,
  nodeId: number,
  { protocol, name }: GatewayShareSettings,
): Promise<void> {
  if (!(await store.isNameTaken(tx, { nodeId, protocol, name }))) return
  const hint = protocol === 'cifs' ? '; names are compared without case' : ''
  throw fieldError({ name: [`The node has a share of protocol ${protocol} under this name already${hint}.`] })
}
