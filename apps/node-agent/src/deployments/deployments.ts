import { type DesiredMessage, DeploymentKind, type PlanRequest, type SentState } from '@roost/api-types/agent'
import { type Clock, errorText, type Log, Periodic } from '@roost/runtime'
import type { Appliers } from './applier.js'
import { DeploymentQueue } from './deployment-queue.js'
import { recordFile } from './record.js'
import type { Reporter } from './reporter.js'

export interface DeploymentsOptions {
  readonly dir: string
  /** The UUID of the node. Generations of another node are ignored. */
  readonly node: string
  readonly appliers: Appliers
  readonly reporter: Reporter
  readonly clock: Clock
  readonly log: Log
}

export interface Deployments {
  /** True while a generation is applied or waits for it. */
  isBusy(): boolean
  desire(message: DesiredMessage): void
  plan(request: PlanRequest): Promise<void>
  /** Starts a session: drift is reported again. */
  connected(): void
  /** Reports drift that waited for an acknowledgement. */
  acknowledged(): void
  stop(): Promise<void>
}

const checkEveryMs = 60_000

/** Opens the deployments of this node: one queue for each kind. */
export async function openDeployments(options: DeploymentsOptions): Promise<Deployments> {
  const { clock, log, reporter } = options
  const queues = new Map<DeploymentKind, DeploymentQueue>()
  for (const kind of DeploymentKind.options) queues.set(kind, await openQueue(kind, options))
  const queueOf = (desired: SentState) => queues.get(desired.kind) as DeploymentQueue
  const watches = [...queues.values()].map((queue) => queue.watch())
  const all = (act: (queue: DeploymentQueue) => void) => () => [...queues.values()].forEach(act)
  const complete = all((queue) => queue.complete())
  const checkDrift = all((queue) => queue.checkDrift())
  const round = new Periodic({
    clock,
    intervalMs: () => checkEveryMs,
    work: async () => {
      complete()
      checkDrift()
    },
    onError: (error) => log.error('drift check failed', { error }),
  })
  return {
    isBusy: () => [...queues.values()].some((queue) => queue.isBusy),
    desire: (message) => queueOf(message.desired).desire(message),
    async plan({ request, desired }) {
      const answer = await queueOf(desired)
        .plan(desired)
        .then(
          (plan) => ({ plan, error: null }),
          (error: unknown) => ({ plan: null, error: errorText(error) }),
        )
      reporter.send({ type: 'plan', request, ...answer })
    },
    connected: all((queue) => queue.connected()),
    acknowledged: checkDrift,
    async stop() {
      for (const end of watches) end()
      await round.stop()
      await Promise.all([...queues.values()].map((queue) => queue.stop()))
    },
  }
}

function openQueue(kind: DeploymentKind, options: DeploymentsOptions): Promise<DeploymentQueue> {
  const { dir, node, appliers, reporter, clock, log } = options
  const answerKind = `applied_${kind}`
  return DeploymentQueue.open({
    kind,
    applier: appliers[kind],
    file: recordFile(dir, kind, node),
    send: (message) => reporter.send(message),
    answer: (message) => reporter.deliver(answerKind, (sequence) => ({ ...message, sequence })),
    isAnswering: () => reporter.isWaiting(answerKind),
    clock,
    log,
  })
}
