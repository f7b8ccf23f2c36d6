import type { Node } from '@roost/api-types/rest'
import type {
  DriftedNodesService,
  GenerationService,
  PendingChangeService,
  UserAdoptionService,
} from '@roost/api-types/rpc'
import type { AgentRequests, NodeChannel } from '../agents/requests.js'
import type { Writes } from '../database/writes.js'
import type { BodyFingerprint } from '../secrets/body-fingerprint.js'
import { closeAll, systemClock } from '@roost/runtime'
import { createDesiredStorage } from '../clusters/desired-storage-store.js'
import type { Database } from '../database/database.js'
import { createDeployments } from '../deployments/feature.js'
import type { DeploymentFeature } from '../deployments/feature.js'
import { createJobStore } from '../deployments/job-store.js'
import { createStateStore } from '../deployments/state-store.js'
import { createDriftedNodes } from '../generations/drifted-store.js'
import { createPendingChanges } from '../generations/pending.js'
import { createGenerationService } from '../generations/service.js'
import { createGenerationStore } from '../generations/store.js'
import type { Secrets } from '../secrets/secrets.js'
import { createShareAdoption } from '../shares/adoption.js'
import { createDesiredShares } from '../shares/desired-store.js'
import { createShareStore } from '../shares/store.js'
import { buildIdentity } from './identity.js'
import type { IdentityFeature } from '../identity/feature.js'
import type { ContextOptions } from './options.js'
import { buildShareForms } from './share-forms.js'
import type { ShareForms } from './share-forms.js'
import { createUserAdoption } from '../users/adoption.js'
import { createAdoptionStore } from '../users/adoption-store.js'
import { createAskProxies, readProxies } from '../users/proxies-store.js'
import { createDesiredUsers } from '../users/desired-store.js'
import { createUserStore } from '../users/store.js'

interface DeploymentParts {
  readonly writes: Writes
  readonly secrets: Secrets
  readonly mac: BodyFingerprint
  readonly channel: NodeChannel
  readonly requests: AgentRequests
  readonly getNode: (id: number) => Promise<Node>
}

/** Deployments of shares and users to nodes, and of users to the identity services of their clusters. */
export function buildDeployments(
  database: Database,
  options: ContextOptions,
  parts: DeploymentParts,
): Omit<DeploymentFeature, 'services'> & { readonly services: DeploymentFeature['services'] & MoreServices } {
  const nodes = buildNodeDeployments(database, options, parts)
  const identity = buildIdentity(database, options, { ...parts, base: nodes.services.userDbDeployments })
  const { clusterIdentity, s3Credentials, userDbDeployments, readAdoptable } = identity
  const userAdoption = createUserAdoption({
    ...parts,
    store: createAdoptionStore(database, createAskProxies(database, parts.requests)),
    users: createUserStore(database),
    readIdentity: readAdoptable,
  })
  const generations = createGenerationService({
    store: createGenerationStore(database),
    secrets: parts.secrets,
    requireNode: parts.getNode,
  })
  const pendingChanges = createPendingChanges({
    states: nodes.states,
    hasUsersOnProxies: async (clusterId) => (await clusterIdentity.get(clusterId)) === null,
  })
  const deployed = {
    generations,
    pendingChanges,
    driftedNodes: createDriftedNodes(database),
    ...buildShareForms(database, { ...parts, states: nodes.states }),
  }
  return {
    ...nodes,
    services: { ...nodes.services, clusterIdentity, s3Credentials, userAdoption, userDbDeployments, ...deployed },
    stop: () => closeAll([() => identity.stop(), () => nodes.stop()]),
  }
}

type MoreServices = Pick<IdentityFeature, 'clusterIdentity' | 's3Credentials'> &
  ShareForms & {
    readonly userAdoption: UserAdoptionService
    readonly driftedNodes: DriftedNodesService
    readonly generations: GenerationService
    readonly pendingChanges: PendingChangeService
  }

/** Deployments to nodes, with the sources of their desired state. */
function buildNodeDeployments(
  database: Database,
  { config, log, now }: ContextOptions,
  more: DeploymentParts,
): DeploymentFeature {
  const shares = createDesiredShares(more.secrets)
  const users = createDesiredUsers(more.secrets)
  const storage = createDesiredStorage(more.secrets)
  return createDeployments({
    ...more,
    askProxies: createAskProxies(database, more.requests),
    store: createStateStore(database),
    jobs: {
      gateway: createJobStore(database, 'gateway', readProxies),
      user_db: createJobStore(database, 'user_db', readProxies),
    },
    sources: {
      gateway: async (tx, nodeId) => {
        const enabled = await shares(tx, nodeId)
        // A gateway without shares has nothing to mount, so it does not get the login.
        return { kind: 'gateway', shares: enabled, storage: enabled.length === 0 ? null : await storage(tx, nodeId) }
      },
      user_db: users,
    },
    adoptShare: createShareAdoption(createShareStore(database)),
    clock: { ...systemClock, now },
    log,
    targetTimeoutMs: config.deploymentTimeoutMs,
  })
}
