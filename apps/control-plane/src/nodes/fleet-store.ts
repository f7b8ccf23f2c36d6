import type { FleetAudit, FleetEvent, Identities, PresenceRow, PresenceStore } from '../agents/fleet.js'
import { insertAuditEvent, type NewAuditEvent } from '../database/audit-event.js'
import type { Database } from '../database/database.js'

/** What the agents' stream remembers: who a node is, and whether it is there. */
export type FleetStore = Identities & PresenceStore & FleetAudit

export function createFleetStore({ prisma }: Pick<Database, 'prisma'>): FleetStore {
  return {
    async find(uuid) {
      const row = await prisma.node.findUnique({
        where: { uuid },
        select: { id: true, hostname: true, publicKey: true, machineId: true, bootId: true },
      })
      return row === null ? undefined : { nodeId: row.id, uuid, ...row }
    },
    async revokedKeys(nodeUuid) {
      const rows = await prisma.revokedNode.findMany({ where: { nodeUuid }, select: { publicKey: true } })
      return rows.map((row) => row.publicKey)
    },
    async listPresent() {
      const rows = await prisma.node.findMany({
        where: { state: { in: ['online', 'stale', 'duplicate'] } },
        select: { id: true, state: true },
      })
      return rows.map(({ id, state }) => ({ nodeId: id, state: state as PresenceRow['state'] }))
    },
    async updatePresence(rows) {
      const written = await prisma.$queryRaw<{ id: number }[]>`
        with reported as (
          select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as t("nodeId" int, state text,
            "lastSeen" timestamptz, "agentVersion" text, "machineId" text, "bootId" text)
        ), free as (
          select nodes.id from nodes join reported on reported."nodeId" = nodes.id for no key update of nodes skip locked
        )
        update nodes set state = reported.state,
          last_seen = coalesce(reported."lastSeen", last_seen),
          agent_version = coalesce(reported."agentVersion", agent_version),
          machine_id = coalesce(reported."machineId", machine_id),
          boot_id = coalesce(reported."bootId", boot_id)
        from reported join free on free.id = reported."nodeId"
        where nodes.id = reported."nodeId"
        returning nodes.id`
      return new Set(written.map((row) => row.id))
    },
    record: (event) => insertAuditEvent(prisma, auditRow(event)),
  }
}

/** There is no request: the agent itself is the actor. */
function auditRow({ action, nodeId, actor, address, details }: FleetEvent): NewAuditEvent {
  return {
    operator: actor,
    keyId: null,
    address,
    requestId: '',
    action,
    resource: 'nodes',
    resourceId: nodeId,
    changes: Object.fromEntries(Object.entries(details).map(([name, value]) => [name, [null, value]])),
  }
}
