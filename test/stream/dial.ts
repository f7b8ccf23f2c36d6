import { afterEach } from 'vitest'
import { insertNodes } from '../support/agents/nodes.js'
import type { EnrolledNode } from '../support/agents/nodes.js'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import type { SimulatedAgentOptions } from '../support/agents/simulated-agent.js'
import type { StreamServer } from './stream-server.js'

export interface DialedAgent {
  readonly agent: SimulatedAgent
  readonly node: EnrolledNode
}

/** A suite's way to agents: each is of a node of its own, and ends with the test. */
export function useAgents(server: () => StreamServer) {
  const agents: SimulatedAgent[] = []
  afterEach(() => {
    for (const agent of agents.splice(0)) agent.stop('terminate')
  })

  async function newNode(): Promise<EnrolledNode> {
    const [node] = await insertNodes(server().database, server().clusterId, 1)
    if (!node) throw new Error('No node was inserted.')
    return node
  }

  function dialAs(node: EnrolledNode, more: Partial<SimulatedAgentOptions> = {}): SimulatedAgent {
    const agent = new SimulatedAgent({ url: server().url, identity: node, ...more })
    agents.push(agent)
    agent.dial()
    return agent
  }

  return {
    newNode,
    dialAs,
    /** Dials and waits for the welcome. */
    connect: async (more: Partial<SimulatedAgentOptions> = {}): Promise<DialedAgent> => {
      const node = await newNode()
      const agent = dialAs(node, more)
      await agent.until(isWelcomed)
      return { agent, node }
    },
  }
}

export const isWelcomed = (agent: SimulatedAgent) => agent.welcomed > 0
export const isOver = (agent: SimulatedAgent) => agent.ended !== undefined
