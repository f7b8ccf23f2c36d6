import { EventBatch, EventTopic, maxId, RoostError } from '@roost/api-types/rest'
import type { EventQuery, EventService } from '@roost/api-types/rpc'
import { z } from 'zod'
import type { Route } from '../http/dialect/route.js'

const maxWaitSeconds = 60

const query = {
  topics: z.array(EventTopic).describe('Topics, separated by commas; all unless given'),
  cluster: z.int().min(1).max(maxId).describe('Only what belongs to this cluster, or to none'),
  after: z.string().max(64).describe('`last` of the answer before: what has changed since then'),
  wait: z.int().min(0).max(maxWaitSeconds).describe('Seconds to wait for a change; 0 unless given'),
} as const

/** Changes for programs that poll; `events.watch` of tRPC streams them. */
export function eventRoutes(events: EventService): readonly Route[] {
  return [
    {
      method: 'GET',
      path: 'events/',
      resource: 'events',
      summary: 'Ids of records that have changed; with `wait`, answers when something changes',
      query,
      status: 200,
      answer: EventBatch,
      async handle({ query: given }, reply) {
        const closed = new AbortController()
        reply.raw.once('close', () => closed.abort())
        return next(events, questionOf(given), closed.signal, numberOf(given, 'wait', 0, maxWaitSeconds))
      },
    },
  ]
}

/** Returns the first batch that has something, or an empty one when the time is over. */
async function next(events: EventService, asked: EventQuery, closed: AbortSignal, waitS: number): Promise<EventBatch> {
  const signal = waitS === 0 ? closed : AbortSignal.any([closed, AbortSignal.timeout(waitS * 1000)])
  let last: EventBatch = { last: asked.after ?? '', events: [], list_again: [], metrics: [] }
  for await (const batch of events.watch(asked, signal)) {
    last = batch
    if (waitS === 0 || batch.events.length > 0 || batch.list_again.length > 0) break
  }
  return last
}

function questionOf(given: URLSearchParams): EventQuery {
  const topics = given.getAll('topics').flatMap((text) => text.split(',').filter(Boolean))
  const unknown = topics.find((topic) => !EventTopic.options.includes(topic as EventTopic))
  if (unknown !== undefined)
    throw new RoostError(
      'invalid',
      `There is no topic '${unknown.slice(0, 64)}'. Topics: ${EventTopic.options.join(', ')}.`,
    )
  const after = given.getAll('after').at(-1)
  return {
    topics: topics.length === 0 ? EventTopic.options : (topics as EventTopic[]),
    ...(given.has('cluster') ? { cluster: numberOf(given, 'cluster', 1, maxId) } : {}),
    ...(after === undefined ? {} : { after: after.slice(0, 64) }),
  }
}

function numberOf(given: URLSearchParams, name: string, least: number, most: number): number {
  const text = given.getAll(name).at(-1)
  if (text === undefined) return least
  const number = /^\d{1,10}$/.test(text) ? Number(text) : -1
  if (number >= least && number <= most) return number
  throw new RoostError(
    'invalid',
    `Invalid ${name} '${text.slice(0, 64)}' provided. Use a number from ${least} to ${most}.`,
  )
}
