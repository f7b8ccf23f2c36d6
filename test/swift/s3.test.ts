import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { halfHourMs } from '../support/database/usage-rows.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { repository } from '../support/http/control-plane.js'
import { runToEnd } from '../support/programs/processes.js'
import { addSwiftAgent } from '../support/swift/agent.js'
import type { SwiftAgent } from '../support/swift/agent.js'
import { isSwiftEnabled, startSwift } from '../support/swift/cluster.js'
import type { Swift } from '../support/swift/cluster.js'
import { logIn, objectOf } from '../support/swift/session.js'

const waitOptions = { timeout: 240_000, interval: 500 }

interface Counts {
  readonly bytes_in: number
  readonly bytes_out: number
  readonly req_count: number
}

describe.skipIf(!isSwiftEnabled)('usage by S3 of a real Swift (as root, with ROOST_TEST_SYSTEM=1)', () => {
  let swift: Swift
  let api: TestApi
  let agent: SwiftAgent
  let cluster: number
  const start = new Date().toISOString()
  beforeAll(async () => {
    ;[swift, api] = await Promise.all([startSwift({ servesS3: true }), startApi()])
    cluster = await addCluster(api.database, 'real')
    const usage = {
      access_log: '/var/log/swift/proxy-access.log',
      transfer_interval_seconds: 1,
      storage_interval_seconds: 3,
    }
    agent = await addSwiftAgent(swift, swift.nodes[0], api, cluster, { config: { usage } })
    agent.start()
  }, 500_000)
  afterAll(async () => {
    await agent.stop()
    await api.stop()
    await swift.stop()
  })

  /** Puts, copies and gets by boto3, in parts and by presigned URLs; answers what it moved. */
  async function s3Session(bucket: string, accessKey = 'test:tester', secretKey = 'testing'): Promise<Counts> {
    const program = join(repository, 'test/support/swift/s3-session.py')
    const result = await runToEnd('python3', [program, swift.proxyUrl, accessKey, secretKey, bucket])
    if (result.code !== 0) throw new Error(result.stderr)
    return JSON.parse(result.stdout) as Counts
  }

  async function transfer(account = 'AUTH_test'): Promise<(Counts & { readonly pct_complete: number }) | undefined> {
    const path = `/api/v1/clusters/${cluster}/utilization/transfer/${account}/?start=${start}`
    return (await api.get(path)).body.objects[0]
  }

  async function problems(): Promise<readonly { readonly code: string; readonly subject: string }[]> {
    const { body } = await api.get('/api/v1/nodes/?runs_proxy=true')
    const found = body.objects[0]?.problems ?? []
    return found.filter(({ code }: { code: string }) => code === 'transfer_not_counted')
  }

  /** Returns what the doctor on the node finds in one check. */
  async function findings(
    name = 'access log',
  ): Promise<readonly { readonly verdict: string; readonly diff?: string }[]> {
    const program = join(repository, 'apps/node-agent/bin/roost-agent.js')
    const { root } = swift.nodes[0]
    const args = [program, '--data-dir', agent.dataDir, '--root', root, 'doctor', '-o', 'json']
    const { stdout } = await swift.nodes[0].run(process.execPath, args)
    return JSON.parse(stdout).filter(({ check }: { check: string }) => check === name)
  }

  it('is missing without {account}, and lowers pct_complete', { timeout: 600_000 }, async () => {
    await objectOf(await logIn(swift.proxyUrl, 'test:tester', 'testing'), 'PUT', 'by Swift')
    const moved = await s3Session('first')
    await expect.poll(transfer, waitOptions).toMatchObject({ bytes_in: 8, req_count: 2 })
    const most = (100 * 2) / (2 + moved.req_count)
    await expect.poll(async () => (await transfer())?.pct_complete, waitOptions).toBeLessThanOrEqual(most)
    await expect.poll(problems, waitOptions).toMatchObject([{ subject: '/etc/swift/proxy-server.conf.d/10-base.conf' }])
  })

  it('counts to the byte once the doctor’s diff is applied', { timeout: 600_000 }, async () => {
    const [log, template] = await findings()
    expect([log?.verdict, template?.verdict]).toEqual(['warn', 'warn'])
    await swift.nodes[0].exec(
      `patch /etc/swift/proxy-server.conf.d/10-base.conf <<'DIFF'\n${template?.diff}\nDIFF\nchgrp swift /etc/swift/proxy-server.conf.d/*`,
    )
    await swift.nodes[0].stop('proxy-server')
    await swift.nodes[0].start('proxy-server')
    expect(await findings()).toHaveLength(1)
    const { bytes_in: bytesIn, bytes_out: bytesOut, req_count: requests } = (await transfer()) as Counts
    const moved = await s3Session('second')
    await expect.poll(async () => (await transfer())?.req_count, waitOptions).toBe(requests + moved.req_count)
    expect(await transfer()).toMatchObject({
      bytes_in: bytesIn + moved.bytes_in,
      bytes_out: bytesOut + moved.bytes_out,
    })
    await expect.poll(problems, waitOptions).toEqual([])
  })

  it('works with the credentials of a user of Roost', { timeout: 600_000 }, async () => {
    const uri = `/api/v1/clusters/${cluster}/`
    const password = 'correct-horse-battery-staple'
    const post = async (path: string, body: object) => (await api.call(path, { method: 'POST', body })).body
    const { s3_access_key: accessKey } = await post('/api/v1/users/', { cluster: uri, user: 'bo_b', password })
    const { id } = await post('/api/v1/user_db_deployments/', { cluster: uri })
    const state = async () => (await api.get(`/api/v1/user_db_deployments/${id}/`)).body.state
    await expect.poll(state, waitOptions).toBe('COMPLETED_SUCCESS')
    const moved = await s3Session('third', accessKey, password)
    await expect.poll(async () => transfer('AUTH_bo_b'), waitOptions).toMatchObject(moved)

    const { account, token } = await logIn(swift.proxyUrl, 'bo_b:bo_b', password)
    const stored = async () => {
      const { headers } = await fetch(account, { method: 'HEAD', headers: { 'x-auth-token': token } })
      const [bytes, objects] = ['bytes-used', 'object-count'].map((name) => Number(headers.get(`x-account-${name}`)))
      return { bytes_used: bytes, object_count: objects }
    }
    // The account hears of what a container has by its updater. Three parts, their manifest, and three other objects.
    for (const node of swift.nodes) await node.start('container-updater')
    await expect.poll(async () => (await stored()).object_count, waitOptions).toBe(7)
    // Of this half-hour alone: the mean with one before would be less.
    const used = () => {
      const halfHour = new Date(Math.floor(Date.now() / halfHourMs) * halfHourMs).toISOString()
      return `/api/v1/clusters/${cluster}/utilization/storage/0/AUTH_bo_b/?start=${halfHour}`
    }
    const { bytes_used: bytes } = await stored()
    await expect
      .poll(async () => {
        // A server keeps what updaters sent beside the database of the account until somebody asks it, as replicators do.
        await stored()
        return (await api.get(used())).body.objects[0]
      }, waitOptions)
      .toMatchObject({ bytes_used: bytes, object_count: 7 })
    expect(bytes).toBeGreaterThanOrEqual(3 + 2 * (5 << 20) + 2 * 4_097 + 1_000)
  })
})
