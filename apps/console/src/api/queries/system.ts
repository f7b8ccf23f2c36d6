import { queryOptions } from '@tanstack/react-query'
import { rpc } from '../client.js'
import { refetchInterval } from '../connection.js'
import type { Filters } from './filters.js'
import type { inferOutput } from './output.js'

export type SystemRecord = inferOutput<typeof rpc.system.query>
export type UpgradeRecord = inferOutput<typeof rpc.agentUpgrades.get.query>
export type UpgradeTarget = UpgradeRecord['targets'][number]

/** The control plane itself. */
export const system = () =>
  queryOptions({
    queryKey: ['system'],
    queryFn: ({ signal }) => rpc.system.query(undefined, { signal }),
    refetchInterval,
  })

const listed = 50
const runningMs = 1_000

export function isRunning({ finished }: UpgradeRecord): boolean {
  return finished === null
}

/** The newest upgrades of agents. */
export const upgrades = (filters: Filters) =>
  queryOptions({
    queryKey: ['deployments', 'upgrades', filters],
    queryFn: ({ signal }) => rpc.agentUpgrades.list.query({ filters, order_by: ['-id'], limit: listed }, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.objects.some(isRunning) === true ? runningMs : refetchInterval()),
  })

/** An upgrade, read each second until it has ended. */
export const upgrade = (id: number) =>
  queryOptions({
    queryKey: ['deployments', 'upgrades', id],
    queryFn: ({ signal }) => rpc.agentUpgrades.get.query({ id }, { signal }),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isRunning(data) ? runningMs : false),
  })

/** The host names of nodes by their ids, of at most 1,000. */
export const hostnames = (ids: readonly number[]) =>
  queryOptions({
    queryKey: ['nodes', 'names', ids],
    queryFn: async ({ signal }) => {
      const nodes = await rpc.nodes.getMany.query({ ids: [...ids] }, { signal })
      return new Map(nodes.map(({ id, hostname }) => [id, hostname]))
    },
    structuralSharing: false,
  })
