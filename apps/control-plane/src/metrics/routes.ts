import { MetricNames, MetricSamples, NodeMetricSamples } from '@roost/api-types/rest'
import type { Route, RouteRequest } from '../http/dialect/route.js'
import { sendSlices } from '../http/dialect/slices.js'
import { z } from 'zod'
import { splitNames } from './query.js'
import type { MetricReads } from './service.js'
import { acrossText, namesText, samplesText } from './text.js'

const query = {
  metrics: z
    .string()
    .describe('Metric names separated by commas; `*` stands for any run of characters. May be repeated.'),
}

const asked = (request: RouteRequest) => splitNames(request.query.getAll('metrics'))

/** Names and latest values of nodes and clusters. */
export function metricRoutes(metrics: MetricReads): readonly Route[] {
  const shared = { method: 'GET', status: 200 } as const
  const cluster = { ...shared, resource: 'clusters' } as const
  const node = { ...shared, resource: 'nodes' } as const
  return [
    {
      ...cluster,
      path: 'clusters/:id/metrics/list/',
      summary: 'Names of the metrics of the nodes of a cluster',
      answer: MetricNames,
      handle: async ({ id }, reply) => sendSlices(reply, namesText(await metrics.clusterNames(id))),
    },
    {
      ...cluster,
      path: 'clusters/:id/metrics/poll/',
      summary: 'Latest values, each over the online nodes of a cluster',
      query,
      answer: MetricSamples,
      handle: async (request, reply) =>
        sendSlices(reply, samplesText(await metrics.clusterAnswer(request.id, asked(request)))),
    },
    {
      ...cluster,
      path: 'clusters/:id/metrics/across/',
      summary: 'Latest values of every node of a cluster, one row a node and name',
      query,
      answer: NodeMetricSamples,
      handle: async (request, reply) =>
        sendSlices(reply, acrossText(await metrics.acrossAnswer(request.id, asked(request)))),
    },
    {
      ...node,
      path: 'nodes/:id/metrics/list/',
      summary: 'Names of the metrics of a node',
      answer: MetricNames,
      handle: async ({ id }, reply) => sendSlices(reply, namesText(await metrics.nodeNames(id))),
    },
    {
      ...node,
      path: 'nodes/:id/metrics/poll/',
      summary: 'Latest values of a node',
      query,
      answer: MetricSamples,
      handle: async (request, reply) =>
        sendSlices(reply, samplesText(await metrics.nodeAnswer(request.id, asked(request)))),
    },
  ]
}
