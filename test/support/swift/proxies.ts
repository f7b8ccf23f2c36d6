import type { Node } from '@roost/api-types/rest'
import { vi } from 'vitest'
import { startApi } from '../http/api.js'
import type { TestApi } from '../http/api.js'
import { addCluster } from '../agents/fleet-rows.js'
import { addSwiftAgent } from './agent.js'
import type { SwiftAgent, SwiftAgentOptions } from './agent.js'
import { startSwift } from './cluster.js'
import type { Swift, SwiftOptions } from './cluster.js'

/** A real Swift of two proxies, each with an agent that is online. */
export interface ProxyLab {
  readonly swift: Swift
  readonly api: TestApi
  /** The URI of the cluster, and the proxies' in the order of their names. */
  readonly cluster: string
  readonly proxies: readonly string[]
  readonly agents: readonly SwiftAgent[]
  stop(): Promise<void>
}

/** `options` are those of the second proxy's agent, `more` those of the Swift. */
export async function startProxyLab(options: SwiftAgentOptions = {}, more: SwiftOptions = {}): Promise<ProxyLab> {
  const [swift, api] = await Promise.all([startSwift({ ...more, proxies: 2 }), startApi()])
  const cluster = await addCluster(api.database, 'real')
  const agents: SwiftAgent[] = []
  const stop = async () => {
    await Promise.all(agents.map((agent) => agent.stop()))
    await api.stop()
    await swift.stop()
  }
  const findProxies = async () => {
    const { body } = await api.get('/api/v1/nodes/?state=online&runs_proxy=true&order_by=hostname')
    if (body.objects.length !== 2) throw new Error('The agents are not online yet.')
    return body.objects.map(({ resource_uri: uri }: Node) => uri)
  }
  try {
    const [one, two] = swift.nodes
    agents.push(await addSwiftAgent(swift, one, api, cluster), await addSwiftAgent(swift, two, api, cluster, options))
    for (const agent of agents) agent.start()
    const proxies = await vi.waitFor(findProxies, { timeout: 200_000, interval: 200 })
    return { swift, api, cluster: `/api/v1/clusters/${cluster}/`, proxies, agents, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
