import {
  DriftedNode,
  GenerationDiff,
  GenerationKind,
  Generations,
  idOfUri,
  listEnvelope,
  maxId,
  PendingChanges,
  RoostError,
} from '@roost/api-types/rest'
import type { DriftedNodesService, GenerationService, PendingChangeService } from '@roost/api-types/rpc'
import { z } from 'zod'
import { parsePaging } from '../http/dialect/list-query.js'
import { listMeta } from '../http/dialect/paging.js'
import type { Route } from '../http/dialect/route.js'
import { pagingParameters } from '../http/dialect/schema-document.js'
import { mismatchedValue } from '../services/list-rules.js'

const kind = GenerationKind.describe('What was deployed: the shares of a gateway, or the users of a proxy')
const generation = (text: string) => z.int().min(1).describe(text)

interface GenerationRoutesOptions {
  readonly generations: GenerationService
  /** Throws `not_found`. */
  readonly requireNode: (id: number) => Promise<unknown>
}

/** The generations of a node. */
export function generationRoutes({ generations, requireNode }: GenerationRoutesOptions): readonly Route[] {
  return [
    {
      method: 'GET',
      path: 'nodes/:id/generations/',
      resource: 'nodes',
      status: 200,
      summary: 'Generations of a node that are stored, to return to, the newest first',
      query: { kind },
      requiredQuery: ['kind'],
      answer: Generations,
      requireRecord: requireNode,
      handle: ({ id, query }) => generations.list(id, kindIn(query)),
    },
    {
      method: 'GET',
      path: 'nodes/:id/generations/diff/',
      resource: 'nodes',
      status: 200,
      summary: 'Shares or users that differ between two generations of a node, without secrets',
      query: { kind, a: generation('The earlier generation'), b: generation('The later generation') },
      requiredQuery: ['kind', 'a', 'b'],
      answer: GenerationDiff,
      requireRecord: requireNode,
      handle: ({ id, query }) =>
        generations.diff(id, kindIn(query), generationIn(query, 'a'), generationIn(query, 'b')),
    },
  ]
}

/** What is not deployed yet. */
export function pendingRoutes(pending: PendingChangeService): readonly Route[] {
  return [
    {
      method: 'GET',
      path: 'clusters/:id/pending/',
      resource: 'clusters',
      status: 200,
      summary: 'Changes of shares and users that are not deployed yet, without secrets',
      answer: PendingChanges,
      handle: ({ id }) => pending.ofCluster(id),
    },
  ]
}

/** Which nodes differ from what was deployed to them. */
export function driftedNodesRoutes(drifted: DriftedNodesService): readonly Route[] {
  return [
    {
      method: 'GET',
      path: 'drift/',
      resource: 'nodes',
      status: 200,
      summary: 'Nodes that differ from what was deployed to them, with the number of differences; by host name',
      query: {
        cluster: z.string().describe('Id or resource URI of a cluster; of all clusters without it'),
        ...pagingParameters,
      },
      answer: listEnvelope(DriftedNode),
      async handle({ query, rawQuery }) {
        const page = parsePaging(query)
        const { total, objects } = await drifted.list({ cluster: clusterIn(query), ...page })
        return { meta: listMeta('/api/v1/drift/', rawQuery, page, total), objects }
      },
    },
  ]
}

function clusterIn(query: URLSearchParams): number | undefined {
  const text = query.getAll('cluster').at(-1)
  if (text === undefined) return undefined
  const id = /^\d{1,10}$/.test(text) ? Number(text) : idOfUri('clusters', text)
  if (id !== undefined && id <= maxId) return id
  throw mismatchedValue()
}

function kindIn(query: URLSearchParams): GenerationKind {
  const text = query.getAll('kind').at(-1) ?? ''
  const found = GenerationKind.safeParse(text)
  if (found.success) return found.data
  throw new RoostError('invalid', `Invalid kind '${text.slice(0, 64)}' provided. Please provide gateway or user_db.`)
}

function generationIn(query: URLSearchParams, name: 'a' | 'b'): number {
  const text = query.getAll(name).at(-1) ?? ''
  const number = /^\d{1,10}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= maxId) return number
  throw new RoostError(
    'invalid',
    `Invalid ${name} '${text.slice(0, 64)}' provided. Please provide the number of a generation.`,
  )
}
