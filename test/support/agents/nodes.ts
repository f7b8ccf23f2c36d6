import type { Database } from '@roost/database'
import { newIdentity } from './simulated-identity.js'
import type { NewIdentity } from './simulated-identity.js'

export interface EnrolledNode extends NewIdentity {
  readonly id: number
}

/** Nodes as an enrollment leaves them, many at once; the cluster must exist. */
export async function insertNodes(
  { prisma }: Pick<Database, 'prisma'>,
  clusterId: number,
  count: number,
): Promise<readonly EnrolledNode[]> {
  const identities = Array.from({ length: count }, () => newIdentity())
  const rows = await prisma.node.createManyAndReturn({
    data: identities.map(({ uuid, publicKey }, index) => ({
      uuid,
      clusterId,
      publicKey,
      hostname: `node-${index}`,
      machineId: `machine-${uuid}`,
      bootId: `boot-${uuid}`,
      otherIps: [],
      operatorFields: [],
    })),
    select: { id: true, uuid: true },
  })
  await prisma.nodeRole.createMany({ data: rows.map(({ id }) => ({ nodeId: id })) })
  const ids = new Map(rows.map(({ id, uuid }) => [uuid, id]))
  return identities.map((identity) => ({ ...identity, id: ids.get(identity.uuid) as number }))
}
