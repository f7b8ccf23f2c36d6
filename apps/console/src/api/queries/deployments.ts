import { queryOptions } from '@tanstack/react-query'
import { refetchInterval } from '../connection.js'
import { rpc } from '../client.js'
import { idIn } from '../uri.js'
import type { inferOutput } from './output.js'
import type { Filters } from './filters.js'

export type JobRecord = inferOutput<typeof rpc.gatewayDeployments.get.query>
export type JobPlan = NonNullable<JobRecord['plan']>
export type NodePlan = JobPlan['nodes'][number]

export type GenerationRecord = inferOutput<typeof rpc.generations.list.query>['generations'][number]
export type RecordDifference = inferOutput<typeof rpc.generations.diff.query>['differences'][number]

/** What is deployed: shares to gateways, or users to the proxies or the identity service of a cluster. */
export const deploymentKinds = ['shares', 'users'] as const
export type DeploymentKind = (typeof deploymentKinds)[number]

export function kindIn(text: string | undefined): DeploymentKind {
  return text === 'users' ? 'users' : 'shares'
}

/** Returns the procedures of a kind. */
export function deploymentsOf(kind: DeploymentKind) {
  return kind === 'shares' ? rpc.gatewayDeployments : rpc.userDbDeployments
}

export function isUnfinished({ finished }: JobRecord): boolean {
  return finished === null
}

const states = ['NEW', 'QUEUED', 'IN_PROGRESS', 'COMPLETED_SUCCESS', 'COMPLETED_FAILED']
const runningMs = 1_000
const pendingMs = 60_000

/** A job, read each second until it has ended. */
export const job = (kind: DeploymentKind, id: number) =>
  queryOptions({
    queryKey: ['deployments', kind, id],
    queryFn: ({ signal }) => deploymentsOf(kind).get.query({ id }, { signal }),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isUnfinished(data) ? runningMs : false),
  })

/** The cluster of a job: the one that it is for, or the one of its node. */
export const clusterOf = ({ cluster, node }: Pick<JobRecord, 'cluster' | 'node'>) =>
  queryOptions({
    queryKey: ['clusters', 'of', cluster ?? node],
    queryFn: async ({ signal }) => {
      const uri = cluster ?? (await rpc.nodes.get.query({ id: idIn(node ?? '') }, { signal })).cluster
      return rpc.clusters.get.query({ id: idIn(uri) }, { signal })
    },
  })

/** Reads jobs of a kind, the newest first, those that have ended, too. */
export function readJobs(
  kind: DeploymentKind,
  filters: Filters,
  slice: { readonly limit: number; readonly offset?: number },
  signal: AbortSignal,
) {
  return deploymentsOf(kind).list.query(
    { filters: { state: states, ...filters }, order_by: ['-id'], ...slice },
    { signal },
  )
}

/** The newest jobs of a kind. */
export const jobs = (kind: DeploymentKind, filters: Filters, limit: number) =>
  queryOptions({
    queryKey: ['deployments', kind, 'list', filters, limit],
    queryFn: ({ signal }) => readJobs(kind, filters, { limit }, signal),
    refetchInterval: ({ state: { data } }) => (data?.objects.some(isUnfinished) === true ? 2_000 : refetchInterval()),
  })

/** How nodes name what is deployed to them. */
export const kindsOfNodes = { shares: 'gateway', users: 'user_db' } as const

/** What was deployed to a node before. */
export const generations = (node: number, kind: DeploymentKind) =>
  queryOptions({
    queryKey: ['nodes', node, 'generations', kind],
    queryFn: ({ signal }) => rpc.generations.list.query({ node, kind: kindsOfNodes[kind] }, { signal }),
    refetchInterval,
  })

/** What differs between two generations. They never change. */
export const generationDiff = (node: number, kind: DeploymentKind, a: number, b: number) =>
  queryOptions({
    queryKey: ['generations', node, kind, a, b],
    queryFn: ({ signal }) => rpc.generations.diff.query({ node, kind: kindsOfNodes[kind], a, b }, { signal }),
    staleTime: Infinity,
    retry: false,
  })

/** Changes that no node has yet. What they depend on beside shares, users and deployments is seldom changed. */
export const pendingChanges = (cluster: number) =>
  queryOptions({
    queryKey: ['pending', cluster],
    queryFn: ({ signal }) => rpc.gatewayShares.pending.query({ cluster }, { signal }),
    refetchInterval: pendingMs,
  })
