import type { DeploymentPlan, DesiredState } from '@roost/api-types/agent'
import { KeyedQueue } from '@roost/runtime'
import type { AgentRequests, RequestAnswer } from '../agents/requests.js'

export interface PlanQueue {
  /** Asks the node for the plan after those before it; not for one whose caller no longer waits then. */
  ask(nodeId: number, desired: DesiredState, isAwaited: () => boolean): Promise<RequestAnswer<DeploymentPlan>>
}

/** One is made, and the others wait for it. More are refused. */
const maxPerNode = 5

/** An agent makes a plan after the deployment that it runs, also where no caller waits any more: it gets no other one meanwhile. */
const planTimeoutMs = 10 * 60_000

const tooMany = { error: 'The gateway makes plans for other shares. Try again later.' }
const abandoned = { error: 'The gateway made plans for other shares meanwhile. Try again.' }

/** Asks each node for one plan at a time: plans delay its deployments. */
export function createPlanQueue(requests: Pick<AgentRequests, 'askForPlan'>): PlanQueue {
  const queue = new KeyedQueue<number>()
  const counts = new Map<number, number>()
  return {
    async ask(nodeId, desired, isAwaited) {
      const before = counts.get(nodeId) ?? 0
      if (before >= maxPerNode) return tooMany
      counts.set(nodeId, before + 1)
      try {
        return await queue.run(nodeId, async () =>
          isAwaited() ? requests.askForPlan(nodeId, desired, planTimeoutMs) : abandoned,
        )
      } finally {
        const left = (counts.get(nodeId) ?? 1) - 1
        if (left > 0) counts.set(nodeId, left)
        else counts.delete(nodeId)
      }
    },
  }
}
