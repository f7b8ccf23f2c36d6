import {
  Capacity,
  CapacityForecast,
  CapacityFullness,
  CapacityHistory,
  Explanations,
  RoostError,
} from '@roost/api-types/rest'
import type { CapacityService } from '@roost/api-types/rpc'
import { z } from 'zod'
import type { Route } from '../http/dialect/route.js'

const range = {
  start: z.string().describe('ISO 8601; UTC if no time zone is given. Rounded down to the day (UTC)'),
  end: z.string().describe('Default: now. Rounded up to the end of the day'),
  ring_set: z
    .array(z.string())
    .describe('Name of a set of policies, such as `gold,silver`. May be repeated. Default: all'),
}

export function capacityRoutes(capacity: CapacityService): readonly Route[] {
  return [
    {
      method: 'GET',
      path: 'clusters/:id/capacity/list/',
      resource: 'clusters',
      summary: 'Capacity of a cluster by set of storage policies',
      status: 200,
      answer: Capacity,
      handle: ({ id }) => capacity.ofCluster(id),
    },
    {
      method: 'GET',
      path: 'clusters/:id/capacity/forecast/',
      resource: 'clusters',
      summary: 'Days until a cluster is full, by set of storage policies',
      status: 200,
      answer: CapacityForecast,
      handle: ({ id }) => capacity.forecast(id),
    },
    ...explainRoutes(capacity),
    fullness(capacity),
    {
      method: 'GET',
      path: 'clusters/:id/capacity/history/',
      resource: 'clusters',
      summary: 'Capacity of a cluster on each day, by set of storage policies',
      query: range,
      requiredQuery: ['start'],
      status: 200,
      answer: CapacityHistory,
      handle: ({ id, query }) =>
        capacity.history(
          id,
          { start: query.get('start') ?? '', end: query.get('end') ?? '' },
          query.has('ring_set') ? query.getAll('ring_set') : undefined,
        ),
    },
  ]
}

const fullness = (capacity: CapacityService): Route => ({
  method: 'GET',
  path: 'clusters/:id/capacity/fullness/',
  resource: 'clusters',
  summary: 'How many devices of a cluster are how full, by set of storage policies',
  query: {
    step: z.int().min(1).max(50).describe('Percent of a step, a divisor of 100').meta({ default: 5 }),
    by_node: z.boolean().describe('Lists each device, too, by node').meta({ default: false }),
  },
  status: 200,
  answer: CapacityFullness,
  handle: ({ id, query }) => {
    const step = query.get('step')
    const byNode = query.get('by_node') ?? 'false'
    if (!/^(?:true|false|[01])$/i.test(byNode))
      throw new RoostError(
        'invalid',
        `Invalid by_node '${byNode.slice(0, 64)}' provided. Please provide true or false.`,
      )
    return capacity.fullness(id, {
      ...(step !== null && { step: Number(step) }),
      by_node: /^(?:true|1)$/i.test(byNode),
    })
  },
})

function explainRoutes(capacity: CapacityService): readonly Route[] {
  return [
    {
      method: 'GET',
      path: 'clusters/:id/capacity/explain/',
      resource: 'clusters',
      summary: 'Which devices are part of the capacity of a cluster, which are not, and why',
      status: 200,
      answer: Explanations,
      handle: ({ id }) => capacity.explain(id),
    },
    {
      method: 'GET',
      path: 'clusters/:id/capacity/forecast/explain/',
      resource: 'clusters',
      summary: 'By which days, limit and devices the days until full of a cluster are forecast',
      status: 200,
      answer: Explanations,
      handle: ({ id }) => capacity.explainForecast(id),
    },
  ]
}
