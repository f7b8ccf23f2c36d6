import { Explanations, MetricNames, MetricSamples, NodeMetricSamples } from '@roost/api-types/rest'
import type { Route, RouteRequest } from '../http/dialect/route.js'
import { sendSlices } from '../http/dialect/slices.js'
import { z } from 'zod'
import { splitNames } from './query.js'
import type { MetricReads } from './service.js'
import { acrossText, namesText, samplesText } from './text.js'

const query = {
  metrics: z
    .array(z.string())
    .describe('Metric names, separated by commas; `*` matches any characters. May be repeated.'),
}

const asked = (request: RouteRequest) => splitNames(request.query.getAll('metrics'))

type Part = Pick<Route, 'resource' | 'path' | 'summary'>

const listing = (part: Part, read: (id: number) => Promise<Parameters<typeof namesText>[0]>): Route => ({
  ...part,
  method: 'GET',
  status: 200,
  answer: MetricNames,
  handle: async ({ id }, reply) => sendSlices(reply, namesText(await read(id))),
})

type Answer = Pick<Route, 'answer'>
type Slices = (request: RouteRequest) => Promise<Parameters<typeof sendSlices>[1]>
const latest = (part: Part & Answer, read: Slices): Route => ({
  ...part,
  method: 'GET',
  status: 200,
  query,
  requiredQuery: ['metrics'],
  handle: async (request, reply) => sendSlices(reply, await read(request)),
})

const cluster = (path: string, summary: string) =>
  ({ resource: 'clusters', path: `clusters/:id/metrics/${path}/`, summary }) as const
const node = (path: string, summary: string) =>
  ({ resource: 'nodes', path: `nodes/:id/metrics/${path}/`, summary }) as const

/** Names and latest values of nodes and clusters. */
export function metricRoutes(metrics: MetricReads): readonly Route[] {
  return [
    listing(cluster('list', 'Names of the metrics of the nodes of a cluster'), (id) => metrics.clusterNames(id)),
    latest(
      {
        ...cluster('poll', 'Latest values of a cluster, each aggregated over its online nodes'),
        answer: MetricSamples,
      },
      async (request) => samplesText(await metrics.clusterAnswer(request.id, asked(request))),
    ),
    latest(
      {
        ...cluster('across', 'Latest values of every node of a cluster, one row per node and name'),
        answer: NodeMetricSamples,
      },
      async (request) => acrossText(await metrics.acrossAnswer(request.id, asked(request))),
    ),
    {
      ...cluster('explain', 'Of which nodes the latest values of a cluster are made, which are left out, and why'),
      method: 'GET',
      query,
      requiredQuery: ['metrics'],
      status: 200,
      answer: Explanations,
      handle: (request) => metrics.explainCluster(request.id, asked(request)),
    },
    listing(node('list', 'Names of the metrics of a node'), (id) => metrics.nodeNames(id)),
    latest({ ...node('poll', 'Latest values of a node'), answer: MetricSamples }, async (request) =>
      samplesText(await metrics.nodeAnswer(request.id, asked(request))),
    ),
  ]
}
