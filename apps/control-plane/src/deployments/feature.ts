import type { DeploymentKind } from '@roost/api-types/agent'
import type { Node } from '@roost/api-types/rest'
import type { Services } from '@roost/api-types/rpc'
import type { AgentRequests, NodeChannel } from '../agents/requests.js'
import type { Writes } from '../database/writes.js'
import type { BodyFingerprint } from '../secrets/body-fingerprint.js'
import type { Clock } from '@roost/runtime'
import type { Log } from '../lifecycle/log.js'
import { every } from '../jobs/every.js'
import type { Secrets } from '../secrets/secrets.js'
import type { AdoptShare } from './adoption.js'
import type { AskProxies } from '../services/proxies.js'
import { createDriftService } from './drift.js'
import type { JobStore } from './job-store.js'
import { createDeploymentNodes } from './nodes.js'
import type { DeploymentNodes } from './nodes.js'
import { createPayloads } from './payload.js'
import type { DesiredSources } from './payload.js'
import { createDeployedStates, createPlanner } from './planner.js'
import type { DeployedStates } from './planner.js'
import { JobRunner } from './runner.js'
import { createJobService } from './service.js'
import type { StateStore } from './state-store.js'
import { createTokenEnding } from './token-ending.js'

export interface DeploymentOptions {
  readonly jobs: Readonly<Record<DeploymentKind, JobStore>>
  readonly store: StateStore
  readonly sources: DesiredSources
  readonly channel: NodeChannel
  readonly requests: AgentRequests
  readonly askProxies: AskProxies
  readonly writes: Writes
  readonly secrets: Secrets
  readonly mac: BodyFingerprint
  /** Throws `not_found` where there is no such node. */
  readonly getNode: (id: number) => Promise<Node>
  readonly adoptShare: AdoptShare
  readonly clock: Clock
  readonly log: Log
  /** How long a node may be silent about a generation before its target fails. */
  readonly targetTimeoutMs: number
}

export interface DeploymentFeature {
  readonly services: Pick<Services, 'gatewayDeployments' | 'userDbDeployments' | 'drift'>
  readonly states: DeployedStates
  /** What the stream hands over. */
  readonly nodes: DeploymentNodes
  stop(): Promise<void>
}

const planTimeoutMs = 30_000
/** How often deadlines are checked, and jobs that a crash interrupted are continued. */
const checkEveryMs = 5_000

/** Jobs, the generations of nodes, and drift. */
export function createDeployments(options: DeploymentOptions): DeploymentFeature {
  const { jobs, store, writes, secrets, channel, requests, getNode, log, targetTimeoutMs } = options
  const payloads = createPayloads(options.sources, store, secrets)
  const wake = () => runner.wake()
  const nodes = createDeploymentNodes({ store, secrets, channel, wake, log })
  const plan = createPlanner({ store, payloads, requests, mac: options.mac }, planTimeoutMs)
  const timeouts = { targetTimeoutMs, planTimeoutMs: 2 * planTimeoutMs }
  const runner = new JobRunner(
    { ...options, payloads, nodes, plan, tokens: createTokenEnding(requests, store) },
    timeouts,
  )
  const check = every(checkEveryMs, 'advance deployments', async () => wake(), log)
  const service = (kind: DeploymentKind) => {
    return createJobService({
      kind,
      store: jobs[kind],
      writes,
      plan,
      askProxies: kind === 'user_db' ? options.askProxies : async () => new Map(),
      leaveOut: (tx, nodeId) => store.leaveOut(tx, nodeId, kind),
      sendDesired: (nodeId) => nodes.sendDesired(nodeId),
      now: () => options.clock.now(),
      wake,
    })
  }
  return {
    services: {
      gatewayDeployments: service('gateway'),
      userDbDeployments: service('user_db'),
      drift: createDriftService({
        store,
        writes,
        configStateOf: async (id) => (await getNode(id)).config_state,
        sendDesired: (nodeId) => nodes.sendDesired(nodeId),
        secrets,
        adoptShare: options.adoptShare,
      }),
    },
    states: createDeployedStates({ jobs, store, payloads, askProxies: options.askProxies }),
    nodes,
    async stop() {
      await check.stop()
      await runner.stop()
    },
  }
}
