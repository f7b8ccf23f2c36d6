import { z } from 'zod'
import { ClusterInput, ClusterStorageInput, DriftAction, maxId, NodeChange } from '../rest/index.js'
import { gatewaySharesRouter } from './gateway-shares.js'
import { Id, ListInput, listQuery, read, router, write } from './procedures.js'
import { jobsRouter } from './jobs.js'
import { apiKeysRouter, operatorsRouter } from './operators.js'
import { usersRouter } from './users.js'
import { utilizationRouter } from './utilization.js'

export { trpcCodes } from './procedures.js'
export type { RpcContext } from './procedures.js'

/** Metric names, in which `*` stands for any run of characters, of the node or cluster `id`. */
const Poll = Id.extend({ metrics: z.array(z.string()) })

/** Of a caller that cannot go away, such as one in the same process. */
const never = new AbortController().signal

export const appRouter = router({
  clusters: router({
    list: read.input(ListInput).query(({ ctx, input }) => ctx.services.clusters.list(listQuery(input))),
    get: read.input(Id).query(({ ctx, input }) => ctx.services.clusters.get(input.id)),
    create: write.input(ClusterInput).mutation(({ ctx, input }) => ctx.services.clusters.create(input, ctx.caller)),
    change: write
      .input(Id.extend({ change: ClusterInput }))
      .mutation(({ ctx, input }) => ctx.services.clusters.change(input.id, input.change, ctx.caller)),
    remove: write.input(Id).mutation(({ ctx, input }) => ctx.services.clusters.remove(input.id, ctx.caller)),
    capacity: read.input(Id).query(({ ctx, input }) => ctx.services.capacity.ofCluster(input.id)),
    health: read.input(Id).query(({ ctx, input }) => ctx.services.clusterHealth.ofCluster(input.id)),
    storage: read.input(Id).query(({ ctx, input }) => ctx.services.clusterStorage.get(input.id)),
    setStorage: write
      .input(Id.extend(ClusterStorageInput.shape))
      .mutation(({ ctx, input: { id, ...login } }) => ctx.services.clusterStorage.set(id, login, ctx.caller)),
    unsetStorage: write
      .input(Id.extend({ force: z.boolean().default(false) }))
      .mutation(({ ctx, input: { id, force } }) => ctx.services.clusterStorage.unset(id, ctx.caller, { force })),
  }),
  nodes: router({
    list: read.input(ListInput).query(({ ctx, input }) => ctx.services.nodes.list(listQuery(input))),
    get: read.input(Id).query(({ ctx, input }) => ctx.services.nodes.get(input.id)),
    hardware: read.input(Id).query(({ ctx, input }) => ctx.services.nodeHardware.get(input.id)),
    /** Streams: every node at first, then those whose state changed. */
    states: read.subscription(({ ctx, signal }) => ctx.services.nodeStates.watch(signal ?? never)),
    change: write
      .input(Id.extend({ change: NodeChange }))
      .mutation(({ ctx, input }) => ctx.services.nodes.change(input.id, input.change, ctx.caller)),
    remove: write
      .input(Id.extend({ force: z.boolean().default(false) }))
      .mutation(({ ctx, input }) => ctx.services.nodes.remove(input.id, ctx.caller, { force: input.force })),
  }),
  drift: router({
    get: read.input(Id).query(({ ctx, input }) => ctx.services.drift.get(input.id)),
    resolve: write
      .input(Id.extend(DriftAction.shape))
      .mutation(({ ctx, input }) => ctx.services.drift.resolve(input.id, { action: input.action }, ctx.caller)),
  }),
  nodeRoles: router({
    list: read.input(ListInput).query(({ ctx, input }) => ctx.services.nodeRoles.list(listQuery(input))),
    get: read.input(Id).query(({ ctx, input }) => ctx.services.nodeRoles.get(input.id)),
  }),
  devices: router({
    list: read.input(ListInput).query(({ ctx, input }) => ctx.services.devices.list(listQuery(input))),
    get: read.input(Id).query(({ ctx, input }) => ctx.services.devices.get(input.id)),
  }),
  storagePolicies: router({
    list: read.input(ListInput).query(({ ctx, input }) => ctx.services.storagePolicies.list(listQuery(input))),
    get: read.input(Id).query(({ ctx, input }) => ctx.services.storagePolicies.get(input.id)),
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
  }),
  users: usersRouter,
  gatewayShares: gatewaySharesRouter,
  utilization: utilizationRouter,
  gatewayDeployments: jobsRouter((services) => services.gatewayDeployments),
  userDbDeployments: jobsRouter((services) => services.userDbDeployments),
  auditEvents: router({
    list: read.input(ListInput).query(({ ctx, input }) => ctx.services.auditEvents.list(listQuery(input))),
    get: read.input(Id).query(({ ctx, input }) => ctx.services.auditEvents.get(input.id)),
  }),
  operators: operatorsRouter,
  apiKeys: apiKeysRouter,
  tokens: router({
    create: write
      .input(
        z.object({
          cluster: z.int().min(1).max(maxId),
          ttl_seconds: z.int().min(60).max(604_800).optional(),
          uses: z.int().min(1).max(1000).optional(),
        }),
      )
      .mutation(({ ctx, input }) => ctx.services.tokens.create(input, ctx.caller)),
  }),
})
export type AppRouter = typeof appRouter
