import { maxId, MetricHistory, NodeMetricHistory, RoostError, Sparklines } from '@roost/api-types/rest'
import type { HistoryQuery } from '@roost/api-types/rpc'
import { z } from 'zod'
import type { Route, RouteRequest } from '../http/dialect/route.js'
import { sendPieces } from '../http/dialect/slices.js'
import { splitNames } from '../metrics/query.js'
import type { HistoryReads } from './answers/service.js'
import { acrossText, historyText } from './answers/text.js'

const query = {
  metrics: z
    .array(z.string())
    .describe('Metric names, separated by commas; `*` matches any characters. May be repeated.'),
  start: z.string().describe('ISO 8601; UTC if no time zone is given'),
  end: z.string().describe('Default: now, and the latest values are the last points'),
  step: z.int().min(1).describe('Seconds between two points; 10 for readings. Default: what max_points leads to'),
  max_points: z.int().min(1).max(11_000).describe('Maximum number of points').meta({ default: 1000 }),
}

type Part = Pick<Route, 'resource' | 'path' | 'summary' | 'answer'>
type Read = (id: number, query: HistoryQuery) => Promise<Parameters<typeof sendPieces>[1]>

const history = (part: Part, read: Read): Route => ({
  ...part,
  method: 'GET',
  status: 200,
  query,
  requiredQuery: ['metrics', 'start'],
  handle: async (request, reply) => sendPieces(reply, await read(request.id, asked(request))),
})

/** Values of metrics over time, of a node, of a cluster and of all its nodes. */
export function historyRoutes(service: HistoryReads): readonly Route[] {
  return [
    history(
      {
        resource: 'clusters',
        path: 'clusters/:id/metrics/history/',
        summary: 'Values of a cluster over time, each aggregated over its online nodes',
        answer: MetricHistory,
      },
      async (id, asks) => historyText(await service.clusterAnswer(id, asks)),
    ),
    history(
      {
        resource: 'clusters',
        path: 'clusters/:id/metrics/across/history/',
        summary: 'Values of every node of a cluster over time',
        answer: NodeMetricHistory,
      },
      async (id, asks) => acrossText(await service.acrossAnswer(id, asks)),
    ),
    history(
      {
        resource: 'nodes',
        path: 'nodes/:id/metrics/history/',
        summary: 'Values of a node over time',
        answer: MetricHistory,
      },
      async (id, asks) => historyText(await service.nodeAnswer(id, asks)),
    ),
    sparklines(service),
  ]
}

const sparklines = (service: HistoryReads): Route => ({
  resource: 'nodes',
  method: 'GET',
  path: 'nodes/metrics/sparklines/',
  summary: 'One metric of up to 200 nodes over time, with few points',
  status: 200,
  answer: Sparklines,
  query: {
    id__in: z.array(z.int()).describe('Ids of nodes, separated by commas. May be repeated.'),
    metric: z.string().describe('Name of the metric'),
    points: z.int().min(2).max(120).describe('Maximum number of points').meta({ default: 30 }),
    start: z.string().describe('ISO 8601; UTC if no time zone is given. Default: an hour ago'),
    end: z.string().describe('Default: now, and the latest values are the last points'),
  },
  requiredQuery: ['id__in', 'metric'],
  handle: ({ query: given }) =>
    service.sparklines({
      ids: given.getAll('id__in').flatMap(idsOf),
      name: given.get('metric') ?? '',
      points: integerOf('points', given.get('points')),
      start: given.get('start') ?? undefined,
      end: given.get('end') ?? undefined,
    }),
})

function idsOf(text: string): number[] {
  const parts = text.split(',').filter((part) => part !== '')
  const wrong = parts.find((part) => !/^\d{1,10}$/.test(part) || Number(part) > maxId)
  if (wrong === undefined) return parts.map(Number)
  throw new RoostError('invalid', `Invalid id '${wrong.slice(0, 64)}' in id__in. Please provide ids of nodes.`)
}

function asked({ query: given }: RouteRequest): HistoryQuery {
  return {
    metrics: splitNames(given.getAll('metrics')),
    start: given.get('start') ?? '',
    end: given.get('end') ?? undefined,
    step: integerOf('step', given.get('step')),
    max_points: integerOf('max_points', given.get('max_points')),
  }
}

function integerOf(name: string, text: string | null): number | undefined {
  if (text === null || text === '') return undefined
  const number = /^\d{1,10}$/.test(text) ? Number(text) : maxId
  if (number < maxId) return number
  throw new RoostError('invalid', `Invalid ${name} '${text.slice(0, 64)}' provided. Please provide a whole number.`)
}
