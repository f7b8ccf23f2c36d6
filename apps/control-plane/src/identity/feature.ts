import type { ClusterIdentityService, JobService, S3CredentialService } from '@roost/api-types/rpc'
import type { Clock } from '@roost/runtime'
import type { Writes } from '../database/writes.js'
import { every } from '../jobs/every.js'
import { logged } from '../services/errors.js'
import type { Log } from '../lifecycle/log.js'
import type { BodyFingerprint } from '../secrets/body-fingerprint.js'
import type { Secrets } from '../secrets/secrets.js'
import type { AgentRequests, NodeChannel } from '../agents/requests.js'
import { readAdoptable } from './adoptable.js'
import type { EndingStore } from './ending-store.js'
import { createIdentityDrift } from './drift/drift.js'
import type { IdentityDriftStore } from './drift/drift.js'
import { createTokenEndings } from './endings.js'
import type { IdentityJobStore } from './job-store.js'
import { createIdentityJobs, requireNoUnfinished } from './jobs.js'
import type { UserDbJobs } from './jobs.js'
import type { Candidate } from '../users/candidate.js'
import { createProjectNames } from './projects/project-names.js'
import type { ProjectStore } from './projects/project-names.js'
import { createIdentityPlanner } from './planner.js'
import { IdentityRunner } from './runner.js'
import { createS3Credentials } from './s3-credentials.js'
import type { S3Store } from './s3-store.js'
import type { IdentityServiceStore } from './service-store.js'
import { createClusterIdentityService } from './service.js'

export interface IdentityOptions {
  readonly services: IdentityServiceStore
  readonly store: IdentityJobStore
  readonly jobs: UserDbJobs
  readonly endings: EndingStore
  readonly drift: IdentityDriftStore
  readonly s3: S3Store
  readonly projects: ProjectStore
  readonly requests: AgentRequests
  readonly channel: NodeChannel
  /** Deploys users to the proxies of clusters without an identity service. */
  readonly base: JobService
  readonly writes: Writes
  readonly secrets: Secrets
  readonly mac: BodyFingerprint
  readonly clock: Clock
  readonly log: Log
}

export interface IdentityFeature {
  /** Reads the users of a cluster's Keystone that Roost did not create. Throws `unavailable`. */
  readonly readAdoptable: (clusterId: number) => Promise<readonly Candidate[]>
  readonly clusterIdentity: ClusterIdentityService
  readonly s3Credentials: S3CredentialService
  readonly userDbDeployments: JobService
  stop(): Promise<void>
}

/** How often jobs that a crash interrupted, or that the database could not store, are continued. */
const checkEveryMs = 5_000
/** How often tokens are ended that could not be ended before. */
const retryEveryMs = 60_000
/** How often it is asked whether the Keystone of a cluster is due to be compared. */
const driftEveryMs = 10_000
/** How often the names of projects are read, for accounts that are new and projects with another name. */
const namesEveryMs = 300_000

/** The identity services of clusters, and the deployments of users to them. */
export function createIdentity(options: IdentityOptions): IdentityFeature {
  const { services, store, jobs, base, writes, secrets, mac, clock, log } = options
  const stopping = new AbortController()
  const plan = createIdentityPlanner(store, mac, stopping.signal)
  const endings = createTokenEndings({ ...options, store: options.endings, stopping: stopping.signal })
  const drift = createIdentityDrift({ store: options.drift, plan, clock })
  const deployed = (clusterId: number) => drift.compareSoon(clusterId)
  const runner = new IdentityRunner({ store, plan, endings, deployed, clock, log, stopping: stopping.signal })
  const wake = () => runner.wake()
  const check = every(checkEveryMs, 'advance deployments to identity services', async () => wake(), log)
  const retry = every(retryEveryMs, 'end tokens of users of Keystone', () => endings.retry(), log)
  const compare = every(driftEveryMs, 'compare Keystone with what was deployed', () => drift.compareDue(), log)
  const names = createProjectNames(options.projects, { log, signal: stopping.signal })
  const readNames = every(namesEveryMs, 'read the names of projects', () => names.read(), log)
  return {
    readAdoptable: (clusterId) => readAdoptable(store, clusterId, stopping.signal),
    clusterIdentity: createClusterIdentityService({
      store: services,
      writes,
      secrets,
      // The identity service is set, whatever comes of this.
      readNames: (clusterId) =>
        names
          .read(clusterId)
          .catch((error: unknown) => log.warn(logged(error), 'could not read the names of projects, retrying')),
      requireNoDeployment: (tx, clusterId) => requireNoUnfinished(jobs, tx, clusterId),
    }),
    s3Credentials: createS3Credentials({ store: options.s3, writes, endings, stopping: stopping.signal }),
    userDbDeployments: createIdentityJobs({ base, jobs, store, writes, plan, wake }),
    async stop() {
      stopping.abort()
      await Promise.all([check.stop(), retry.stop(), compare.stop(), readNames.stop()])
      await runner.stop()
    },
  }
}
