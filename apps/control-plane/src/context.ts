import { join } from 'node:path'
import type { NodeService, Services } from '@roost/api-types/rpc'
import { AgentStream } from './agents/stream.js'
import { createIdempotencyStore } from './audit/idempotency-store.js'
import { createWrites } from './audit/service.js'
import type { Writes } from './audit/service.js'
import { createAuditEventStore } from './audit/event-store.js'
import { createAuditStore } from './audit/store.js'
import { createBodyMac } from './body-mac.js'
import type { CapacityFeature } from './capacity/feature.js'
import { createClusterService } from './clusters/service.js'
import { createClusterStore } from './clusters/store.js'
import { buildDeployments } from './context/deployments.js'
import { buildFigures, buildPrometheus } from './context/figures.js'
import type { Figures } from './context/figures.js'
import { buildFleet, nodeSessions, streamHandlers } from './context/fleet.js'
import { buildUtilization } from './context/utilization.js'
import type { UtilizationFeature } from './context/utilization.js'
import { connectDatabase } from './db.js'
import type { Database } from './db.js'
import { createDeviceStore } from './devices/store.js'
import type { Idempotency } from './http/idempotency.js'
import type { MetricFeature } from './metrics/feature.js'
import type { EnrolmentService } from './nodes/enrolment.js'
import { createNodeRoleStore } from './nodes/role-store.js'
import { createNodeService } from './nodes/service.js'
import type { NodeSessions } from './nodes/service.js'
import { createNodeStateStore } from './nodes/state-store.js'
import { createNodeStates } from './nodes/states.js'
import { createNodeStore } from './nodes/store.js'
import type { Authentication } from './operators/authentication.js'
import { createOperators } from './operators/feature.js'
import { createStoragePolicyStore } from './policies/store.js'
import type { PrometheusFigures } from './prometheus/routes.js'
import { createReads } from './reads.js'
import { createSecrets, loadSecretKeys } from './secrets.js'
import type { Secrets } from './secrets.js'
import { createShareService } from './shares/service.js'
import { createShareStore } from './shares/store.js'
import type { Surroundings } from './surroundings.js'
import { createTrustStore } from './tls/trust-store.js'
import type { TrustStore } from './tls/trust-store.js'
import { createUserService } from './users/service.js'
import { createUserStore } from './users/store.js'

/** Everything that runs, built once. Each feature is a field of it. */
export interface Context {
  readonly surroundings: Surroundings
  readonly database: Database
  readonly trust: TrustStore
  readonly authentication: Authentication
  /** What REST and tRPC are the faces of. */
  readonly services: Services
  readonly idempotency: Idempotency
  /** The agents' side: to be attached to the HTTP server, and closed before it. */
  readonly stream: AgentStream
  readonly enrolments: EnrolmentService
  readonly metrics: MetricFeature
  readonly capacity: CapacityFeature
  readonly utilization: UtilizationFeature
  readonly prometheus: PrometheusFigures
  /** Closes everything in reverse order. */
  dispose(): Promise<void>
}

/** The only place that builds things and passes them on as arguments. */
export async function buildContext(surroundings: Surroundings): Promise<Context> {
  const database = connectDatabase(surroundings.connection)
  const { log, now } = surroundings
  const { ledger, writes } = buildWrites(database, now)
  const { authentication, access } = createOperators({ database, writes, log, now })
  const { secrets, bodyMac } = await openSecrets(surroundings)
  const clusters = createClusterService({ store: createClusterStore(database), writes })
  const figures = await buildFigures(database, surroundings, (id) => clusters.get(id))
  const { metrics, capacity, jobs } = figures
  const utilization = buildUtilization(database, surroundings, (id) => clusters.get(id))
  const deployments = buildDeployments(database, surroundings, {
    writes,
    secrets,
    mac: bodyMac,
    stream: () => stream,
    getNode: (id) => nodes.get(id),
  })
  const handlers = streamHandlers(database, surroundings, { ...figures, deployments, utilization })
  const { stream, enrolments, tokens, sweep } = await buildFleet(database, surroundings, handlers, writes)
  const nodes = buildNodes(database, writes, nodeSessions(stream, figures))
  return {
    surroundings,
    database,
    stream,
    enrolments,
    metrics,
    capacity,
    utilization,
    prometheus: buildPrometheus(database, stream, figures),
    trust: createTrustStore(database),
    authentication,
    idempotency: { ledger, bodyMac },
    services: {
      clusters,
      nodes,
      ...buildReads(database),
      ...buildRecords(database, writes, secrets),
      ...deployments.services,
      ...measured(figures, utilization),
      tokens,
      ...access,
    },
    async dispose() {
      await stream.close()
      for (const job of [deployments, sweep, utilization, ...jobs]) await job.stop()
      await capacity.writer.flush()
      await database.close()
    },
  }
}

/** How everything is written that operators write. */
function buildWrites(database: Database, now: () => number) {
  const ledger = createIdempotencyStore(database, now)
  return { ledger, writes: createWrites({ store: createAuditStore(database), idempotency: ledger }) }
}

/** What the nodes' figures come to. */
function measured({ capacity, metrics }: Figures, utilization: UtilizationFeature) {
  return { capacity: capacity.service, metrics: metrics.reads, utilization: utilization.service }
}

/** What the key file is for. */
async function openSecrets({ config }: Surroundings) {
  const keys = await loadSecretKeys(join(config.dataDir, 'secrets.key'))
  return { secrets: createSecrets(keys), bodyMac: createBodyMac(keys) }
}

/** What no operator writes. */
function buildReads(database: Database) {
  return {
    nodeStates: createNodeStates(createNodeStateStore(database)),
    auditEvents: createReads(createAuditEventStore(database)),
    nodeRoles: createReads(createNodeRoleStore(database)),
    devices: createReads(createDeviceStore(database)),
    storagePolicies: createReads(createStoragePolicyStore(database)),
  }
}

/** What operators alone write. */
function buildRecords(database: Database, writes: Writes, secrets: Secrets) {
  return {
    users: createUserService({ store: createUserStore(database), writes, secrets }),
    gatewayShares: createShareService({ store: createShareStore(database), writes, secrets }),
  }
}

function buildNodes(database: Database, writes: Writes, sessions: NodeSessions): NodeService {
  return createNodeService({ store: createNodeStore(database), writes, sessions })
}
