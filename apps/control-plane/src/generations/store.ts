import type { DeploymentKind } from '@roost/api-types/agent'
import type { Database } from '../database/database.js'
import { deploymentKinds } from '../deployments/kinds.js'

export interface StoredGeneration {
  readonly generation: number
  readonly createdAt: Date
  /** Null for one that resolved drift, and after the job was removed. */
  readonly jobId: number | null
  readonly returnTo: number | null
  /** How drift was resolved by it. */
  readonly resolution: 'adopt' | 'reapply' | null
  readonly operator: string | null
}

export interface GenerationState {
  readonly desired: number
  readonly inForce: number
}

export interface GenerationStore {
  /** Those of a node, the newest first. */
  list(nodeId: number, kind: DeploymentKind): Promise<readonly StoredGeneration[]>
  /** Undefined before the first. */
  findState(nodeId: number, kind: DeploymentKind): Promise<GenerationState | undefined>
  /** Sealed. Undefined for one that is not stored. */
  findPayload(nodeId: number, kind: DeploymentKind, generation: number): Promise<Uint8Array | undefined>
}

export function createGenerationStore({ prisma }: Pick<Database, 'prisma'>): GenerationStore {
  return {
    list(nodeId, kind) {
      const { resource } = deploymentKinds[kind]
      return prisma.$queryRaw<StoredGeneration[]>`
        select g.generation, g.created_at as "createdAt", j.id as "jobId", j.return_to as "returnTo",
               d.action as resolution, coalesce(c.operator, d.operator) as operator
          from generations g
          left join lateral (
            select j.id, j.return_to from job_targets t join jobs j on j.id = t.job_id
             where t.node_id = g.node_id and t.generation = g.generation and j.kind = g.kind
             order by j.id desc limit 1) j on true
          left join lateral (
            select operator from audit_events
             where resource = ${resource} and resource_id = j.id and action = 'create' limit 1) c on true
          left join lateral (
            select action, operator from audit_events
             where j.id is null and resource = 'nodes' and resource_id = g.node_id and action in ('adopt', 'reapply')
               and changes -> (g.kind || '.generation') ->> 1 = g.generation::text
             order by id desc limit 1) d on true
         where g.node_id = ${nodeId} and g.kind = ${kind}
         order by g.generation desc`
    },
    async findState(nodeId, kind) {
      const select = { desired: true, inForce: true } as const
      return (await prisma.nodeDeployment.findUnique({ select, where: { nodeId_kind: { nodeId, kind } } })) ?? undefined
    },
    async findPayload(nodeId, kind, generation) {
      const where = { nodeId_kind_generation: { nodeId, kind, generation } }
      return (await prisma.generation.findUnique({ select: { payload: true }, where }))?.payload
    },
  }
}
