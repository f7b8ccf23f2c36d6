import { randomUUID } from 'node:crypto'
import type { DeploymentPlan, DesiredState, PlanMessage, ServerMessage } from '@roost/api-types/agent'

/** How to reach a node's agent. */
export interface NodeChannel {
  isConnected(nodeId: number): boolean
  /** Says nothing when the node has no session. */
  send(nodeId: number, message: ServerMessage): void
}

/** What a node answered to the question for its plan. */
export type PlanAnswer = { readonly plan: DeploymentPlan } | { readonly error: string }

interface Question {
  readonly nodeId: number
  answer(answer: PlanAnswer): void
}

/** Requests to nodes for their plans. They are kept in memory only: after a restart the caller asks again. */
export function createPlanQuestions(channel: NodeChannel) {
  const questions = new Map<string, Question>()
  return {
    ask: (nodeId: number, desired: DesiredState, deadlineMs: number) =>
      new Promise<PlanAnswer>((resolve) => {
        if (!channel.isConnected(nodeId)) return resolve({ error: 'The node is not connected.' })
        const request = randomUUID()
        const answer = (given: PlanAnswer) => {
          clearTimeout(timer)
          questions.delete(request)
          resolve(given)
        }
        const timer = setTimeout(() => answer({ error: 'The node did not answer in time.' }), deadlineMs).unref()
        questions.set(request, { nodeId, answer })
        channel.send(nodeId, { type: 'plan_request', request, desired })
      }),
    answered(nodeId: number, { request, plan, error }: PlanMessage): void {
      const question = questions.get(request)
      if (question?.nodeId !== nodeId) return
      question.answer(plan === null ? { error: error ?? 'The node made no plan.' } : { plan })
    },
  }
}
