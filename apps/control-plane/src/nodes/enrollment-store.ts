import { createHash } from 'node:crypto'
import type { AuditAction } from '@roost/api-types/rest'
import type { Hardware } from '@roost/api-types/agent'
import { insertAuditEvent } from '../database/audit-event.js'
import type { Database } from '../database/database.js'
import { lockInserts } from '../database/insert-order.js'

/** A token that has not expired; it may be used up. */
export interface OpenToken {
  readonly id: number
  readonly clusterId: number
  readonly cluster: string
  readonly usesLeft: number
  /** Roles that it grants. */
  readonly roles: string[]
}

export interface NewIdentity {
  readonly publicKey: Uint8Array<ArrayBuffer>
  readonly hostname: string
  readonly machineId: string
  readonly bootId: string
  readonly agentVersion: string
  readonly hardware: Hardware
  readonly address: string
}

export interface NodeIdentity {
  readonly id: number
  readonly uuid: string
  readonly clusterId: number
}

export interface SimilarNode extends NodeIdentity {
  readonly hostname: string
  readonly lastSeen: Date | null
  readonly hardware: Hardware
}

/** What can be done under the lock of one token. */
export interface EnrollmentWork {
  findByKey(publicKey: Uint8Array<ArrayBuffer>): Promise<NodeIdentity | undefined>
  /** Nodes of the cluster that share at least one part with this hardware. */
  listSimilar(clusterId: number, hardware: Hardware): Promise<readonly SimilarNode[]>
  /** Uses the token up by one, as `replaceIdentity` does. */
  insertNode(identity: NewIdentity, token: OpenToken): Promise<NodeIdentity>
  /** Gives a node another key; the old one is revoked. */
  replaceIdentity(node: SimilarNode, identity: NewIdentity, token: OpenToken): Promise<NodeIdentity>
}

export interface EnrollmentStore {
  deleteExpired(now: Date): Promise<void>
  /** All or nothing, one at a time for each token. */
  withToken<T>(
    digest: Uint8Array<ArrayBuffer>,
    work: (token: OpenToken | undefined, verbs: EnrollmentWork) => Promise<T>,
  ): Promise<T>
}

export function createEnrollmentStore({ prisma }: Pick<Database, 'prisma'>): EnrollmentStore {
  return {
    async deleteExpired(now) {
      await prisma.enrollmentToken.deleteMany({ where: { expiresAt: { lte: now } } })
    },
    withToken: (digest, work) =>
      prisma.$transaction(async (tx) => {
        const [token] = await tx.$queryRaw<OpenToken[]>`
          select t.id, t.cluster_id as "clusterId", c.name as cluster, t.uses_left as "usesLeft", t.roles
          from enrolment_tokens t join clusters c on c.id = t.cluster_id
          where t.digest = ${digest} for update of t`
        return work(token, workOf(tx))
      }),
  }
}

type Transaction = Parameters<Parameters<Database['prisma']['$transaction']>[0]>[0]

const shown = { id: true, uuid: true, clusterId: true } as const

function workOf(tx: Transaction): EnrollmentWork {
  return {
    async findByKey(publicKey) {
      return (await tx.node.findUnique({ where: { publicKey }, select: shown })) ?? undefined
    },
    listSimilar: (clusterId, hardware) => tx.$queryRaw<SimilarNode[]>`
      select id, uuid::text, cluster_id as "clusterId", hostname, last_seen as "lastSeen", hardware from nodes
      where cluster_id = ${clusterId} and hardware ? 'macs' and (
        lower(hardware->>'system_uuid') = lower(${hardware.system_uuid}::text)
        or hardware->'disk_serials' ?| ${hardware.disk_serials}::text[]
        or hardware->'macs' ?| ${hardware.macs}::text[]
        or hardware->'filesystem_uuids' ?| ${hardware.filesystem_uuids}::text[])`,
    async insertNode(identity, token) {
      const { address, ...data } = identity
      await lockInserts(tx, 'nodes')
      await lockInserts(tx, 'node_roles')
      const node = await tx.node.create({
        data: {
          ...data,
          clusterId: token.clusterId,
          otherIps: [],
          operatorFields: [],
          rolesGranted: token.roles,
          role: { create: {} },
        },
        select: shown,
      })
      await useUp(tx, token)
      await audit(tx, token, address, 'enrol', node.id, {
        hostname: [null, identity.hostname],
        cluster: [null, token.cluster],
        roles_granted: [null, token.roles],
      })
      return node
    },
    replaceIdentity: (known, identity, token) => replaceIdentity(tx, known, identity, token),
  }
}

async function replaceIdentity(
  tx: Transaction,
  known: SimilarNode,
  identity: NewIdentity,
  token: OpenToken,
): Promise<NodeIdentity> {
  const { address, ...data } = identity
  const before = await tx.node.findUniqueOrThrow({ where: { id: known.id } })
  await tx.revokedNode.upsert({
    where: { publicKey: before.publicKey },
    create: { publicKey: before.publicKey, nodeUuid: before.uuid, hostname: before.hostname },
    update: { nodeUuid: before.uuid, revokedAt: new Date() },
  })
  // Whatever the new agent sends is new, though its numbers begin at the start.
  // A token for a storage node must not get the passwords of a gateway by naming its hardware.
  const fresh = { state: 'pending', inventorySequence: 0, rolesGranted: token.roles }
  const node = await tx.node.update({ where: { id: known.id }, data: { ...data, ...fresh }, select: shown })
  await useUp(tx, token)
  await audit(tx, token, address, 'take_place', node.id, {
    hostname: [before.hostname, identity.hostname],
    machine_id: [before.machineId, identity.machineId],
    roles_granted: [before.rolesGranted, token.roles],
    public_key_sha256: [fingerprint(before.publicKey), fingerprint(identity.publicKey)],
  })
  return node
}

async function useUp(tx: Transaction, token: OpenToken): Promise<void> {
  await tx.enrollmentToken.update({ where: { id: token.id }, data: { usesLeft: { decrement: 1 } } })
}

/** A token acts in the name of the operator who made it; the audit record of the token has the name. */
async function audit(
  tx: Transaction,
  token: OpenToken,
  address: string,
  action: AuditAction,
  nodeId: number,
  changes: Record<string, [string | readonly string[] | null, string | readonly string[]]>,
): Promise<void> {
  const operator = `enrolment token ${token.id}`
  const resource = { resource: 'nodes', resourceId: nodeId }
  await insertAuditEvent(tx, { operator, keyId: null, address, requestId: '', action, ...resource, changes })
}

function fingerprint(publicKey: Uint8Array): string {
  return createHash('sha256').update(publicKey).digest('hex')
}
