import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@roost/api-types'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { repository, startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { useDatabase } from '../support/database/database.js'
import { useFolder } from '../support/programs/folder.js'
import { processesNaming } from '../support/programs/processes.js'
import { request } from '../support/http/request.js'

const args = ['--agent', join(repository, 'apps/node-agent/bin/roost-agent.js')]
// Readings come every 10 s, and the machine may be busy with other suites.
const waitOptions = { timeout: 120_000, interval: 200 }
const database = await useDatabase()
const dataDir = await useFolder('local')
let roost: ControlPlaneProcess

beforeAll(async () => {
  roost = await start()
})
afterAll(() => roost.stop())

function start(): Promise<ControlPlaneProcess> {
  return startControlPlane({ dataDir, args, env: { DATABASE_URL: database.url } })
}

interface Seen {
  readonly id: number
  readonly state: string
  readonly roles_granted: readonly string[]
}

async function nodes(): Promise<readonly Seen[]> {
  return ((await request(roost, '/api/v1/nodes/')).body as { objects: Seen[] }).objects
}

function agentPids(): readonly number[] {
  return processesNaming(join(dataDir, 'agent'))
}

/** A reading that came after this moment. */
async function readingAfter(seconds: number): Promise<void> {
  await vi.waitFor(async () => {
    const [node] = await nodes()
    const { body } = await request(roost, `/api/v1/nodes/${node?.id}/metrics/poll/?metrics=uptime`)
    const [sample] = (body as { metrics: { timestamp: number; value: number | null }[] }).metrics
    expect(sample?.value).toBeGreaterThan(0)
    expect(sample?.timestamp).toBeGreaterThanOrEqual(Math.floor(seconds))
  }, waitOptions)
}

describe('the agent that npm start runs for this machine', { timeout: 500_000 }, () => {
  it('enrolls itself into the cluster default, keeps its state in <data>/agent, and reports', async () => {
    await vi.waitFor(async () => expect(await nodes()).toMatchObject([{ state: 'online' }]), waitOptions)
    expect(await readFile(join(dataDir, 'agent/identity.json'), 'utf8')).toContain('"cluster": "default"')
    await readingAfter(0)
  })

  it('is granted the roles that carry secrets: whoever starts it is the operator', async () => {
    const [node] = await nodes()
    expect(node?.roles_granted.toSorted()).toEqual(['runs_gateway', 'runs_proxy'])
  })

  it('shows each local filesystem as a device of the policy default', async () => {
    await vi.waitFor(async () => {
      const { body } = await request(roost, '/api/v1/storage_policies/')
      expect(body).toMatchObject({ objects: [{ name: 'default', index: 0 }] })
    }, waitOptions)
    const declared = await readFile(join(dataDir, 'agent/config.json'), 'utf8')
    expect(JSON.parse(declared)).toEqual({ devices: 'local-filesystems' })
  })

  it('is started again when it is killed, as the same node', async () => {
    const [before = 0] = agentPids()
    expect(before).toBeGreaterThan(0) // 0 would be this process and its group
    process.kill(before, 'SIGKILL')
    const killed = Date.now() / 1000
    await vi.waitFor(() => expect(agentPids().filter((pid) => pid !== before)).toHaveLength(1), waitOptions)
    await readingAfter(killed)
    expect(await nodes()).toHaveLength(1)
  })

  it('ends when the control plane is killed, and comes back with it at another port as the same node', async () => {
    const { url } = roost
    await roost.kill9()
    await vi.waitFor(() => expect(agentPids()).toEqual([]), waitOptions)
    roost = await start()
    expect(roost.url).not.toBe(url)
    await readingAfter(Date.now() / 1000)
    await vi.waitFor(async () => expect(await nodes()).toMatchObject([{ state: 'online' }]), waitOptions)
  })

  it('stays away once an operator removed its node, over restarts too, until its old identity is taken away', async () => {
    const client = createClient({ url: roost.url, apiKey: roost.key, ca: roost.ca })
    const [node] = await nodes()
    await client.rpc.nodes.remove.mutate({ id: node?.id ?? 0, force: true })
    await client.close()
    const isAway = () => expect(roost.output()).toContain('was removed by an operator, not starting its agent')
    await vi.waitFor(isAway, waitOptions)
    await roost.stop()
    roost = await start()
    await vi.waitFor(isAway, waitOptions)
    expect(await nodes()).toEqual([])
    await roost.stop()
    await rm(join(dataDir, 'agent/identity.removed.json'))
    roost = await start()
    await vi.waitFor(async () => expect(await nodes()).toMatchObject([{ state: 'online' }]), waitOptions)
  })
})
