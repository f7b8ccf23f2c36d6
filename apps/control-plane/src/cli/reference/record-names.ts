import type { NamesOf } from '@roost/command-line'
import type { Config } from '../../config.js'
import { listAll, withApi } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { readContexts } from '../client/contexts.js'

const kinds: Readonly<Record<string, (rpc: Rpc) => Promise<readonly string[]>>> = {
  cluster: async (rpc) => (await listAll((range) => rpc.clusters.list.query(range))).map(({ name }) => name),
  node: async (rpc) => (await listAll((range) => rpc.nodes.list.query(range))).map(({ hostname }) => hostname),
  share: async (rpc) => (await listAll((range) => rpc.gatewayShares.list.query(range))).map(({ name }) => name),
  user: async (rpc) => (await listAll((range) => rpc.users.list.query(range))).map(({ user }) => user),
  policy: async (rpc) => (await listAll((range) => rpc.storagePolicies.list.query(range))).map(({ name }) => name),
}

/** Returns the names that the control plane has; none if it does not answer. */
export function recordNames(config: () => Config): NamesOf {
  return async (kind) => {
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
