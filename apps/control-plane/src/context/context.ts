import { join } from 'node:path'
import { systemClock } from '@roost/runtime'
import type { NodeService, Services } from '@roost/api-types/rpc'
import { createAgentRequests } from '../agents/requests.js'
import type { AgentRequests, NodeChannel } from '../agents/requests.js'
import { AgentStream } from '../agents/stream.js'
import { createIdempotencyStore } from '../database/idempotency.js'
import { createWrites } from '../database/writes.js'
import type { Writes } from '../database/writes.js'
import { createAuditEventStore } from '../audit/event-store.js'
import { createAuditStore } from '../database/transaction.js'
import { answerValidated } from '../database/validated.js'
import { createBodyFingerprint } from '../secrets/body-fingerprint.js'
import type { CapacityFeature } from '../capacity/feature.js'
import type { HealthRounds } from '../clusters/health/rounds.js'
import { createClusterService } from '../clusters/service.js'
import { createClusterStorageService } from '../clusters/storage.js'
import { createClusterStorageStore } from '../clusters/storage-store.js'
import { createClusterStore } from '../clusters/store.js'
import { createKnownPasswords } from '../deployments/known-passwords-store.js'
import type { DeliveryFeature } from '../alerts/delivery/feature.js'
import { buildAlerts } from './alerts.js'
import { buildDeployments } from './deployments.js'
import { buildEvents } from './events.js'
import { buildMetrics, buildPrometheus } from './metrics.js'
import { buildOperators } from './operators.js'
import { buildFleet, nodeSessions, streamHandlers } from './fleet.js'
import { buildRetention } from './retention.js'
import { buildSystem } from './system.js'
import { buildUpgrades } from './upgrades.js'
import { buildUtilization } from './utilization.js'
import type { UtilizationFeature } from './utilization.js'
import { closeAll } from '@roost/runtime'
import { connectDatabase } from '../database/database.js'
import type { Database } from '../database/database.js'
import { createDeviceFacets } from '../facets/devices-store.js'
import { createDeviceService } from '../devices/service.js'
import { createDeviceStore } from '../devices/store.js'
import { createIdempotency } from '../http/dialect/idempotency.js'
import type { Idempotency } from '../http/dialect/idempotency.js'
import type { HistoryFeature } from '../history/feature.js'
import type { MetricFeature } from '../metrics/feature.js'
import type { EnrollmentService } from '../nodes/enrollment.js'
import { createNodeFacets } from '../facets/nodes-store.js'
import { createNodeHardwareService } from '../nodes/hardware-report.js'
import { createHardwareReportStore } from '../nodes/hardware-report-store.js'
import { createNodeRoleStore } from '../nodes/role-store.js'
import { createNodeService } from '../nodes/service.js'
import type { NodeDeployments, NodeMaintenance, NodeSessions } from '../nodes/service.js'
import { createNodeStateStore } from '../nodes/states/store.js'
import { createNodeStates } from '../nodes/states/service.js'
import { createNodeStore } from '../nodes/store.js'
import type { Authentication } from '../operators/authentication.js'
import type { FailedLogins } from '../operators/failed-logins.js'
import { packageFolders } from '../packages/files.js'
import { createPackages } from '../packages/list.js'
import type { Packages } from '../packages/list.js'
import { createStoragePolicyStore } from '../policies/store.js'
import type { PrometheusMetrics } from '../prometheus/routes.js'
import { createReads } from '../services/reads.js'
import { sealedSamples } from '../secrets/rotate-keys-store.js'
import { openKeyFile } from '../secrets/key-file.js'
import { createSecrets, faultOf } from '../secrets/secrets.js'
import type { Secrets } from '../secrets/secrets.js'
import { createShareService } from '../shares/service.js'
import { createShareStore } from '../shares/store.js'
import { createShareUploads } from '../shares/uploads.js'
import type { ContextOptions } from './options.js'
import { createTrustStore } from '../tls/trust-store.js'
import type { TrustStore } from '../tls/trust-store.js'
import { createUserService } from '../users/service.js'
import { createUserStore } from '../users/store.js'

