import { RoostError } from '@roost/api-types/rest'
import type { Caller } from '@roost/api-types/rpc'
import type { Server } from '../server.js'

/** Who acts on the control plane's own machine; has no key. */
const local: Omit<Caller, 'requestId'> = {
  operatorId: 0,
  operator: 'local',
  role: 'admin',
  keyId: null,
  address: 'local',
}

const clusterName = 'default'

/** The flags with which this machine's own agent enrols: into the cluster `default`, under a token for one node. */
export async function enrolmentOf({ context, localUrl }: Server): Promise<readonly string[]> {
  const { services, surroundings } = context
  const filters = [{ field: 'name', op: 'exact', values: [clusterName] }] as const
  const { objects } = await services.clusters.list({ filters, order: [], limit: 1, offset: 0 })
  const [cluster] = objects
  if (!cluster)
    throw new RoostError('not_found', `There is no cluster '${clusterName}' for this machine: enrol its agent by hand.`)
  const caller: Caller = { ...local, requestId: 'local serve' }
  const { token } = await services.tokens.create({ cluster: cluster.id, ttl_seconds: 300 }, caller)
  const pin = surroundings.caSha256()
  return ['--server', localUrl, '--token', token, ...(pin === null ? [] : ['--ca-sha256', pin])]
}
