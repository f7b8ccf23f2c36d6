import { z } from 'zod'
import { maxId } from '../rest/index.js'
import { boundedText } from '../values/text.js'
import { Id, never, read, router } from './procedures.js'

/** Metric names, in which `*` stands for any run of characters, of the node or cluster `id`. */
const Poll = Id.extend({ metrics: z.array(boundedText(65_536)) })

/** Which nodes and devices are part of the numbers of the cluster `id`, which are not, and why. */
export const explainRouter = router({
  capacity: read.input(Id).query(({ ctx, input }) => ctx.services.capacity.explain(input.id)),
  forecast: read.input(Id).query(({ ctx, input }) => ctx.services.capacity.explainForecast(input.id)),
  health: read.input(Id).query(({ ctx, input }) => ctx.services.clusterHealth.explain(input.id)),
  metrics: read.input(Poll).query(({ ctx, input }) => ctx.services.metrics.explainCluster(input.id, input.metrics)),
})

const time = boundedText(64)
/** Sets of policies by their names, such as `gold,silver`. */
export const CapacityHistoryInput = Id.extend({
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

export const metricsRouter = router({
  namesOfNode: read.input(Id).query(({ ctx, input }) => ctx.services.metrics.namesOfNode(input.id)),
  namesOfCluster: read.input(Id).query(({ ctx, input }) => ctx.services.metrics.namesOfCluster(input.id)),
  pollNode: read.input(Poll).query(({ ctx, input }) => ctx.services.metrics.pollNode(input.id, input.metrics)),
  pollCluster: read.input(Poll).query(({ ctx, input }) => ctx.services.metrics.pollCluster(input.id, input.metrics)),
  /** Streams: the samples of a poll, then those that are new. */
  watchNode: read
    .input(Poll)
    .subscription(({ ctx, input, signal }) => ctx.services.metrics.watchNode(input.id, input.metrics, signal ?? never)),
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
})

export const capacityRouter = router({
  /** How many devices of the cluster `id` are how full; with `by_node` also each device. */
  fullness: read
    .input(Id.extend({ step: z.number().optional(), by_node: z.boolean().optional() }))
    .query(({ ctx, input: { id, ...query } }) => ctx.services.capacity.fullness(id, query)),
})
