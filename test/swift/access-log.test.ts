import { appendFile, mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useApi } from '../support/http/shared-api.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { SwiftNode } from './swift-node.js'

const waitOptions = { timeout: 120_000, interval: 200 }
const start = new Date().toISOString()

const api = await useApi()
const cluster = await addCluster(api.database, 'lab')
let node: SwiftNode
let log: string
beforeAll(async () => {
  const usage = { access_log: '/var/log/swift/proxy.log', transfer_interval_seconds: 1 }
  node = await SwiftNode.create('127.0.2.1', [], { usage })
  log = join(node.root, 'var/log/swift/proxy.log')
  await mkdir(join(node.root, 'var/log/swift'), { recursive: true })
  await node.enroll(api, cluster)
  // Counting begins with the half-hour in which the agent does.
  node.start()
})
afterAll(() => node.stop())

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
let count = 0

/** A request that has just ended, as rsyslog writes Swift's line. */
async function request(account: string, bytesIn: number, bytesOut: number): Promise<void> {
  const [date = '', time = ''] = new Date().toISOString().split(/[T.]/)
  const [year, month, day] = date.split('-')
  const when = [day, months[Number(month) - 1], year, ...time.split(':')].join('/')
  const line = `host proxy-access: 10.0.0.9 10.0.0.9 ${when} PUT /v1/${account}/c/o HTTP/1.1 201 - s3cmd AUTH_tk... ${bytesIn} ${bytesOut} - tx${count++} - 0.1 - - 1 2 0\n`
  await appendFile(log, line)
}

async function moved(account: string): Promise<readonly unknown[] | undefined> {
  const path = `/api/v1/clusters/${cluster}/utilization/transfer/${account}/?start=${start}`
  const [row] = (await api.get(path)).body.objects
  return row && [row.bytes_in, row.bytes_out, row.req_count]
}

describe('the access log of a proxy', { timeout: 400_000 }, () => {
  it('makes the transfer of its accounts', async () => {
    await request('AUTH_a', 1_000, 0)
    await request('AUTH_b', 0, 70)
    await expect.poll(() => moved('AUTH_b'), waitOptions).toEqual([0, 70, 1])
    await request('AUTH_a', 234, 5)
    await expect.poll(() => moved('AUTH_a'), waitOptions).toEqual([1_234, 5, 2])
  })

  it('counts each line once over a kill of the agent and a rotation', async () => {
    await node.end('SIGKILL')
    await request('AUTH_a', 10_000, 0)
    await rename(log, `${log}.1`)
    await request('AUTH_a', 100_000, 0)
    node.start()
    await expect.poll(() => moved('AUTH_a'), waitOptions).toEqual([111_234, 5, 4])
    await request('AUTH_b', 1, 0)
    await expect.poll(() => moved('AUTH_b'), waitOptions).toEqual([1, 70, 2])
    expect(await moved('AUTH_a')).toEqual([111_234, 5, 4])
  })
})
