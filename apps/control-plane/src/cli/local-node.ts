import { GrantableRole, RoostError } from '@roost/api-types/rest'
import { localCaller } from '../operators/local-caller.js'
import type { RunningServer } from '../context/running-server.js'

const clusterName = 'default'

/** Returns the flags with which the agent of this machine enrolls, into the cluster `default`. */
export async function enrollmentFlags({ context, localUrl }: RunningServer): Promise<readonly string[]> {
  const { services, options } = context
  const filters = [{ field: 'name', values: [clusterName] }]
  const { objects } = await services.clusters.list({ filters, order: [], limit: 1, offset: 0 })
  const [cluster] = objects
  if (!cluster)
    throw new RoostError(
      'not_found',
      `There is no cluster '${clusterName}' for this machine. Enroll its agent by hand.`,
    )
  const caller = localCaller('local serve')
  // This machine has the passwords of the control plane already.
  const roles = GrantableRole.options
  const { token } = await services.tokens.create({ cluster: cluster.id, ttl_seconds: 300, roles }, caller)
  const pin = options.caSha256()
  return ['--server', localUrl, '--token', token, ...(pin === null ? [] : ['--ca-sha256', pin])]
}
