import type { FastifyInstance } from 'fastify'
import { serializerCompiler } from 'fastify-type-provider-zod'
import { capacityRoutes } from './capacity/routes.js'
import { clusterHealthRoutes } from './clusters/routes.js'
import { clusterStorageRoutes } from './clusters/storage-routes.js'
import { registerEnrollment } from './agents/enroll-route.js'
import { systemClock } from '@roost/runtime'
import { mountConsole, pageSender } from './console/routes.js'
import { readSite } from './console/site.js'
import { containerRoutes } from './containers/routes.js'
import type { Context } from './context/context.js'
import { requireOperator } from './http/guards/authentication.js'
import { parseBodies, requireJson } from './http/guards/body.js'
import { forbidStaleReads } from './http/guards/cache-control.js'
import { answerErrors } from './http/dialect/error-handler.js'
import { mountHealth } from './http/health.js'
import { mountIndex } from './http/docs/index-routes.js'
import { mountLanding } from './http/docs/landing.js'
import { rememberMethods } from './http/dialect/method-table.js'
import type { MethodTable } from './http/dialect/method-table.js'
import { mountResource } from './http/dialect/mount-resource.js'
import { describeRoutes, mountDocs } from './http/docs/openapi.js'
import { trackOpenRequests } from './http/guards/open-requests.js'
import { createOrigins } from './http/dialect/origins.js'
import type { Origins } from './http/dialect/origins.js'
import { mountRoute } from './http/dialect/route.js'
import { secureHeaders } from './http/guards/secure-headers.js'
import { createServer } from './http/server.js'
import { limitUnauthenticated } from './http/guards/unauthenticated.js'
import { sharePreviewRoutes, shareSessionsRoutes, shareUploadsRoutes } from './shares/routes.js'
import { clusterIdentityRoutes } from './identity/routes.js'
import { s3CredentialRoutes } from './identity/s3-routes.js'
import { driftRoutes } from './deployments/routes.js'
import { eventRoutes } from './events/routes.js'
import { driftedNodesRoutes, generationRoutes, pendingRoutes } from './generations/routes.js'
import { historyRoutes } from './history/routes.js'
import { metricRoutes } from './metrics/routes.js'
import { nodeHardwareRoutes } from './nodes/routes.js'
import { endRefusedStreams } from './operators/end-streams.js'
import { preferencesRoutes } from './preferences/routes.js'
import { mountSession } from './operators/session-routes.js'
import { mountPackages } from './packages/routes.js'
import { mountRemoteRead } from './prometheus/remote/read-route.js'
import { mountPrometheus } from './prometheus/routes.js'
import { searchRoutes } from './search/routes.js'
import { summaryRoutes } from './summary/routes.js'
import { systemRoutes } from './system/routes.js'
import { restResources } from './resources.js'
import { mountRpc, rpcPrefix } from './rpc/mount.js'
import { userAdoptionRoutes } from './users/adoption-routes.js'
import { utilizationRoutes } from './utilization/routes.js'
import { usageSeriesRoutes } from './utilization/series-routes.js'
import { version } from './lifecycle/version.js'
import type { Tls } from './tls/tls.js'

export interface AppOptions {
  readonly context: Context
  readonly tls: Pick<Tls, 'current' | 'covers'>
}

/** Builds the HTTP server of a context with every route. It does not listen yet. */
export async function buildApp({ context, tls }: AppOptions): Promise<FastifyInstance> {
  const { log, config } = context.options
  const app = createServer({ log, tls: tls.current(), proxies: config.proxies })
  const methods = rememberMethods(app)
  await describeRoutes(app, { version, hidden: [rpcPrefix] })
  await applyDialect(app, methods, context)
  const site = await readSite()
  mountLanding(app, { methods, sendPage: pageSender(site) })
  await mountConsole(app, { site, now: () => systemClock.monotonic() })
  mountPrometheus(app, context.prometheus)
  await mountRemoteRead(app, context.prometheus.remoteRead)
  mountHealth(app, context.database)
  mountSession(app, context.services.sessions)
  mountInstallation(app, context)
  await mountDocs(app)
  mountApi(app, context, originsOf(context, tls))
  mountAgents(app, context)
  await mountRpc(app, context)
  return app
}

