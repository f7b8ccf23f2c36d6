import { randomUUID } from 'node:crypto'
import { requestKinds } from '@roost/api-types/agent'
import type {
  AnswerMessage,
  DeploymentPlan,
  DesiredState,
  PlanMessage,
  RequestKind,
  RequestParameters,
  RequestResult,
  ServerMessage,
} from '@roost/api-types/agent'
import type { AuthenticatedAgent } from './session.js'
import { unknownFields } from './unknown-fields.js'

/** Access to the agents of nodes. */
export interface NodeChannel {
  isConnected(nodeId: number): boolean
  /** True while a node that is not connected may be reconnecting: for 30 s after its session or a start of the control plane. */
  mayReconnect(nodeId: number): boolean
  /** The agent of the node's session; undefined without one. */
  agentOf(nodeId: number): ConnectedAgent | undefined
  /** Sends nothing when the node has no session. */
  send(nodeId: number, message: ServerMessage): void
}

export type ConnectedAgent = Pick<
  AuthenticatedAgent,
  'hostname' | 'agentVersion' | 'protocol' | 'capabilities' | 'shareFields' | 'storageFields'
>

/** The result of a request, or an error message for an operator. */
export type RequestAnswer<T> = { readonly result: T } | { readonly error: string }

/** Requests to agents. They are kept in memory only: after a restart the caller asks again. Never reject. */
export interface AgentRequests {
  ask<K extends RequestKind>(
    nodeId: number,
    kind: K,
    parameters: RequestParameters<K>,
    deadlineMs: number,
  ): Promise<RequestAnswer<RequestResult<K>>>
  /** Has messages of its own, which agents of protocol 1 know, too. */
  askForPlan(nodeId: number, desired: DesiredState, deadlineMs: number): Promise<RequestAnswer<DeploymentPlan>>
  /** Asks a node that has a new session for the plans again that it still owes: their requests may be lost. */
  connected(nodeId: number): void
  /** Accepts an answer; ignores one that no request of this node waits for. */
  answered(nodeId: number, message: AnswerMessage | PlanMessage): void
}

interface Pending {
  readonly nodeId: number
  /** Sends the request again; undefined for a request that must not be processed twice. */
  readonly repeat: (() => void) | undefined
  settle(answer: RequestAnswer<unknown>): void
}

/** Unanswered requests to all nodes together. */
const maxPending = 10_000

const notConnected = { error: 'The node is not connected. Check that its agent is running, and try again.' }
const tooOld = { error: 'The agent of this node does not support this request. Upgrade the agent.' }
const noAnswer = { error: 'The node did not answer in time. Check its agent, and try again.' }
const tooMany = { error: 'Too many requests to nodes are unanswered. Retry later.' }
const unreadable = { error: 'The answer of the node is not valid. Check the version of its agent.' }

export function createAgentRequests(channel: NodeChannel): AgentRequests {
  const pending = new Map<string, Pending>()

  function ask(
    nodeId: number,
    deadlineMs: number,
    message: (id: string) => ServerMessage,
    isRepeatable = false,
  ): Promise<RequestAnswer<unknown>> {
    if (!channel.isConnected(nodeId)) return Promise.resolve(notConnected)
    if (pending.size >= maxPending) return Promise.resolve(tooMany)
    return new Promise((resolve) => {
      const id = randomUUID()
      const settle = (answer: RequestAnswer<unknown>) => {
        clearTimeout(timer)
        pending.delete(id)
        resolve(answer)
      }
      const timer = setTimeout(() => settle(noAnswer), deadlineMs).unref()
      const send = () => channel.send(nodeId, message(id))
      pending.set(id, { nodeId, settle, repeat: isRepeatable ? send : undefined })
      send()
    })
  }

  return {
    async ask<K extends RequestKind>(nodeId: number, kind: K, parameters: RequestParameters<K>, deadlineMs: number) {
      const agent = channel.agentOf(nodeId)
      if (agent !== undefined && agent.protocol < requestKinds[kind].since) return tooOld
      const answer = await ask(nodeId, deadlineMs, (id) => ({ type: 'request', id, kind, parameters }))
      if ('error' in answer) return answer
      const parsed = requestKinds[kind].result.safeParse(answer.result)
      return parsed.success ? { result: parsed.data as RequestResult<K> } : unreadable
    },
    async askForPlan(nodeId, desired, deadlineMs) {
      const fault = unknownFields(channel.agentOf(nodeId), desired)
      if (fault !== undefined) return { error: fault }
      // The message's schema has checked the plan.
      const message = (request: string) => ({ type: 'plan_request', request, desired }) as const
      return (await ask(nodeId, deadlineMs, message, true)) as RequestAnswer<DeploymentPlan>
    },
    connected(nodeId) {
      for (const request of pending.values()) if (request.nodeId === nodeId) request.repeat?.()
    },
    answered(nodeId, message) {
      const id = message.type === 'plan' ? message.request : message.id
      const result = message.type === 'plan' ? message.plan : message.result
      const request = pending.get(id)
      if (request?.nodeId === nodeId) request.settle(answerOf(message.error, result))
    },
  }
}

function answerOf(error: string | null, result: unknown): RequestAnswer<unknown> {
  if (error !== null) return { error }
  return result === null ? unreadable : { result }
}