/** All parts of the running control plane. Each feature is a field. */
export interface Context {
  readonly options: ContextOptions
  readonly database: Database
  readonly trust: TrustStore
  readonly authentication: Authentication
  readonly failedLogins: FailedLogins
  /** The services behind REST and tRPC. */
  readonly services: Services
  readonly idempotency: Idempotency
  /** The stream of the agents: attached to the HTTP server and closed before it. */
  readonly stream: AgentStream
  readonly enrollments: EnrollmentService
  readonly packages: Packages
  readonly metrics: MetricFeature
  readonly history: HistoryFeature
  readonly capacity: CapacityFeature
  readonly utilization: UtilizationFeature
  readonly healthRounds: HealthRounds
  readonly alertDelivery: DeliveryFeature
  readonly prometheus: PrometheusMetrics
  /** Closes everything in reverse order. */
  dispose(): Promise<void>
}

/** Builds all parts of the control plane and passes them to each other. */
export async function buildContext(options: ContextOptions): Promise<Context> {
  const database = connectDatabase(options.database.connection, options.database)
  try {
    return await buildOn(database, options)
  } catch (error) {
    await database.close()
    throw error
  }
}

async function buildOn(database: Database, options: ContextOptions): Promise<Context> {
  const { ledger, writes } = buildWrites(database, options)
  const { authentication, failedLogins, access } = buildOperators(database, options, writes)
  const { secrets, mac, keyFileFault } = await openSecrets(options, database)
  const clusters = createClusterService({ store: createClusterStore(database), writes })
  const metricFeatures = await buildClusterMetrics(database, options, { clusters, writes, secrets }, () => stream)
  const { capacity, jobs } = metricFeatures
  const utilization = buildUtilization(database, options, (id) => clusters.get(id))
  const periodic = [utilization, buildRetention(database, options), failedLogins]
  const agents = buildRequests(() => stream)
  const getNode: NodeService['get'] = (id) => nodes.get(id)
  const deployments = buildDeployments(database, options, { writes, secrets, mac, ...agents, getNode })
  const packages = createPackages(packageFolders(options.config.dataDir))
  const upgrades = buildUpgrades(database, options, { writes, ...agents, packages })
  const handlers = streamHandlers(database, options, { ...metricFeatures, ...agents, deployments, utilization })
  const { stream, enrollments, tokens, sweep } = await buildFleet(database, options, handlers, writes, packages)
  const nodes = buildNodes(database, writes, {
    sessions: nodeSessions(stream, metricFeatures),
    knownPasswords: createKnownPasswords(secrets),
    sendDesired: (nodeId) => deployments.nodes.sendDesired(nodeId),
    maintenance: { now: options.now, silences: metricFeatures.alerts.silences },
  })
  return {
    options,
    database,
    packages,
    stream,
    enrollments,
    ...metricFeatures.parts,
    utilization,
    prometheus: buildPrometheus(database, stream, metricFeatures, metricFeatures.alerts),
    trust: createTrustStore(database),
    authentication,
    failedLogins,
    idempotency: createIdempotency({ ledger, bodyMac: mac }),
    services: answerValidated({
      clusters,
      nodes,
      ...buildReported(database, writes, capacity),
      ...buildRecords(database, writes, secrets, agents.requests),
      ...deployments.services,
      ...upgrades.services,
      ...measured(metricFeatures, utilization, writes),
      ...buildSystem(database, options, { ...metricFeatures, stream, clusters, keyFileFault }),
      tokens,
      ...access,
    }),
    dispose: () => dispose({ stream, jobs: [deployments, upgrades, sweep, ...periodic, ...jobs], capacity, database }),
  }
}

/** Closes the parts in reverse order. */
function dispose({ stream, jobs, capacity, database }: Pick<Context, 'stream' | 'capacity' | 'database'> & Running) {
  return closeAll([
    () => stream.close(),
    ...jobs.map((job) => () => job.stop()),
    () => capacity.intake.storeAll(),
    () => database.close(),
  ])
}

interface Running {
  readonly jobs: readonly { stop(): Promise<void> }[]
}

/** Builds the transaction with audit event that every write of an operator uses. */
function buildWrites(database: Database, { config, now }: ContextOptions) {
  const ledger = createIdempotencyStore(database, now, config.idempotencyRetentionHours * 3_600_000)
  return { ledger, writes: createWrites({ store: createAuditStore(database), idempotency: ledger }) }
}

/** Builds the requests to agents. They get the stream later, because it needs the features that use them. */
function buildRequests(stream: () => AgentStream) {
  const channel: NodeChannel = {
    isConnected: (nodeId) => stream().isConnected(nodeId),
    mayReconnect: (nodeId) => stream().mayReconnect(nodeId),
    agentOf: (nodeId) => stream().agentOf(nodeId),
    send: (nodeId, message) => stream().send(nodeId, message),
  }
  return { channel, requests: createAgentRequests(channel) }
}

