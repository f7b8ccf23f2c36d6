import type { AddressInfo } from 'node:net'
import type {
  CatalogueMessage,
  DeviceUsageMessage,
  InventoryMessage,
  LogMessage,
  MountRestoredMessage,
  UsageMessage,
} from '@roost/api-types/agent'
import { registerEnrollment } from '@roost/control-plane/dist/agents/enroll-route.js'
import type { StreamHandlers } from '@roost/control-plane/dist/agents/handlers.js'
import { createAgentRequests } from '@roost/control-plane/dist/agents/requests.js'
import type { AgentRequests } from '@roost/control-plane/dist/agents/requests.js'
import type { StreamLimits } from '@roost/control-plane/dist/agents/limits/stream-limits.js'
import { AgentStream } from '@roost/control-plane/dist/agents/stream.js'
import { type Clock, systemClock } from '@roost/runtime'
import { parseBodies } from '@roost/control-plane/dist/http/guards/body.js'
import { answerErrors } from '@roost/control-plane/dist/http/dialect/error-handler.js'
import { rememberMethods } from '@roost/control-plane/dist/http/dialect/method-table.js'
import { createServer } from '@roost/control-plane/dist/http/server.js'
import { createLog } from '@roost/control-plane/dist/lifecycle/log.js'
import { createEnrollmentService } from '@roost/control-plane/dist/nodes/enrollment.js'
import { createEnrollmentStore } from '@roost/control-plane/dist/nodes/enrollment-store.js'
import { createNodeFacets } from '@roost/control-plane/dist/facets/nodes-store.js'
import { createFleetStore } from '@roost/control-plane/dist/nodes/fleet-store.js'
import { createNodeService } from '@roost/control-plane/dist/nodes/service.js'
import { createNodeStore } from '@roost/control-plane/dist/nodes/store.js'
import { createWrites } from '@roost/control-plane/dist/database/writes.js'
import { createIdempotencyStore } from '@roost/control-plane/dist/database/idempotency.js'
import { createAuditStore } from '@roost/control-plane/dist/database/transaction.js'
import type { NodeService, TokenService } from '@roost/api-types/rpc'
import { createTokenLines } from '@roost/control-plane/dist/nodes/token-lines.js'
import { createTokenStore } from '@roost/control-plane/dist/nodes/token-store.js'
import { createTokenService } from '@roost/control-plane/dist/nodes/tokens.js'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'

/** What the features were given, in the order in which it came. */
export interface ReceivedMessages {
  readonly inventories: { readonly nodeId: number; readonly message: InventoryMessage }[]
  readonly catalogues: { readonly nodeId: number; readonly message: CatalogueMessage }[]
  readonly usages: { readonly nodeId: number; readonly message: DeviceUsageMessage }[]
  /** Plans, progress, outcomes and drift of deployments. */
  readonly deployments: { readonly nodeId: number; readonly message: { readonly type: string } }[]
  readonly accounts: { readonly nodeId: number; readonly message: UsageMessage }[]
  readonly restored: { readonly nodeId: number; readonly message: MountRestoredMessage }[]
  readonly logs: { readonly nodeId: number; readonly message: LogMessage }[]
  readonly frames: { readonly nodeId: number; readonly bytes: Uint8Array }[]
  readonly connections: { readonly nodeId: number; readonly is: 'connected' | 'disconnected' }[]
}

/** The agents' side of the control plane by itself, on a real socket and a real database. */
export interface StreamServer {
  readonly url: string
  readonly database: TestDatabase
  readonly clusterId: number
  readonly stream: AgentStream
  readonly requests: AgentRequests
  readonly nodes: NodeService
  readonly tokens: TokenService
  readonly heard: ReceivedMessages
  /** Set it to let handlers fail or wait. */
  readonly hooks: { beforeInventory?: (message: InventoryMessage) => Promise<void> }
  forgetExpiredTokens(): Promise<void>
  stateOf(nodeId: number): Promise<string | undefined>
  close(): Promise<void>
}

export interface StreamServerOptions extends Partial<StreamLimits> {
  readonly clock?: Clock
  readonly trustedCas?: () => readonly string[]
  /** One that stays when the server closes, so that the next one can go on with it. */
  readonly database?: TestDatabase
  readonly port?: number
  readonly isLoopbackOnly?: boolean
}

