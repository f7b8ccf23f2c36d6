import type { DesiredState, ServerMessage } from '@roost/api-types/agent'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import type { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { useAgents } from './dial.js'
import { startStreamServer } from './stream-server.js'
import type { StreamServer } from './stream-server.js'

let server: StreamServer
const { connect, newNode } = useAgents(() => server)

beforeAll(async () => {
  server = await startStreamServer()
})
afterAll(() => server.close())

type Request = Extract<ServerMessage, { type: 'request' }>

/** An agent that answers each request with what `answer` makes of it. */
async function answering(answer: (request: Request, agent: SimulatedAgent) => void, protocol = 2) {
  const asked: string[] = []
  const { agent, node } = await connect({
    hello: { protocol },
    onMessage(message) {
      if (message.type === 'plan_request' || message.type === 'request') asked.push(message.type)
      if (message.type === 'request') answer(message, agent)
      if (message.type === 'plan_request')
        agent.send({ type: 'plan', request: message.request, plan: null, error: 'no plan today' })
    },
  })
  return { nodeId: node.id, asked, agent }
}

const endTokens = (nodeId: number, deadlineMs = waitTimeoutMs) =>
  server.requests.ask(nodeId, 'end_tokens', { generation: 7 }, deadlineMs)

it('a request is answered by the agent of its node', async () => {
  const asked: unknown[] = []
  const { nodeId } = await answering(({ id, kind, parameters }, agent) => {
    asked.push({ kind, parameters })
    agent.send({ type: 'answer', id, result: { ended: 3, notes: [] }, error: null })
  })
  expect(await endTokens(nodeId)).toEqual({ result: { ended: 3, notes: [] } })
  expect(asked).toEqual([{ kind: 'end_tokens', parameters: { generation: 7 } }])
})

it('an error of the agent is the answer', async () => {
  const { nodeId } = await answering(({ id }, agent) =>
    agent.send({ type: 'answer', id, result: null, error: 'memcached is away' }),
  )
  expect(await endTokens(nodeId)).toEqual({ error: 'memcached is away' })
})

it('an answer of another shape is an error', async () => {
  const { nodeId } = await answering(({ id }, agent) =>
    agent.send({ type: 'answer', id, result: { ended: 'all' }, error: null }),
  )
  expect(await endTokens(nodeId)).toEqual({
    error: 'The answer of the node is not valid. Check the version of its agent.',
  })
})

it("another node's answer is ignored, and a silent node fails at the deadline", async () => {
  const other = await connect()
  const { nodeId } = await answering(({ id }) =>
    other.agent.send({ type: 'answer', id, result: { ended: 1, notes: [] }, error: null }),
  )
  expect(await endTokens(nodeId, 500)).toEqual({
    error: 'The node did not answer in time. Check its agent, and try again.',
  })
})

it('an agent of protocol 1 is asked for plans alone; anything else fails at once', async () => {
  const { nodeId, asked } = await answering(() => {}, 1)
  expect(await endTokens(nodeId)).toEqual({
    error: 'The agent of this node does not support this request. Upgrade the agent.',
  })
  const desired: DesiredState = { kind: 'user_db', users: [] }
  expect(await server.requests.askForPlan(nodeId, desired, waitTimeoutMs)).toEqual({ error: 'no plan today' })
  expect(asked).toEqual(['plan_request'])
})

it('a node without a session fails at once', async () => {
  const node = await newNode()
  expect(await endTokens(node.id)).toEqual({
    error: 'The node is not connected. Check that its agent is running, and try again.',
  })
})