/** Adds the hooks of every route, in the order in which a request passes them. */
async function applyDialect(app: FastifyInstance, methods: MethodTable, context: Context): Promise<void> {
  const { authentication, failedLogins, options } = context
  const admit = limitUnauthenticated(app)
  answerErrors(app, { methods })
  await secureHeaders(app)
  requireOperator(app, {
    authenticator: authentication,
    now: () => systemClock.monotonic(),
    admitted: ({ socket }) => admit(socket),
    failed: ({ ip }) => failedLogins.fail(ip),
    isOwnOrigin: (origin, { protocol, host }) => isOwn(origin, [`${protocol}://${host}`, options.publicUrl()]),
  })
  const watch = endRefusedStreams({
    open: trackOpenRequests(app),
    authentication,
    log: options.log,
    clock: systemClock,
  })
  app.addHook('onClose', () => watch.stop())
  forbidStaleReads(app)
  parseBodies(app)
  requireJson(app)
  // Schemas describe and serialize. Requests are validated by the dialect, whose errors name the fields.
  app.setValidatorCompiler(() => (value: unknown) => ({ value }))
  app.setSerializerCompiler(serializerCompiler)
}

function isOwn(origin: string, urls: readonly string[]): boolean {
  return urls.some((url) => URL.canParse(url) && new URL(url).origin === origin)
}

function originsOf({ options: { config, publicUrl } }: Context, { current, covers }: AppOptions['tls']): Origins {
  return createOrigins({
    configured: config.publicUrl,
    publicUrl,
    covers: current() === null ? undefined : covers,
  })
}

function mountApi(app: FastifyInstance, context: Context, origins: Origins): void {
  const { services, metrics, history, utilization, idempotency } = context
  const declared = restResources(services)
  mountIndex(app, declared)
  for (const resource of declared) mountResource(app, resource, { origins, idempotency })
  const requireCluster = (id: number) => services.clusters.get(id)
  const routes = [
    ...capacityRoutes(services.capacity),
    ...clusterHealthRoutes(services.clusterHealth),
    ...summaryRoutes(services.clusterSummary),
    ...clusterStorageRoutes(services.clusterStorage, idempotency),
    ...containerRoutes(services.containers, requireCluster),
    ...clusterIdentityRoutes(services.clusterIdentity, idempotency),
    ...s3CredentialRoutes(services.s3Credentials, (id) => services.users.get(id), idempotency),
    ...userAdoptionRoutes(services.userAdoption, requireCluster, idempotency),
    ...metricRoutes(metrics.reads),
    ...historyRoutes(history.service),
    ...utilizationRoutes({ utilization: utilization.service, requireCluster }),
    ...usageSeriesRoutes({ series: services.usageSeries, requireCluster }),
    ...driftRoutes(services.drift, idempotency),
    ...driftedNodesRoutes(services.driftedNodes),
    ...generationRoutes({ generations: services.generations, requireNode: (id) => services.nodes.get(id) }),
    ...pendingRoutes(services.pendingChanges),
    ...eventRoutes(services.events),
    ...nodeHardwareRoutes(services.nodeHardware),
    ...systemRoutes(services.system),
    ...searchRoutes(services.search),
    ...preferencesRoutes(services.preferences),
    ...shareSessionsRoutes(services.shareSessions),
    ...sharePreviewRoutes(services.sharePreview, (id) => services.gatewayShares.get(id)),
    ...shareUploadsRoutes(services.shareUploads, (id) => services.gatewayShares.get(id), idempotency),
  ]
  for (const route of routes) mountRoute(app, route)
}

/** Mounts what a new node fetches before it is enrolled. */
function mountInstallation(app: FastifyInstance, { options, packages }: Context): void {
  const { publicUrl, serverPin, caSha256, now } = options
  mountPackages(app, {
    packages,
    settings: () => ({
      server: publicUrl(),
      pin: serverPin(),
      caSha256: caSha256(),
      now: Math.floor(now() / 1000),
    }),
    now: () => systemClock.monotonic(),
  })
}

/** Mounts enrollment and the stream of the agents. */
function mountAgents(app: FastifyInstance, { options, enrollments, stream }: Context): void {
  const { trustedCas, now } = options
  registerEnrollment(app, { enrollments, trustedCas, clock: { ...systemClock, now } })
  stream.attach(app.server)
  // The server would wait forever for an open stream.
  app.addHook('preClose', () => stream.close())
}