export async function startStreamServer(options: StreamServerOptions = {}): Promise<StreamServer> {
  const {
    clock = systemClock,
    trustedCas = () => [],
    database: given,
    port = 0,
    isLoopbackOnly = false,
    // A client that waits for a slow machine is not a silent one.
    helloTimeoutMs = waitTimeoutMs,
    ...streamOptions
  } = options
  const database = given ?? (await createTestDatabase())
  const cluster = await database.prisma.cluster.upsert({ where: { name: 'one' }, create: { name: 'one' }, update: {} })
  const heard: ReceivedMessages = {
    inventories: [],
    catalogues: [],
    usages: [],
    deployments: [],
    accounts: [],
    restored: [],
    logs: [],
    frames: [],
    connections: [],
  }
  const hooks: StreamServer['hooks'] = {}
  const fleet = createFleetStore(database)
  const log = createLog({ level: 'silent', out: process.stderr })
  const requests: AgentRequests = createAgentRequests({
    isConnected: (nodeId) => stream.isConnected(nodeId),
    mayReconnect: (nodeId) => stream.mayReconnect(nodeId),
    agentOf: (nodeId) => stream.agentOf(nodeId),
    send: (nodeId, message) => stream.send(nodeId, message),
  })
  const stream: AgentStream = new AgentStream(
    {
      handlers: recordingHandlers(heard, hooks, requests),
      identities: fleet,
      presence: fleet,
      audit: fleet,
      trustedCas,
      addressOf: (request) => request.socket.remoteAddress ?? '',
      clock,
      log,
    },
    { helloTimeoutMs, ...streamOptions },
  )
  const writes = createWrites({
    store: createAuditStore(database),
    idempotency: createIdempotencyStore(database, () => clock.now()),
  })
  const enrollments = createEnrollmentService({ store: createEnrollmentStore(database), sessions: stream, clock })
  const app = createServer({ log, tls: null, proxies: [] })
  answerErrors(app, { methods: rememberMethods(app) })
  parseBodies(app)
  registerEnrollment(app, { enrollments, trustedCas, clock })
  stream.attach(app.server)
  await stream.start()
  await app.listen({ host: '127.0.0.1', port })
  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    database,
    clusterId: cluster.id,
    stream,
    requests,
    nodes: createNodeService({
      store: createNodeStore(database),
      facets: createNodeFacets(database),
      writes,
      sessions: stream,
      deployments: { knownPasswords: async () => [], sendDesired: async () => {} },
      maintenance: { now: () => clock.now(), silences: { refresh: async () => {} } },
    }),
    tokens: createTokenService({
      store: createTokenStore(database),
      writes,
      clock,
      lines: createTokenLines({
        publicUrl: () => 'https://roost.example:8443',
        caSha256: () => 'ab'.repeat(32),
        serverPin: () => 'cGlu',
        isLoopbackOnly: () => isLoopbackOnly,
        hasAgent: async () => true,
        missingPackages: '',
      }),
    }),
    heard,
    hooks,
    forgetExpiredTokens: () => enrollments.forgetExpired(),
    async stateOf(nodeId) {
      return (await database.prisma.node.findUnique({ where: { id: nodeId } }))?.state
    },
    async close() {
      await stream.close()
      await app.close()
      if (given === undefined) await database.drop()
    },
  }
}

function recordingHandlers(
  heard: ReceivedMessages,
  hooks: StreamServer['hooks'],
  requests: AgentRequests,
): StreamHandlers {
  return {
    async inventory(nodeId, message) {
      await hooks.beforeInventory?.(message)
      heard.inventories.push({ nodeId, message })
    },
    catalogue: async (nodeId, message) => void heard.catalogues.push({ nodeId, message }),
    frame: (nodeId, bytes) => void heard.frames.push({ nodeId, bytes }),
    deviceUsage: async (nodeId, message) => void heard.usages.push({ nodeId, message }),
    answer(nodeId, message) {
      heard.deployments.push({ nodeId, message })
      requests.answered(nodeId, message)
    },
    progress: async (nodeId, message) => void heard.deployments.push({ nodeId, message }),
    applied: async (nodeId, message) => void heard.deployments.push({ nodeId, message }),
    drift: async (nodeId, message) => void heard.deployments.push({ nodeId, message }),
    keepsHistory: () => false,
    historyColumns: async () => {},
    history: async () => {},
    usage: async (nodeId, message) => void heard.accounts.push({ nodeId, message }),
    mountRestored: async (nodeId, message) => void heard.restored.push({ nodeId, message }),
    log: (nodeId, message) => void heard.logs.push({ nodeId, message }),
    connected: (nodeId) => void heard.connections.push({ nodeId, is: 'connected' }),
    disconnected: (nodeId) => void heard.connections.push({ nodeId, is: 'disconnected' }),
  }
}
