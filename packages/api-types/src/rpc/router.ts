import { z } from 'zod'
import {
  AdoptionInput,
  ApiKeyRotation,
  ChangedNode,
  ClusterIdentityInput,
  ClusterStorageInput,
  DriftAction,
  GenerationKind,
  GrantableRole,
  LeftoverRemoval,
  maxId,
  NodeChange,
} from '../rest/index.js'
import { RemovedLeftovers, ShareUploads } from '../rest/index.js'
import { boundedText } from '../values/text.js'
import { crud } from './crud.js'
import { eventsRouter } from './events.js'
import { explainRouter } from './explain.js'
import { Offset } from './list-input.js'
import { Condition, conditionOf, Id, once, OnceInput, read, RecordId, router, write } from './procedures.js'
import type { JobService, Services } from './services.js'
import { utilizationRouter } from './utilization.js'

export { trpcCodes } from './procedures.js'
export type { RpcContext } from './procedures.js'

/** Metric names, in which `*` stands for any run of characters, of the node or cluster `id`. */
const Poll = Id.extend({ metrics: z.array(boundedText(65_536)) })

const time = boundedText(64)
/** Sets of policies by their names, such as `gold,silver`. */
const CapacityHistoryInput = Id.extend({
  start: time,
  end: time.optional(),
  ring_sets: z.array(boundedText(65_536)).max(1000).optional(),
})

/** What of the history of metrics is asked for, of the node or cluster `id`. */
const History = Poll.extend({
  start: time,
  end: time.optional(),
  step: z.int().min(1).max(31_622_400).optional(),
  max_points: z.int().min(1).max(11_000).optional(),
})

const SparklineInput = z.object({
  ids: z.array(z.int().min(1).max(maxId)).min(1).max(200),
  name: boundedText(256),
  points: z.int().min(2).max(120).optional(),
  start: time.optional(),
  end: time.optional(),
})

const OfNode = z.object({ node: Id.shape.id, kind: GenerationKind })

/** Of a caller that cannot go away, such as one in the same process. */
const never = new AbortController().signal

/** The procedures that only deployments have. */
function jobProcedures(jobs: (services: Services) => JobService) {
  return {
    /** Streams: the job, and again when it has changed, until it has ended. */
    watch: read
      .input(RecordId)
      .subscription(({ ctx, input, signal }) => jobs(ctx.services).watch(input.id, signal ?? never)),
    cancel: write
      .input(RecordId.extend(OnceInput.shape))
      .mutation((call) => once(call, ({ id }, caller) => jobs(call.ctx.services).cancel(id, caller))),
    /** Of a job with `confirm_within_s`: its nodes keep what they have applied. */
    confirm: write
      .input(RecordId.extend(OnceInput.shape))
      .mutation((call) => once(call, ({ id }, caller) => jobs(call.ctx.services).confirm(id, caller))),
  }
}

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
  /** Whether the dead man's switch is called. */
  heartbeat: read.query(({ ctx }) => ctx.services.heartbeat.get()),
  /** The control plane itself. */
  system: read.query(({ ctx }) => ctx.services.system.get()),
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
  drift: router({
    get: read.input(Id).query(({ ctx, input }) => ctx.services.drift.get(input.id)),
    resolve: write
      .input(Id.extend({ ...DriftAction.shape, ...OnceInput.shape }))
      .mutation((call) =>
        once(call, ({ id, action }, caller) => call.ctx.services.drift.resolve(id, { action }, caller)),
      ),
  }),
  /** What was deployed to the node with the id `node`. */
  generations: router({
    list: read.input(OfNode).query(({ ctx, input }) => ctx.services.generations.list(input.node, input.kind)),
    diff: read
      .input(OfNode.extend({ a: Id.shape.id, b: Id.shape.id }))
      .query(({ ctx, input: { node, kind, a, b } }) => ctx.services.generations.diff(node, kind, a, b)),
  }),
  metrics: router({
    namesOfNode: read.input(Id).query(({ ctx, input }) => ctx.services.metrics.namesOfNode(input.id)),
    namesOfCluster: read.input(Id).query(({ ctx, input }) => ctx.services.metrics.namesOfCluster(input.id)),
    pollNode: read.input(Poll).query(({ ctx, input }) => ctx.services.metrics.pollNode(input.id, input.metrics)),
    pollCluster: read.input(Poll).query(({ ctx, input }) => ctx.services.metrics.pollCluster(input.id, input.metrics)),
    /** Streams: the samples of a poll, then those that are new. */
    watchNode: read
      .input(Poll)
      .subscription(({ ctx, input, signal }) =>
        ctx.services.metrics.watchNode(input.id, input.metrics, signal ?? never),
      ),
    watchCluster: read
      .input(Poll)
      .subscription(({ ctx, input, signal }) =>
        ctx.services.metrics.watchCluster(input.id, input.metrics, signal ?? never),
      ),
    /** Streams: the rows come in slices, of every node of the cluster `id`. */
    across: read.input(Poll).query(({ ctx, input }) => ctx.services.metrics.across(input.id, input.metrics)),
    historyOfNode: read.input(History).query(({ ctx, input }) => ctx.services.metricHistory.ofNode(input.id, input)),
    historyOfCluster: read
      .input(History)
      .query(({ ctx, input }) => ctx.services.metricHistory.ofCluster(input.id, input)),
    /** One value for each point, of one metric of many nodes. */
    sparklines: read.input(SparklineInput).query(({ ctx, input }) => ctx.services.metricHistory.sparklines(input)),
    historyAcross: read.input(History).query(({ ctx, input }) => ctx.services.metricHistory.across(input.id, input)),
  }),
  capacity: router({
    /** How many devices of the cluster `id` are how full; with `by_node` also each device. */
    fullness: read
      .input(Id.extend({ step: z.number().optional(), by_node: z.boolean().optional() }))
      .query(({ ctx, input: { id, ...query } }) => ctx.services.capacity.fullness(id, query)),
  }),
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
