import type { AgentUpgradeProgress } from '@roost/api-types/agent'
import type { AgentUpgradeJob } from '@roost/api-types/rest'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { addLabNode } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { offerPackage, upgradesOf } from '../support/gateway/upgrade-lab.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()
const { get, post } = server

let clusterId: number
let labs: LabNode[]
/** The nodes that were asked, with the version, in their order. */
let asked: string[]

const installed: AgentUpgradeProgress = { state: 'installed', message: '' }
const returned: AgentUpgradeProgress = { state: 'returned', message: 'Version 9.0.0 did not report.' }

/** A node that has not connected. */
async function offlineNode(hostname: string): Promise<LabNode> {
  const { controlPlane, database } = server.api
  const lab = await addLabNode(controlPlane, database, clusterId)
  await database.prisma.node.update({ where: { id: lab.id }, data: { hostname } })
  labs.push(lab)
  return lab
}

/** Connects a node; `null`: its agent accepts no upgrades. */
const connect = (lab: LabNode, answer: AgentUpgradeProgress | null) =>
  lab.start({
    upgrades: upgradesOf(
      answer &&
        (({ version }) => {
          asked.push(`${labs.indexOf(lab)} ${version}`)
          return answer
        }),
    ),
  })

async function upgrade(more: object = {}): Promise<AgentUpgradeJob> {
  const { status, body } = await post('/api/v1/agent_upgrades/', {
    cluster: `/api/v1/clusters/${clusterId}/`,
    version: '9.0.0',
    wave_percent: 100,
    ...more,
  })
  expect(status).toBe(201)
  const read = async () => (await get(body.resource_uri)).body as AgentUpgradeJob
  await expect.poll(async () => (await read()).state, { timeout: waitTimeoutMs }).toMatch(/^COMPLETED/)
  return read()
}

/** Waits until the target of a node is in a state, and returns it. */
async function target(job: AgentUpgradeJob, { uri }: LabNode, state: string) {
  const read = async () =>
    ((await get(job.resource_uri)).body as AgentUpgradeJob).targets.find(({ node }) => node === uri)
  await expect.poll(async () => (await read())?.state, { timeout: waitTimeoutMs }).toBe(state)
  return read()
}

beforeAll(() => offerPackage(server.api.controlPlane.dataDir, '9.0.0'))
beforeEach(async () => {
  clusterId = await addCluster(server.api.database)
  labs = []
  asked = []
  return async () => {
    for (const lab of labs) await lab.remove()
  }
})

describe('an upgrade of the agents', () => {
  it('ends without a node that is offline, which gets it when it returns', async () => {
    const [online, away] = [await offlineNode('online'), await offlineNode('away')]
    await connect(online, installed)
    const job = await upgrade()
    expect(job).toMatchObject({
      state: 'COMPLETED_SUCCESS',
      message: 'Offline, upgraded when connected again: 1 node.',
      progress: 100,
    })
    expect(await target(job, away, 'offline')).toMatchObject({
      message: 'The node is offline. It is upgraded when it is connected again.',
    })
    expect(asked).toEqual(['0 9.0.0'])
    await connect(away, installed)
    expect(await target(job, away, 'installed')).toMatchObject({ message: '' })
    expect(asked).toEqual(['0 9.0.0', '1 9.0.0'])
    expect((await get(job.resource_uri)).body.state).toBe('COMPLETED_SUCCESS')
  })

  it('leaves the others alone while all canaries are offline, and the canary gets it when it returns', async () => {
    const [canary, other] = [await offlineNode('canary'), await offlineNode('other')]
    const job = await upgrade()
    expect(job).toMatchObject({ state: 'COMPLETED_FAILED', message: 'Not started, because no canary was upgraded.' })
    expect(job.targets.map(({ wave, state, message }) => [wave, state, message])).toEqual([
      [1, 'offline', 'The node is offline. It is upgraded when it is connected again.'],
      [2, 'skipped', 'Not started, because no canary was upgraded.'],
    ])
    await connect(other, installed)
    await connect(canary, installed)
    await target(job, canary, 'installed')
    expect(asked).toEqual(['0 9.0.0'])
    expect(await target(job, other, 'skipped')).toBeDefined()
  })

  it('skips a node that returns after another one failed', async () => {
    const [canary, bad, away] = [await offlineNode('canary'), await offlineNode('bad'), await offlineNode('away')]
    await connect(canary, installed)
    await connect(bad, returned)
    const job = await upgrade()
    expect(job).toMatchObject({
      state: 'COMPLETED_FAILED',
      message: expect.stringMatching(/^\S+: Version 9\.0\.0 did not report\. Not changed: 1 node\.$/),
    })
    expect(await target(job, away, 'skipped')).toMatchObject({
      message: expect.stringMatching(/^Not started, because the upgrade of another node failed\.$/),
    })
    await connect(away, installed)
    const next = await upgrade({ node: away.uri, cluster: undefined })
    expect(next.state).toBe('COMPLETED_SUCCESS')
    expect(asked).toEqual(['0 9.0.0', '1 9.0.0', '2 9.0.0'])
  })

  it('stops at the first node that returns and fails: those that return later are skipped', async () => {
    const [canary, first, second] = [await offlineNode('canary'), await offlineNode('one'), await offlineNode('two')]
    await connect(canary, installed)
    const job = await upgrade()
    expect(job.message).toBe('Offline, upgraded when connected again: 2 nodes.')
    await connect(first, returned)
    expect(await target(job, first, 'returned')).toMatchObject({ message: 'Version 9.0.0 did not report.' })
    expect(await target(job, second, 'skipped')).toMatchObject({
      message: 'Not started, because the upgrade of another node failed.',
    })
    await connect(second, installed)
    // An upgrade of another node passes the checks of the one before.
    await upgrade({ node: canary.uri, cluster: undefined })
    expect(asked.filter((one) => one.startsWith('2'))).toEqual([])
  })

  it('skips a node whose agent accepts no upgrades when it returns', async () => {
    const [online, away] = [await offlineNode('online'), await offlineNode('away')]
    await connect(online, installed)
    const job = await upgrade()
    await connect(away, null)
    expect(await target(job, away, 'skipped')).toMatchObject({
      message: expect.stringContaining('accepts no upgrades'),
    })
  })

  it('is replaced by a later one on a node that is still offline', async () => {
    const [online, away] = [await offlineNode('online'), await offlineNode('away')]
    await connect(online, installed)
    const before = await upgrade()
    const later = await upgrade()
    expect(await target(before, away, 'skipped')).toMatchObject({ message: 'A later upgrade has replaced this one.' })
    await connect(away, installed)
    await target(later, away, 'installed')
    expect(asked.filter((one) => one.startsWith('1'))).toEqual(['1 9.0.0'])
  })
})
