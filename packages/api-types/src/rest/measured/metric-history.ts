import { z } from 'zod'
import { ResourceUri } from '../dialect/uri.js'

/** How finely an answer was read: readings, or means with minimum and maximum of five minutes or an hour. */
export const HistoryLevel = z.enum(['raw', '5min', 'hour']).meta({ id: 'HistoryLevel' })
export type HistoryLevel = z.infer<typeof HistoryLevel>

/**
 * `start` is the time of the first point, `step` the seconds between two; point `i` covers the step that begins at
 * `start + i * step`. `complete_until`: what is newer may still change, because agents send every few minutes.
 */
export const MetricHistoryMeta = z
  .object({
    start: z.int(),
    step: z.int(),
    points: z.int(),
    level: HistoryLevel,
    complete_until: z.int().nullable(),
  })
  .meta({ id: 'MetricHistoryMeta' })
export type MetricHistoryMeta = z.infer<typeof MetricHistoryMeta>

const values = z.array(z.number().nullable())

/** A series. With the level `raw` it has `times` and `values`, otherwise `mean`, `min` and `max`. Null is a gap. */
export const MetricSeries = z
  .object({
    metric_name: z.string(),
    unit: z.string(),
    times: z.array(z.number()).optional(),
    values: values.optional(),
    mean: values.optional(),
    min: values.optional(),
    max: values.optional(),
  })
  .meta({ id: 'MetricSeries' })
export type MetricSeries = z.infer<typeof MetricSeries>

const meta = { start: 1_795_046_400, step: 300, points: 3, level: '5min', complete_until: 1_795_132_500 } as const
const series = {
  metric_name: 'disk.sda.disk_ops.read',
  unit: 'operations/s',
  mean: [38.2, null, 41],
  min: [12, null, 9],
  max: [77, null, 102],
}

export const MetricHistory = z
  .object({ meta: MetricHistoryMeta, metrics: z.array(MetricSeries) })
  .meta({ id: 'MetricHistory', examples: [{ meta, metrics: [series] }] })
export type MetricHistory = z.infer<typeof MetricHistory>

/** A series of one node among several. */
export const NodeMetricSeries = z.object({ node: ResourceUri, ...MetricSeries.shape }).meta({ id: 'NodeMetricSeries' })
export type NodeMetricSeries = z.infer<typeof NodeMetricSeries>

export const NodeMetricHistory = z.object({ meta: MetricHistoryMeta, metrics: z.array(NodeMetricSeries) }).meta({
  id: 'NodeMetricHistory',
  examples: [{ meta, metrics: [{ node: '/api/v1/nodes/7/', ...series }] }],
})
export type NodeMetricHistory = z.infer<typeof NodeMetricHistory>

/** A line of a list: one metric of a node with few points. Null is a gap. */
export const Sparkline = z.object({ node: ResourceUri, values }).meta({ id: 'Sparkline' })
export type Sparkline = z.infer<typeof Sparkline>

/** One metric of many nodes. The values are means over the steps. A node without any value is left out. */
export const Sparklines = z
  .object({ meta: MetricHistoryMeta, metric_name: z.string(), unit: z.string(), sparklines: z.array(Sparkline) })
  .meta({
    id: 'Sparklines',
    examples: [
      {
        meta: { ...meta, step: 300 },
        metric_name: series.metric_name,
        unit: series.unit,
        sparklines: [{ node: '/api/v1/nodes/7/', values: series.mean }],
      },
    ],
  })
export type Sparklines = z.infer<typeof Sparklines>
