import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@roost/api-types'
import type { Reachable } from '../support/http/control-plane.js'

const deadlineMs = 60_000

/** Makes users and shares as an operator does, and a plan to deploy the shares; returns the id of the plan. */
export async function addRecords(
  { url, ca, key }: Reachable,
  clusterId: number,
  idOf: (hostname: string) => number,
): Promise<string> {
  const { rpc, close } = createClient({ url, ca, apiKey: key })
  try {
    const auth_url = 'https://swift.example:8080/auth/v1.0'
    await rpc.clusters.setStorage.mutate({
      id: clusterId,
      auth_url,
      user: 'shares:gateway',
      key: 'a-key-of-no-cluster',
    })
    for (const user of ['amy', 'backup', 'render'])
      await rpc.users.create.mutate({ user, cluster: clusterId, password: 'correct-horse-battery-staple' })
    const share = { node: idOf('gw-01'), protocol: 'nfs', clients_allowed_list: '10.20.0.0/16' } as const
    await rpc.gatewayShares.create.mutate({ ...share, name: 'docs', objectstore_container: 'documents' })
    await rpc.gatewayShares.create.mutate({ ...share, name: 'reports', objectstore_container: 'reports' })
    const scans = { node: idOf('gw-01'), protocol: 'cifs', name: 'scans', objectstore_container: 'scans' } as const
    await rpc.gatewayShares.create.mutate(scans)
    const { id } = await rpc.gatewayDeployments.create.mutate({ cluster: clusterId, dry_run: true })
    for (const end = Date.now() + deadlineMs; Date.now() < end; await sleep(100))
      if ((await rpc.gatewayDeployments.get.query({ id })).finished !== null) return id
    throw new Error('The plan was not made in time.')
  } finally {
    await close()
  }
}
