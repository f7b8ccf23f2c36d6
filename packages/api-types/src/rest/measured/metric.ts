import { z } from 'zod'
import { ResourceUri } from '../dialect/uri.js'

export const MetricName = z.object({ metric_name: z.string() }).meta({ id: 'MetricName' })
export const MetricNames = z
  .object({ metrics: z.array(MetricName) })
  .meta({ id: 'MetricNames', examples: [{ metrics: [{ metric_name: 'load.shortterm' }] }] })
export type MetricNames = z.infer<typeof MetricNames>

/** `timestamp` is the time of the reading in whole Unix seconds; `value` is null when there is no fresh one. */
export const MetricSample = z
  .object({ metric_name: z.string(), timestamp: z.int(), value: z.number().nullable() })
  .meta({ id: 'MetricSample' })
export type MetricSample = z.infer<typeof MetricSample>

export const MetricSamples = z.object({ metrics: z.array(MetricSample) }).meta({
  id: 'MetricSamples',
  examples: [{ metrics: [{ metric_name: 'load.shortterm', timestamp: 1_795_201_200, value: 0.42 }] }],
})
export type MetricSamples = z.infer<typeof MetricSamples>

/** A sample of one node among several, as `metrics/across/` streams them. */
export const NodeMetricSample = z.object({ node: ResourceUri, ...MetricSample.shape }).meta({ id: 'NodeMetricSample' })
export type NodeMetricSample = z.infer<typeof NodeMetricSample>

export const NodeMetricSamples = z.object({ metrics: z.array(NodeMetricSample) }).meta({
  id: 'NodeMetricSamples',
  examples: [
    {
      metrics: [{ node: '/api/v1/nodes/7/', metric_name: 'load.shortterm', timestamp: 1_795_201_200, value: 0.42 }],
    },
  ],
})
export type NodeMetricSamples = z.infer<typeof NodeMetricSamples>
