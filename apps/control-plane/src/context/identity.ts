import type { JobService } from '@roost/api-types/rpc'
import { systemClock } from '@roost/runtime'
import type { Database } from '../database/database.js'
import type { Writes } from '../database/writes.js'
import { createJobStore } from '../deployments/job-store.js'
import type { AgentRequests, NodeChannel } from '../agents/requests.js'
import { createIdentityDriftStore } from '../identity/drift/store.js'
import { createEndingStore } from '../identity/ending-store.js'
import { createIdentity } from '../identity/feature.js'
import type { IdentityFeature } from '../identity/feature.js'
import { createIdentityJobStore } from '../identity/job-store.js'
import { createProjectStore } from '../identity/projects/store.js'
import { createS3Store } from '../identity/s3-store.js'
import { createIdentityServiceStore } from '../identity/service-store.js'
import type { BodyFingerprint } from '../secrets/body-fingerprint.js'
import type { Secrets } from '../secrets/secrets.js'
import { readProxies } from '../users/proxies-store.js'
import type { ContextOptions } from './options.js'

/** Builds the identity services of clusters; `base` deploys the users of clusters that have none. */
export function buildIdentity(
  database: Database,
  { log, now }: ContextOptions,
  more: {
    readonly writes: Writes
    readonly secrets: Secrets
    readonly mac: BodyFingerprint
    readonly base: JobService
    readonly requests: AgentRequests
    readonly channel: NodeChannel
  },
): IdentityFeature {
  return createIdentity({
    ...more,
    services: createIdentityServiceStore(database),
    store: createIdentityJobStore(database, more.secrets),
    endings: createEndingStore(database),
    drift: createIdentityDriftStore(database),
    projects: createProjectStore(database, more.secrets),
    s3: createS3Store(database, more.secrets),
    jobs: createJobStore(database, 'user_db', readProxies),
    clock: { ...systemClock, now },
    log,
  })
}
