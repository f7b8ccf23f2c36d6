import type { Job, Node } from '@roost/api-types/rest'
import { afterAll, beforeAll, vi } from 'vitest'
import { waitForJob } from '../gateway/deployment-lab.js'
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
  /** Deploys the users, of the whole cluster unless given. Ends with the job's end. */
  deployUsers(body?: object): Promise<Job>
  stop(): Promise<void>
}

/** Starts one lab for all tests of the calling block. */
export function useProxyLab(options: SwiftAgentOptions = {}): ProxyLab {
  const lab = {} as ProxyLab
  beforeAll(async () => {
    Object.assign(lab, await startProxyLab(options))
  }, 400_000)
  afterAll(() => lab.stop?.())
  return lab
}

/** `options` are those of the second proxy's agent, `more` those of the Swift. */
export async function startProxyLab(options: SwiftAgentOptions = {}, more: SwiftOptions = {}): Promise<ProxyLab> {
  const [swift, api] = await Promise.all([startSwift({ ...more, proxies: 2 }), startApi()])
  const cluster = await addCluster(api.database, 'real')
  const uri = `/api/v1/clusters/${cluster}/`
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
  const deployUsers: ProxyLab['deployUsers'] = async (body = { cluster: uri }) => {
    const answer = await api.call('/api/v1/user_db_deployments/', { method: 'POST', body })
    if (answer.status !== 201) throw new Error(answer.text)
    return waitForJob((path) => api.get(path), answer.body, 200_000)
  }
  try {
    const [one, two] = swift.nodes
    agents.push(await addSwiftAgent(swift, one, api, cluster), await addSwiftAgent(swift, two, api, cluster, options))
    for (const agent of agents) agent.start()
    const proxies = await vi.waitFor(findProxies, { timeout: 200_000, interval: 200 })
    return { swift, api, cluster: uri, proxies, agents, deployUsers, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
