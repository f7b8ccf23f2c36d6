import { z } from 'zod'
import {
  AdoptionInput,
  ApiKeyRotation,
  ChangedNode,
  ClusterIdentityInput,
  ClusterStorageInput,
  DeviceFacets,
  deviceRules,
  GatewayShareChange,
  GatewayShareInput,
  GrantableRole,
  LeftoverRemoval,
  maxContainerPrefix,
  maxContainers,
  maxId,
  maxSearchLength,
  NodeChange,
  NodeFacets,
  nodeRules,
  PreferencesChange,
  preferencesRules,
  RemovedLeftovers,
  ShareUploads,
} from '../rest/index.js'
import { boundedText } from '../values/text.js'
import { crud } from './crud.js'
import { driftRouter, generationsRouter } from './deployed.js'
import { eventsRouter } from './events.js'
import { filterInputOf, listQuery, Offset } from './list-input.js'
import { capacityRouter, CapacityHistoryInput, explainRouter, metricsRouter } from './measurements.js'
import {
  Condition,
  conditionOf,
  Id,
  jobProcedures,
  never,
  once,
  OnceInput,
  read,
  RecordId,
  router,
  write,
} from './procedures.js'
import { maxHits } from './system-service.js'
import { utilizationRouter } from './utilization.js'

export { trpcCodes } from './procedures.js'
export type { RpcContext } from './procedures.js'

const SearchInput = z.object({
  q: boundedText(maxSearchLength).trim().min(1),
  limit: z.int().min(1).max(maxHits).default(20),
})

const ContainersInput = z.object({
  cluster: Id.shape.id,
  q: boundedText(maxContainerPrefix).default(''),
  limit: z.int().min(1).max(maxContainers).default(20),
})

const NodeChanges = z
  .array(z.object({ ...RecordId.shape, change: NodeChange, ...Condition.shape }))
  .max(1000)
  .refine((changes) => new Set(changes.map(({ id }) => id)).size === changes.length, 'A node appears twice.')

