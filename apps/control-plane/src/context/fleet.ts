import type { IncomingMessage } from 'node:http'
import type { StreamHandlers } from '../agents/handlers.js'
import { peerAddress } from '../agents/peer-address.js'
import type { AgentRequests } from '../agents/requests.js'
import { AgentStream } from '../agents/stream.js'
import type { Writes } from '../database/writes.js'
import { systemClock } from '@roost/runtime'
import { isLoopback } from '../config.js'
import type { Database } from '../database/database.js'
import type { DeploymentFeature } from '../deployments/feature.js'
import { every } from '../jobs/every.js'
import { createEnrollmentStore } from '../nodes/enrollment-store.js'
import { createEnrollmentService } from '../nodes/enrollment.js'
import { createFleetStore } from '../nodes/fleet-store.js'
import { createInventoryStore } from '../nodes/inventory-store.js'
import { createInventoryIntake } from '../nodes/inventory.js'
import type { NodeSessions } from '../nodes/service.js'
import { createTokenLines } from '../nodes/token-lines.js'
import { createTokenStore } from '../nodes/token-store.js'
import { createTokenService } from '../nodes/tokens.js'
import type { ContextOptions } from './options.js'
import { version } from '../lifecycle/version.js'
import { missingPackages } from '../packages/files.js'
import { agentPackages } from '../packages/list.js'
import type { Packages } from '../packages/list.js'
import type { MetricFeatures } from './metrics.js'
import { createRestoredIntake } from '../shares/restored.js'
import { createRestoredStore } from '../shares/restored-store.js'
import type { UtilizationFeature } from './utilization.js'

export interface StreamedFeatures extends Pick<MetricFeatures, 'metrics' | 'capacity' | 'history'> {
  readonly deployments: DeploymentFeature
  readonly requests: AgentRequests
  readonly utilization: UtilizationFeature
}

/** Connects the messages of the agents' stream to the features. */
export function streamHandlers(
  database: Database,
  { log, now }: ContextOptions,
  { metrics, capacity, history, deployments: { nodes }, requests, utilization }: StreamedFeatures,
): StreamHandlers {
  const inventories = createInventoryIntake({
    store: createInventoryStore(database, (tx, nodeId) => nodes.askAgain(tx, nodeId)),
    devicesChanged: (nodeId) => capacity.intake.devicesChanged(nodeId),
    sendDesired: (nodeId) => nodes.sendDesired(nodeId),
    log,
    now,
  })
  const restored = createRestoredIntake(createRestoredStore(database))
  return {
    inventory: (nodeId, message) => inventories.accept(nodeId, message),
    catalogue: (nodeId, message) => metrics.intake.catalogue(nodeId, message),
    frame: (nodeId, bytes) => metrics.intake.frame(nodeId, bytes),
    deviceUsage: async (nodeId, message) => capacity.intake.deviceUsage(nodeId, message),
    answer: (nodeId, message) => requests.answered(nodeId, message),
    progress: (nodeId, message) => nodes.progressed(nodeId, message),
    applied: (nodeId, message) => nodes.applied(nodeId, message),
    drift: (nodeId, message) => nodes.drifted(nodeId, message),
    usage: (nodeId, message) => utilization.intake.accept(nodeId, message),
    mountRestored: (nodeId, message) => restored.accept(nodeId, message),
    keepsHistory: () => history.isOn,
    historyColumns: (nodeId, { id, metrics: columns }) =>
      history.isOn ? history.intake.catalogue(nodeId, id, columns) : Promise.resolve(),
    history: (nodeId, message, skew) => history.intake.accept(nodeId, message, skew),
    log: (nodeId, { level, message }) => log[level]({ nodeId }, `agent: ${message}`),
    connected(nodeId) {
      metrics.intake.connected(nodeId)
      void nodes.sendDesired(nodeId)
      // After the welcome.
      setImmediate(() => requests.connected(nodeId))
      log.info({ nodeId }, 'node connected')
    },
    disconnected(nodeId) {
      metrics.intake.disconnected(nodeId)
      log.info({ nodeId }, 'node disconnected')
    },
  }
}

/** Builds the stream of the agents, enrollment and tokens. */
export async function buildFleet(
  database: Database,
  options: ContextOptions,
  handlers: StreamHandlers,
  writes: Writes,
  packages: Packages,
) {
  const { log, now, config, publicUrl, trustedCas, caSha256, serverPin } = options
  const clock = { ...systemClock, now }
  const fleet = createFleetStore(database)
  const addressOf = (request: IncomingMessage) => peerAddress(request, config.proxies)
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
  const enrollments = createEnrollmentService({ store: createEnrollmentStore(database), sessions: stream, clock })
  const tokens = createTokenService({
    store: createTokenStore(database),
    writes,
    clock,
    lines: createTokenLines({
      publicUrl,
      caSha256,
      serverPin,
      isLoopbackOnly: () => isLoopback(config.listen.host) && config.proxies.length === 0,
      hasAgent: async () => agentPackages(await packages.files(), version).length > 0,
      missingPackages,
    }),
  })
  await stream.start()
  const sweep = every(10_000, 'remove expired enrollment tokens', () => enrollments.forgetExpired(), log)
  return { stream, enrollments, tokens, sweep }
}

/** When a node is removed or replaced, its session ends and its values in memory are dropped. */
export function nodeSessions(stream: AgentStream, { metrics, capacity }: MetricFeatures): NodeSessions {
  return {
    isConnected: (nodeId) => stream.isConnected(nodeId),
    revoke(nodeId) {
      stream.revoke(nodeId)
      metrics.intake.forget(nodeId)
      capacity.intake.forget(nodeId)
    },
  }
}
