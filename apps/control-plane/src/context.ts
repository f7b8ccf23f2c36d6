import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { StreamHandlers } from './agents/handlers.js'
import { defaultStreamOptions } from './agents/options.js'
import { peerAddress } from './agents/peer-address.js'
import { AgentStream } from './agents/stream.js'
import { createBodyMac } from './body-mac.js'
import { isLoopback } from './config.js'
import type { Config } from './config.js'
import { connectDatabase } from './db.js'
import type { Connection, Database } from './db.js'
import type { Log } from './log.js'
import { createTrustStore } from './tls/trust-store.js'
import type { TrustStore } from './tls/trust-store.js'
import type { Idempotency } from './http/idempotency.js'
import { createWrites } from './audit/service.js'
import type { Writes } from './audit/service.js'
import { createIdempotencyStore } from './audit/idempotency-store.js'
import { createAuditStore } from './audit/store.js'
import { createClusterService } from './clusters/service.js'
import { createClusterStore } from './clusters/store.js'
import { createDeviceStore } from './devices/store.js'
import { createEnrolmentService } from './nodes/enrolment.js'
import type { EnrolmentService } from './nodes/enrolment.js'
import { createEnrolmentStore } from './nodes/enrolment-store.js'
import { createFleetStore } from './nodes/fleet-store.js'
import { createInventoryIntake } from './nodes/inventory.js'
import { createInventoryStore } from './nodes/inventory-store.js'
import { createNodeRoleStore } from './nodes/role-store.js'
import { createNodeService } from './nodes/service.js'
import type { NodeSessions } from './nodes/service.js'
import { createNodeStore } from './nodes/store.js'
import { createTokenService } from './nodes/tokens.js'
import { createTokenStore } from './nodes/token-store.js'
import { createStoragePolicyStore } from './policies/store.js'
import { createReads } from './reads.js'
import { createSecrets, loadSecretKeys } from './secrets.js'
import { createShareService } from './shares/service.js'
import { createShareStore } from './shares/store.js'
import { createUserService } from './users/service.js'
import { createUserStore } from './users/store.js'
import { createOperatorService } from './operators/service.js'
import type { OperatorService } from './operators/service.js'
import { createOperatorStore } from './operators/store.js'
import { createCapacity } from './capacity/feature.js'
import type { CapacityFeature } from './capacity/feature.js'
import { createCapacityStore } from './capacity/store.js'
import { every } from './jobs/every.js'
import { createMetrics } from './metrics/feature.js'
import type { MetricFeature } from './metrics/feature.js'
import { createMetricStore } from './metrics/store.js'
import { fleetText } from './prometheus/fleet-figures.js'
import { createOwnFigures } from './prometheus/own-figures.js'
import type { PrometheusFigures } from './prometheus/routes.js'
import { createFigureStore } from './prometheus/store.js'
import { version } from './version.js'
import type { Services } from '@roost/api-types/rpc'
import { systemClock } from './clock.js'

/** What the outside gives to everything below; a test gives its own. */
export interface Surroundings {
  readonly config: Pick<Config, 'listen' | 'behindProxy' | 'dataDir'>
  readonly connection: Connection
  readonly log: Log
  /** Unix milliseconds. */
  readonly now: () => number
  /** How people and nodes reach this control plane, such as `https://roost.example:8443`; known once it listens. */
  readonly publicUrl: () => string
  /** PEM of the certificate authorities that agents are to trust from now on; empty where the system's do. */
  readonly trustedCas: () => readonly string[]
  /** SHA-256 (hex) of the public key of the authority that the server's certificate is from, for new agents to pin; null where the system's vouch. */
  readonly caSha256: () => string | null
}

/** Everything that runs, built once. Each feature is a field of it. */
export interface Context {
  readonly surroundings: Surroundings
  readonly database: Database
  readonly trust: TrustStore
  readonly operators: OperatorService
  /** What REST and tRPC are the faces of. */
  readonly services: Services
  readonly idempotency: Idempotency
  /** The agents' side: to be attached to the HTTP server, and closed before it. */
  readonly stream: AgentStream
  readonly enrolments: EnrolmentService
  readonly metrics: MetricFeature
  readonly capacity: CapacityFeature
  readonly prometheus: PrometheusFigures
  /** Closes everything in reverse order. */
  dispose(): Promise<void>
}