export const appRouter = router({
  ...crud,
  clusters: router({
    ...crud.clusters,
    capacity: read.input(Id).query(({ ctx, input }) => ctx.services.capacity.ofCluster(input.id)),
    forecast: read.input(Id).query(({ ctx, input }) => ctx.services.capacity.forecast(input.id)),
    capacityHistory: read
      .input(CapacityHistoryInput)
      .query(({ ctx, input }) => ctx.services.capacity.history(input.id, input, input.ring_sets)),
    explain: explainRouter,
    health: read.input(Id).query(({ ctx, input }) => ctx.services.clusterHealth.ofCluster(input.id)),
    summary: read.input(Id).query(({ ctx, input }) => ctx.services.clusterSummary.ofCluster(input.id)),
    storage: read.input(Id).query(({ ctx, input }) => ctx.services.clusterStorage.get(input.id)),
    setStorage: write
      .input(ClusterStorageInput.safeExtend(Id.shape))
      .mutation(({ ctx, input: { id, ...login } }) => ctx.services.clusterStorage.set(id, login, ctx.caller)),
    unsetStorage: write
      .input(Id.extend({ force: z.boolean().default(false) }))
      .mutation(({ ctx, input: { id, force } }) => ctx.services.clusterStorage.unset(id, ctx.caller, { force })),
    identity: read.input(Id).query(({ ctx, input }) => ctx.services.clusterIdentity.get(input.id)),
    setIdentity: write
      .input(ClusterIdentityInput.safeExtend(Id.shape))
      .mutation(({ ctx, input: { id, ...login } }) => ctx.services.clusterIdentity.set(id, login, ctx.caller)),
    unsetIdentity: write
      .input(Id)
      .mutation(({ ctx, input: { id } }) => ctx.services.clusterIdentity.unset(id, ctx.caller)),
  }),
  nodes: router({
    ...crud.nodes,
    facets: read
      .input(filterInputOf(nodeRules))
      .output(NodeFacets)
      .query(({ ctx, input }) => ctx.services.nodes.facets(listQuery(input, nodeRules).filters)),
    hardware: read.input(Id).query(({ ctx, input }) => ctx.services.nodeHardware.get(input.id)),
    /** Streams: every node at first, then those whose state changed. */
    states: read.subscription(({ ctx, signal }) => ctx.services.nodeStates.watch(signal ?? never)),
    /** All or none, in the order given. */
    changeMany: write
      .input(z.object({ changes: NodeChanges }))
      .output(z.array(ChangedNode).readonly())
      .mutation(({ ctx, input: { changes } }) =>
        ctx.services.nodes.changeMany(
          changes.map(({ id, change, ...rest }) => ({ id, change, ...conditionOf(rest) })),
          ctx.caller,
        ),
      ),
    remove: write
      .input(Id.extend({ force: z.boolean().default(false), ...Condition.shape }))
      .mutation(({ ctx, input: { id, force, ...rest } }) =>
        ctx.services.nodes.remove(id, ctx.caller, { force, ...conditionOf(rest) }),
      ),
  }),
  devices: router({
    ...crud.devices,
    facets: read
      .input(filterInputOf(deviceRules))
      .output(DeviceFacets)
      .query(({ ctx, input }) => ctx.services.devices.facets(listQuery(input, deviceRules).filters)),
  }),
  users: router({
    ...crud.users,
    adoptable: read
      .input(Id.extend({ limit: z.int().min(1).max(1000).default(1000), offset: Offset.default(0) }))
      .query(({ ctx, input: { id, ...page } }) => ctx.services.userAdoption.list(id, page)),
    /** `id` is that of the cluster. */
    adopt: write
      .input(Id.extend({ ...AdoptionInput.shape, ...OnceInput.shape }))
      .mutation((call) =>
        once(call, ({ id, ...input }, caller) => call.ctx.services.userAdoption.adopt(id, input, caller), ['password']),
      ),
    s3Credentials: read.input(Id).query(({ ctx, input }) => ctx.services.s3Credentials.list(input.id)),
    createS3Credential: write
      .input(Id)
      .mutation(({ ctx, input: { id } }) => ctx.services.s3Credentials.create(id, ctx.caller)),
    removeS3Credential: write
      .input(Id.extend({ access_key: boundedText(512) }))
      .mutation(({ ctx, input }) => ctx.services.s3Credentials.remove(input.id, input.access_key, ctx.caller)),
  }),
  gatewayShares: router({
    ...crud.gatewayShares,
    /** Of the cluster with the id `cluster`; its users, too, where they are deployed to proxies. */
    pending: read
      .input(z.object({ cluster: Id.shape.id }))
      .query(({ ctx, input }) => ctx.services.pendingChanges.ofCluster(input.cluster)),
    /** What its gateway would have with a new share. */
    preview: write
      .input(z.object({ share: GatewayShareInput }))
      .mutation(({ ctx, input, signal }) => ctx.services.sharePreview.ofNew(input.share, ctx.caller, signal ?? never)),
    previewChange: write
      .input(Id.extend({ change: GatewayShareChange }))
      .mutation(({ ctx, input: { id, change }, signal }) =>
        ctx.services.sharePreview.ofChange(id, change, ctx.caller, signal ?? never),
      ),
    sessions: read.input(Id).query(({ ctx, input }) => ctx.services.shareSessions.get(input.id)),
    uploads: read
      .input(Id)
      .output(ShareUploads)
      .query(({ ctx, input }) => ctx.services.shareUploads.get(input.id)),
    removeLeftovers: write
      .input(Id.extend({ ...LeftoverRemoval.shape, ...OnceInput.shape }))
      .output(RemovedLeftovers)
      .mutation((call) =>
        once(call, ({ id, ...removal }, caller) => call.ctx.services.shareUploads.removeLeftovers(id, removal, caller)),
      ),
  }),
  gatewayDeployments: router({
    ...crud.gatewayDeployments,
    ...jobProcedures((services) => services.gatewayDeployments),
  }),
  userDbDeployments: router({ ...crud.userDbDeployments, ...jobProcedures((services) => services.userDbDeployments) }),
  agentUpgrades: router({
    ...crud.agentUpgrades,
    cancel: write
      .input(RecordId.extend(OnceInput.shape))
      .mutation((call) => once(call, ({ id }, caller) => call.ctx.services.agentUpgrades.cancel(id, caller))),
  }),
  alerts: router({
    ...crud.alerts,
    /** Streams: those that are not resolved at first, then each that has changed. */
    watch: read.subscription(({ ctx, signal }) => ctx.services.alerts.watch(signal ?? never)),
  }),
  alertSilences: router(crud.alertSilences),
  alertReceivers: router({
    ...crud.alertReceivers,
    test: write
      .input(RecordId.extend(OnceInput.shape))
      .mutation((call) => once(call, ({ id }, caller) => call.ctx.services.alertReceivers.test(id, caller))),
  }),
  /** Of which the name begins with `q`, in the account of the storage login of a cluster. */
  containers: router({
    list: read.input(ContainersInput).query(({ ctx, input }) => ctx.services.containers.list(input)),
  }),
  /** Whether the dead man's switch is called. */
  heartbeat: read.query(({ ctx }) => ctx.services.heartbeat.get()),
  /** The control plane itself. */
  system: read.query(({ ctx }) => ctx.services.system.get()),
  search: read.input(SearchInput).query(({ ctx, input }) => ctx.services.search.find(input.q, input.limit)),
  apiKeys: router({
    ...crud.apiKeys,
    rotate: write
      .input(Id.extend({ rotation: ApiKeyRotation.prefault({}) }))
      .mutation(({ ctx, input }) => ctx.services.apiKeys.rotate(input.id, input.rotation, ctx.caller)),
    revoke: write.input(Id).mutation(({ ctx, input }) => ctx.services.apiKeys.revoke(input.id, ctx.caller)),
  }),
  events: eventsRouter,
  sessions: router({
    ...crud.sessions,
    /** Who is logged in with the cookie; null with a key. `POST` and `DELETE /session` set and clear the cookie. */
    current: read.query(({ ctx }) => ctx.services.sessions.current(ctx.caller)),
  }),
  views: router(crud.views),
  /** Of the caller. */
  preferences: router({
    get: read.query(({ ctx }) => ctx.services.preferences.get(ctx.caller)),
    /** With the ETag that `if_match` of `set` accepts. */
    getWithEtag: read.query(async ({ ctx }) => {
      const record = await ctx.services.preferences.get(ctx.caller)
      return { record, etag: ctx.etagOf(record, preferencesRules) }
    }),
    set: write
      .input(PreferencesChange.extend(Condition.shape))
      .mutation(({ ctx, input: { if_match, ...change } }) =>
        ctx.services.preferences.set(change, ctx.caller, conditionOf({ if_match })),
      ),
  }),
  drift: driftRouter,
  generations: generationsRouter,
  metrics: metricsRouter,
  capacity: capacityRouter,
  utilization: utilizationRouter,
  tokens: router({
    create: write
      .input(
        z.object({
          cluster: z.int().min(1).max(maxId),
          ttl_seconds: z.int().min(60).max(604_800).optional(),
          uses: z.int().min(1).max(1000).optional(),
          roles: z.array(GrantableRole).max(2).optional(),
          prepare: z.boolean().optional(),
          prepare_storage: z.boolean().optional(),
        }),
      )
      .mutation(({ ctx, input }) => ctx.services.tokens.create(input, ctx.caller)),
    list: read.query(({ ctx }) => ctx.services.tokens.list()),
    revoke: write.input(Id).mutation(({ ctx, input }) => ctx.services.tokens.revoke(input.id, ctx.caller)),
  }),
})
export type AppRouter = typeof appRouter
