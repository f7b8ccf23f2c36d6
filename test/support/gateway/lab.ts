import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { GatewayShare, Job } from '@roost/api-types/rest'
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import { startApi } from '../http/api.js'
import type { TestApi } from '../http/api.js'
import { waitForJob } from './deployment-lab.js'
import { addCluster } from '../agents/fleet-rows.js'
import { startSwift } from '../swift/cluster.js'
import type { Swift } from '../swift/cluster.js'
import type { ProxyKeystone } from '../swift/configuration.js'
import { createClients } from './clients.js'
import type { Clients } from './clients.js'
import { startGateway } from './gateway.js'
import type { Gateway, GatewayOptions } from './gateway.js'
import { openObjects as openTestAccount } from './objects.js'
import type { Objects } from './objects.js'

const deploymentMs = 300_000

/** A control plane, a real Swift, and a gateway with its agent, whose shares are deployed and used by real clients. */
export interface GatewayLab extends Clients {
  readonly api: TestApi
  readonly swift: Swift
  readonly gateway: Gateway
  readonly objects: Objects
  /** The node's URI. */
  readonly node: string
  post(path: string, body: object): Promise<ReturnType<typeof JSON.parse>>
  patch(path: string, body: object): Promise<ReturnType<typeof JSON.parse>>
  remove(path: string): Promise<void>
  get(path: string): Promise<ReturnType<typeof JSON.parse>>
  /** Makes an enabled share by POST. */
  addShare(share: object): Promise<GatewayShare>
  /** Ends with the job's end. */
  deploy(more?: object): Promise<Job>
  /** As `deploy`, of which nothing may fail. */
  deployed(more?: object): Promise<Job>
  /** `authUrl` is another way to Swift than its own. */
  setStorage(key?: string, authUrl?: string): Promise<void>
  /** Makes a file of random bytes in the machine's folder; answers its MD5. */
  makeFile(name: string, bytes: number): Promise<string>
  /** After a test that failed on the way: its deployment ends, by an agent that runs on, and what is wanted is deployed. */
  recover(): Promise<void>
  stop(): Promise<void>
}

export interface GatewayLabOptions extends GatewayOptions {
  /** Of Swift, times the usual sizes. */
  readonly diskScale?: number
  /** Lets users of this Keystone in, instead of those of tempauth; `openObjects` then logs in to the account. */
  readonly keystone?: ProxyKeystone
  readonly openObjects?: (swift: Swift) => Promise<Objects>
}

/**
 * Starts one gateway for all tests of the calling block. A failed test does not fail the next one: the agent is recovered, and
 * nothing is under way.
 */
export function useGatewayLab(options: GatewayLabOptions = {}): GatewayLab {
  const lab = {} as GatewayLab
  beforeAll(async () => {
    Object.assign(lab, await startGatewayLab(options))
  })
  afterAll(() => lab.stop?.())
  let hasFailed = false
  beforeEach(async () => {
    if (hasFailed) await lab.recover()
    hasFailed = false
  })
  afterEach(({ task }) => {
    hasFailed = task.result?.state === 'fail'
  })
  return lab
}

export async function startGatewayLab({
  diskScale = 1,
  keystone,
  openObjects = openTestAccount,
  ...options
}: GatewayLabOptions = {}): Promise<GatewayLab> {
  const swiftOptions = { diskScale, ...(keystone && { keystone }) }
  const [api, swift] = await Promise.all([startApi(), startSwift(swiftOptions)])
  const gateway = await startGateway(swift, options)
  const cluster = await addCluster(api.database)
  const node = await gateway.enroll(api, cluster)
  gateway.startAgent()
  const isGateway = async () =>
    expect((await api.get(node)).body).toMatchObject({ state: 'online', node_role: { runs_gateway: true } })
  await vi.waitFor(isGateway, { timeout: 180_000, interval: 100 })
  const call = async (method: string, path: string, body: object | undefined, status: number) => {
    const answer = await api.call(path, { method, ...(body === undefined ? {} : { body }) })
    if (answer.status !== status) throw new Error(`${method} ${path} answers ${answer.status}: ${answer.text}`)
    return answer.body
  }
  const post = (path: string, body: object) => call('POST', path, body, 201)
  const deploy = async (more: object = {}) =>
    waitForJob((path) => api.get(path), await post('/api/v1/gateway_deployments/', { node, ...more }), deploymentMs)
  return {
    ...createClients(swift),
    api,
    swift,
    gateway,
    objects: await openObjects(swift),
    node,
    post,
    patch: (path, body) => call('PATCH', path, body, 202),
    remove: async (path) => void (await call('DELETE', path, undefined, 204)),
    get: (path) => call('GET', path, undefined, 200),
    // The disk of a test's machine may be too small for all shares' equal parts.
    addShare: (share) => post('/api/v1/gateway_shares/', { node, enabled: true, cache_size_mb: 256, ...share }),
    deploy,
    async deployed(more) {
      const job = await deploy(more)
      if (job.state !== 'COMPLETED_SUCCESS')
        throw new Error(`The deployment failed: ${JSON.stringify(job)}\n${gateway.output()}`)
      return job
    },
    async setStorage(key = 'testing', authUrl = `${swift.innerProxyUrl}/auth/v1.0`) {
      const login = { id: cluster, auth_url: authUrl, user: 'test:tester', key }
      await call('POST', '/trpc/clusters.setStorage', login, 200)
    },
    async makeFile(name, bytes) {
      const content = randomBytes(bytes)
      await writeFile(join(swift.machine.dir, name), content)
      return createHash('md5').update(content).digest('hex')
    },
    async recover() {
      await gateway.stopAgent('SIGKILL')
      gateway.startAgent()
      const isIdle = async () => (await api.get('/api/v1/gateway_deployments/')).body.meta?.total_count === 0
      await vi.waitUntil(isIdle, { timeout: deploymentMs, interval: 500 })
      await deploy()
    },
    async stop() {
      await gateway.stopAgent()
      await api.stop()
      await swift.stop()
    },
  }
}
