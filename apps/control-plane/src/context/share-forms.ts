import type { ContainerService, SharePreviewService, ShareSessionsService } from '@roost/api-types/rpc'
import { systemClock } from '@roost/runtime'
import type { AgentRequests } from '../agents/requests.js'
import { createStorageReader } from '../clusters/desired-storage-store.js'
import { createContainerService } from '../containers/service.js'
import type { Database } from '../database/database.js'
import type { DeployedStates } from '../deployments/planner.js'
import type { Secrets } from '../secrets/secrets.js'
import { createReads } from '../services/reads.js'
import { createPlanQueue } from '../shares/plan-queue.js'
import { createSharePreview } from '../shares/preview.js'
import { createShareSessions } from '../shares/sessions.js'
import { createShareStore } from '../shares/store.js'

interface ShareFormParts {
  readonly secrets: Secrets
  readonly requests: AgentRequests
  readonly states: DeployedStates
}

export interface ShareForms {
  readonly shareSessions: ShareSessionsService
  readonly sharePreview: SharePreviewService
  readonly containers: ContainerService
}

/** Builds what a form of a share asks gateways and Swift for. Both kinds of plans wait in one queue. */
export function buildShareForms(database: Database, { secrets, requests, states }: ShareFormParts): ShareForms {
  const store = createShareStore(database)
  const shares = createReads(store)
  const plans = createPlanQueue(requests)
  return {
    shareSessions: createShareSessions({
      getShare: (id) => shares.get(id),
      inForce: (nodeId) => states.inForce('gateway', nodeId),
      plans,
      clock: systemClock,
    }),
    sharePreview: createSharePreview({
      store,
      secrets,
      transaction: (work) => database.prisma.$transaction(work),
      desired: (tx, nodeId) => states.desired(tx, 'gateway', nodeId),
      plans,
      clock: systemClock,
    }),
    containers: createContainerService({ loginOf: createStorageReader(database, secrets) }),
  }
}
