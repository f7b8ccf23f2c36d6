import { type DesiredMessage, DeploymentKind, type DesiredState, type PlanRequest } from '@roost/api-types/agent'
import { type Clock, type Log, Periodic } from '@roost/runtime'
import type { Appliers } from './applier.js'
import { Lane } from './deployment-queue.js'
import { recordFile } from './record.js'
import type { Reporter } from './reporter.js'

export interface DeploymentsOptions {
  readonly dir: string
  /** The UUID of the node, whose generations are no other node's. */
  readonly node: string
  readonly appliers: Appliers
  readonly reporter: Reporter
  readonly clock: Clock
  readonly log: Log
}

export interface Deployments {
  desire(message: DesiredMessage): void
  plan(request: PlanRequest): Promise<void>
  /** A session has begun. */
  connected(): void
  /** The control plane has stored something. */
  acknowledged(): void
  stop(): Promise<void>
}

const checkEveryMs = 60_000

/** The deployments of this node: one queue for each kind. */
export async function openDeployments(options: DeploymentsOptions): Promise<Deployments> {
  const { clock, log, reporter } = options
  const lanes = new Map<DesiredState['kind'], Lane>()
  for (const kind of DeploymentKind.options) lanes.set(kind, await openLane(kind, options))
  const laneOf = (desired: DesiredState) => lanes.get(desired.kind) as Lane
  const watches = [...lanes.values()].map((lane) => lane.watch())
  const all = (act: (lane: Lane) => void) => () => [...lanes.values()].forEach(act)
  const complete = all((lane) => lane.complete())
  const checkDrift = all((lane) => lane.checkDrift())
  const round = new Periodic({
    clock,
    intervalMs: () => checkEveryMs,
    work: async () => {
      complete()
      checkDrift()
    },
    onError: (error) => log.error('Drift could not be looked for.', { error }),
  })
  return {
    desire: (message) => laneOf(message.desired).desire(message),
    async plan({ request, desired }) {
      const answer = await laneOf(desired)
        .plan(desired)
        .then(
          (plan) => ({ plan, error: null }),
          (error: unknown) => ({ plan: null, error: error instanceof Error ? error.message : String(error) }),
        )
      reporter.send({ type: 'plan', request, ...answer })
    },
    connected: all((lane) => lane.connected()),
    acknowledged: checkDrift,
    async stop() {
      for (const end of watches) end()
      await round.stop()
      await Promise.all([...lanes.values()].map((lane) => lane.stop()))
    },
  }
}

function openLane(kind: DesiredState['kind'], options: DeploymentsOptions): Promise<Lane> {
  const { dir, node, appliers, reporter, log } = options
  const answerKind = `applied_${kind}`
  return Lane.open({
    kind,
    applier: appliers[kind],
    file: recordFile(dir, kind, node),
    tell: (message) => reporter.send(message),
    answer: (message) => reporter.deliver(answerKind, (sequence) => ({ ...message, sequence })),
    isAnswering: () => reporter.isWaiting(answerKind),
    log,
  })
}
