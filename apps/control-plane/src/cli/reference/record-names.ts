import type { NamesOf } from '@roost/command-line'
import type { Config } from '../../config.js'
import { listAll, withApi } from '../client/api.js'
import type { DeviceRecord, Rpc } from '../client/api.js'
import { readContexts } from '../client/contexts.js'
import { topics } from './topics.js'

const kinds: Readonly<Record<string, (rpc: Rpc) => Promise<readonly string[]>>> = {
  cluster: async (rpc) => (await listAll((range) => rpc.clusters.list.query(range))).map(({ name }) => name),
  node: async (rpc) => (await listAll((range) => rpc.nodes.list.query(range))).map(({ hostname }) => hostname),
  share: async (rpc) => (await listAll((range) => rpc.gatewayShares.list.query(range))).map(({ name }) => name),
  user: async (rpc) => (await listAll((range) => rpc.users.list.query(range))).map(({ user }) => user),
  device: async (rpc) => deviceNames(await listAll((range) => rpc.devices.list.query(range))),
  operator: async (rpc) => (await listAll((range) => rpc.operators.list.query(range))).map(({ name }) => name),
  receiver: async (rpc) => (await listAll((range) => rpc.alertReceivers.list.query(range))).map(({ name }) => name),
  policy: async (rpc) => (await listAll((range) => rpc.storagePolicies.list.query(range))).map(({ name }) => name),
}

/** Returns the names that the control plane has; none if it does not answer. */
export function recordNames(config: () => Config): NamesOf {
  return async (kind) => {
    if (kind === 'topic') return Object.keys(topics)
    if (kind === 'context') return Object.keys((await readContexts()).contexts)
    const read = kinds[kind]
    if (read === undefined) return []
    let names: readonly string[] = []
    await withApi(config(), async (rpc) => {
      names = await read(rpc)
    }).catch(() => undefined)
    return names
  }
}

/** A name that several devices have, such as sdb, selects none of them: their UUIDs and ids do. */
function deviceNames(all: readonly DeviceRecord[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { name } of all) counts.set(name, (counts.get(name) ?? 0) + 1)
  return all.map(({ id, name, uuid }) => (counts.get(name) === 1 ? name : (uuid ?? String(id))))
}