interface MetricNeeds {
  readonly clusters: Pick<Services['clusters'], 'get'>
  readonly writes: Writes
  readonly secrets: Secrets
}

/** Builds the metrics of nodes and clusters, and the alerts that the health of clusters begins. */
async function buildClusterMetrics(
  database: Database,
  options: ContextOptions,
  { clusters, ...needs }: MetricNeeds,
  stream: () => AgentStream,
) {
  const alerts = buildAlerts(database, options, { ...needs, values: () => features.metrics.reads })
  const events = buildEvents(database, options, () => features.metrics.reads)
  const features = await buildMetrics(database, options, {
    requireCluster: (id) => clusters.get(id),
    skewOf: (nodeId) => stream().agentOf(nodeId)?.clock.skew ?? null,
    judged: (found, self) => {
      events.judged(found)
      const clusters = found.map((cluster) => ({ ...cluster, reasons: [...cluster.reasons, ...cluster.tasks] }))
      return alerts.rounds.run([...clusters, self])
    },
  })
  const parts = { ...features.parts, alertDelivery: alerts.delivery }
  return { ...features, alerts, events, parts, jobs: [...features.jobs, ...events.jobs, alerts.delivery] }
}

/** Returns the services that answer from the metrics of nodes. */
function measured(
  { capacity, metrics, history, clusterHealth, alerts, events }: Awaited<ReturnType<typeof buildClusterMetrics>>,
  utilization: UtilizationFeature,
  writes: Writes,
) {
  const ofClusters = { capacity: capacity.service, clusterHealth, events: events.service, ...alerts.services }
  return { ...ofClusters, metrics: metrics.reads, metricHistory: history.service, ...utilization.services(writes) }
}

/** Loads the key file, and logs an error if a secret of the database was altered. Throws StartError if it is another database's. */
async function openSecrets({ config, log }: ContextOptions, database: Database) {
  const path = join(config.dataDir, 'secrets.key')
  const keys = await openKeyFile(path, database)
  const secrets = createSecrets(keys)
  const keyFileFault = async () => faultOf(secrets, await sealedSamples(database))
  const fault = await keyFileFault()
  if (fault !== undefined) log.error({ path, fault }, 'the key file does not decrypt all secrets of this database')
  return { secrets, mac: createBodyFingerprint(keys), keyFileFault }
}

/** Builds the services of what nodes and audit events report. Operators can only remove devices. */
function buildReported(database: Database, writes: Writes, { usageOf, rawOf, intake }: CapacityFeature) {
  const devicesChanged = (nodeId: number) => intake.devicesChanged(nodeId)
  const devices = { store: createDeviceStore(database, usageOf), facets: createDeviceFacets(database) }
  return {
    nodeStates: createNodeStates(createNodeStateStore(database), systemClock),
    auditEvents: createReads(createAuditEventStore(database)),
    nodeHardware: createNodeHardwareService(createHardwareReportStore(database)),
    nodeRoles: createReads(createNodeRoleStore(database)),
    devices: createDeviceService({ ...devices, writes, devicesChanged }),
    storagePolicies: createReads(createStoragePolicyStore(database, rawOf)),
  }
}

/** Builds the services of the resources that only operators change. */
function buildRecords(database: Database, writes: Writes, secrets: Secrets, requests: AgentRequests) {
  const gatewayShares = createShareService({ store: createShareStore(database), writes, secrets })
  return {
    users: createUserService({ store: createUserStore(database), writes, secrets }),
    clusterStorage: createClusterStorageService({ store: createClusterStorageStore(database), writes, secrets }),
    gatewayShares,
    shareUploads: createShareUploads({ getShare: (id) => gatewayShares.get(id), requests, writes }),
  }
}

interface NodeParts extends NodeDeployments {
  readonly sessions: NodeSessions
  readonly maintenance: NodeMaintenance
}

function buildNodes(database: Database, writes: Writes, parts: NodeParts): NodeService {
  const { sessions, maintenance, ...deployments } = parts
  const facets = createNodeFacets(database)
  return createNodeService({ store: createNodeStore(database), facets, writes, sessions, deployments, maintenance })
}