/** The only place that builds things and passes them on as arguments. */
export async function buildContext(surroundings: Surroundings): Promise<Context> {
  const database = connectDatabase(surroundings.connection)
  const { log, now } = surroundings
  const ledger = createIdempotencyStore(database, now)
  const writes = createWrites({ store: createAuditStore(database), idempotency: ledger })
  const keys = await loadSecretKeys(join(surroundings.config.dataDir, 'secrets.key'))
  const secrets = createSecrets(keys)
  const clusters = createClusterService({ store: createClusterStore(database), writes })
  const figures = await buildFigures(database, surroundings, (id) => clusters.get(id))
  const { metrics, capacity, jobs } = figures
  const handlers = streamHandlers(database, surroundings, figures)
  const { stream, enrolments, tokens, sweep } = await buildFleet(database, surroundings, handlers, writes)
  const sessions = nodeSessions(stream, figures)
  return {
    surroundings,
    database,
    stream,
    enrolments,
    metrics,
    capacity,
    prometheus: buildPrometheus(database, stream, figures),
    trust: createTrustStore(database),
    operators: createOperatorService({ store: createOperatorStore(database), log, now }),
    idempotency: { ledger, bodyMac: createBodyMac(keys) },
    services: {
      clusters,
      nodes: createNodeService({ store: createNodeStore(database), writes, sessions }),
      nodeRoles: createReads(createNodeRoleStore(database)),
      devices: createReads(createDeviceStore(database)),
      storagePolicies: createReads(createStoragePolicyStore(database)),
      users: createUserService({ store: createUserStore(database), writes, secrets }),
      gatewayShares: createShareService({ store: createShareStore(database), writes, secrets }),
      capacity: capacity.service,
      metrics: metrics.reads,
      tokens,
    },
    async dispose() {
      await stream.close()
      for (const job of [sweep, ...jobs]) await job.stop()
      await capacity.writer.flush()
      await database.close()
    },
  }
}

/** What the features take from the agents. */
function streamHandlers(
  database: Database,
  { log, now }: Surroundings,
  { metrics, capacity }: Figures,
): StreamHandlers {
  const inventories = createInventoryIntake({
    store: createInventoryStore(database),
    devicesChanged: (nodeId) => capacity.intake.devicesChanged(nodeId),
    log,
    now,
  })
  return {
    inventory: (nodeId, message) => inventories.take(nodeId, message),
    catalogue: (nodeId, message) => metrics.intake.catalogue(nodeId, message),
    frame: (nodeId, bytes) => metrics.intake.frame(nodeId, bytes),
    deviceUsage: async (nodeId, message) => capacity.intake.deviceUsage(nodeId, message),
    log: (nodeId, { level, message }) => log[level]({ nodeId }, `an agent says: ${message}`),
    connected(nodeId) {
      metrics.intake.connected(nodeId)
      log.info({ nodeId }, 'a node is connected')
    },
    disconnected(nodeId) {
      metrics.intake.disconnected(nodeId)
      log.info({ nodeId }, 'a node is disconnected')
    },
  }
}

/** Who may connect, and what comes of it. */
async function buildFleet(database: Database, surroundings: Surroundings, handlers: StreamHandlers, writes: Writes) {
  const { log, now, config, publicUrl, trustedCas, caSha256 } = surroundings
  const clock = { ...systemClock, now }
  const fleet = createFleetStore(database)
  const addressOf = (request: IncomingMessage) => peerAddress(request, config.behindProxy)
  const stream = new AgentStream({
    handlers,
    identities: fleet,
    presence: fleet,
    audit: fleet,
    trustedCas,
    addressOf,
    clock,
    log,
  })
  const enrolments = createEnrolmentService({ store: createEnrolmentStore(database), sessions: stream, clock })
  const tokens = createTokenService({
    store: createTokenStore(database),
    writes,
    clock,
    publicUrl,
    caSha256,
    isLoopbackOnly: () => isLoopback(config.listen.host) && !config.behindProxy,
  })
  await stream.start()
  const sweep = every(10_000, 'remove expired enrolment tokens', () => enrolments.forgetExpired(), log)
  return { stream, enrolments, tokens, sweep }
}

/** A node that loses its place loses its session, and what is held of it. */
function nodeSessions(stream: AgentStream, { metrics, capacity }: Figures): NodeSessions {
  return {
    isConnected: (nodeId) => stream.isConnected(nodeId),
    revoke(nodeId) {
      stream.revoke(nodeId)
      metrics.intake.forget(nodeId)
      capacity.intake.forget(nodeId)
    },
  }
}

function buildPrometheus(database: Database, stream: AgentStream, { metrics, capacity }: Figures): PrometheusFigures {
  const { latest } = metrics
  const own = createOwnFigures({
    version,
    stream: () => stream.figures(),
    intake: () => ({ ...latest.counters, nodes: latest.size, names: latest.names }),
    pool: database.pool,
  })
  const store = createFigureStore(database)
  return { own, fleet: () => fleetText(store, capacity.service) }
}

type Figures = Awaited<ReturnType<typeof buildFigures>>

/** Metrics and capacity, which live in memory, as the database knows them; and the jobs that keep both in step. */
async function buildFigures(
  database: Database,
  { log, now }: Surroundings,
  requireCluster: (id: number) => Promise<unknown>,
) {
  const metrics = createMetrics({
    store: createMetricStore(database),
    requireCluster,
    now,
    reportIntervalMs: defaultStreamOptions.reportIntervalMs,
  })
  const capacity = createCapacity({ store: createCapacityStore(database), requireCluster, log })
  await Promise.all([metrics.intake.refresh(), capacity.intake.load()])
  const noticeNodes = async () => {
    await metrics.intake.refresh()
    await capacity.intake.refresh()
  }
  const jobs = [
    every(30_000, 'notice nodes that came or went', noticeNodes, log),
    every(3_600_000, 'remove metric definitions that no node uses', () => metrics.intake.prune(), log),
    every(1_000, "store devices' figures", () => capacity.writer.flush(), log),
  ]
  return { metrics, capacity, jobs }
}
