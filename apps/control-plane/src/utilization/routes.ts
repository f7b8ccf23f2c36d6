import {
  AccountStorageUtilization,
  AccountTransferUtilization,
  maxId,
  RoostError,
  StorageUtilization,
  TransferUtilization,
  utilizationEnvelope,
} from '@roost/api-types/rest'
import type { StorageScope, TransferScope } from '@roost/api-types/rpc'
import { z } from 'zod'
import type { Route, RouteRequest } from '../http/dialect/route.js'
import type { UtilizationFeeds } from './service.js'
import { answerView, viewsOf } from './views.js'
import type { View } from './views.js'

interface UtilizationRoutesOptions {
  readonly utilization: UtilizationFeeds
  /** Throws `not_found`. */
  readonly requireCluster: (id: number) => Promise<unknown>
}

/** The eight questions about usage. */
export function utilizationRoutes({ utilization, requireCluster }: UtilizationRoutesOptions): readonly Route[] {
  const mount = <Scope extends Partial<StorageScope>>(
    base: string,
    what: string,
    scopeOf: (request: RouteRequest) => Scope,
    views: readonly View<Scope>[],
  ) =>
    views.map((view): Route => {
      const path = `clusters/:id/utilization/${base}${view.path}`
      return {
        method: 'GET',
        path,
        resource: 'clusters',
        summary: `${what}: ${view.summary}`,
        params: { policy_idx: 'Index of the storage policy', account: 'Account, such as AUTH_bob' },
        query,
        requiredQuery: ['start'],
        status: 200,
        answer: utilizationEnvelope(view.record),
        csv: true,
        requireRecord: requireCluster,
        handle: (request, reply) => answerView(view, path, scopeOf(request), request, reply),
      }
    })
  return [
    ...mount(
      'storage/:policy_idx/',
      'Storage of a policy',
      storageScope,
      viewsOf(utilization.storage, StorageUtilization, AccountStorageUtilization),
    ),
    ...mount(
      'transfer/',
      'Transfer',
      transferScope,
      viewsOf(utilization.transfer, TransferUtilization, AccountTransferUtilization),
    ),
  ]
}

const query = {
  start: z.string().describe('ISO 8601; UTC if no time zone is given. Rounded down to the half-hour'),
  end: z.string().describe('Default: now. Rounded up to complete hours after the rounded start'),
  limit: z.int().min(0).describe('Page size; 0 or more than 1000 means 1000').meta({ default: 20 }),
  offset: z.int().min(0).describe('Offset of the first row').meta({ default: 0 }),
  format: z.enum(['json', 'csv']).describe('csv: all rows, or those of the page if a limit is given'),
}

function transferScope({ id }: RouteRequest): TransferScope {
  return { clusterId: id }
}

function storageScope({ id, params }: RouteRequest): StorageScope {
  const text = params['policy_idx'] ?? ''
  const policyIdx = /^\d{1,10}$/.test(text) ? Number(text) : maxId + 1
  if (policyIdx > maxId) throw new RoostError('not_found', 'Use the index of a storage policy, such as 0.')
  return { clusterId: id, policyIdx }
}
