import type { AgentUpgrade, AgentUpgradeProgress } from '@roost/api-types/agent'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { addLabNode } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { offerPackage, upgradesOf } from '../support/gateway/upgrade-lab.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()
const { get, post } = server
const uri = '/api/v1/agent_upgrades/'

let cluster: string
let clusterId: number
/** The versions that nodes were asked for, in their order. */
let asked: string[]

/** A node whose agent answers requests for upgrades like this; `null`: an agent that accepts none. */
async function node(name: string, answer: ((wanted: AgentUpgrade) => AgentUpgradeProgress) | null): Promise<LabNode> {
  const { controlPlane, database } = server.api
  const lab = await addLabNode(controlPlane, database, clusterId)
  await database.prisma.node.update({ where: { id: lab.id }, data: { hostname: name } })
  const recorded = (wanted: AgentUpgrade) => {
    asked.push(name)
    return answer?.(wanted) ?? installed()
  }
  await lab.start({ upgrades: upgradesOf(answer === null ? null : recorded) })
  return lab
}

const installed = () => ({ state: 'installed', message: '' }) as const
const returned = () => ({ state: 'returned', message: 'Version 9.0.0 did not report.' }) as const

async function nodes(answers: readonly ((() => AgentUpgradeProgress) | null)[]): Promise<readonly LabNode[]> {
  const labs: LabNode[] = []
  for (const [i, answer] of answers.entries()) labs.push(await node(`n${i}`, answer))
  return labs
}

async function ended(path: string) {
  await expect.poll(async () => (await get(path)).body.state, { timeout: waitTimeoutMs }).toMatch(/^COMPLETED/)
  return (await get(path)).body
}

const statesOf = (body: { targets: readonly { state: string }[] }) => body.targets.map(({ state }) => state)

describe('upgrades of agents', () => {
  let labs: readonly LabNode[] = []

  beforeAll(() => offerPackage(server.api.controlPlane.dataDir, '9.0.0'))
  beforeEach(async () => {
    clusterId = await addCluster(server.api.database)
    cluster = `/api/v1/clusters/${clusterId}/`
    asked = []
    return async () => {
      for (const lab of labs) await lab.remove()
      labs = []
    }
  })

  it('are planned by ?validate=1, which stores nothing', async () => {
    labs = await nodes([installed, installed, null, installed])
    const { status, body } = await post(`${uri}?validate=1`, { cluster, wave_percent: 50 })
    expect([status, body.version]).toEqual([201, '9.0.0'])
    expect(body.targets.map(({ wave, state }: { wave: number; state: string }) => [wave, state])).toEqual([
      [0, 'skipped'],
      [1, 'waiting'],
      [2, 'waiting'],
      [3, 'waiting'],
    ])
    expect((await get(`${uri}?cluster=${clusterId}`)).body.objects).toEqual([])
    expect(asked).toEqual([])
  })

  it('go through the waves, with the packages that the control plane has', async () => {
    const requests: AgentUpgrade[] = []
    const answer = (wanted: AgentUpgrade) => {
      requests.push(wanted)
      return installed()
    }
    labs = [await node('n0', answer), await node('n1', answer), await node('n2', answer)]
    const { body } = await post(uri, { cluster })
    const upgrade = await ended(body.resource_uri)
    expect(upgrade).toMatchObject({ state: 'COMPLETED_SUCCESS', message: '', progress: 100, version: '9.0.0' })
    expect(statesOf(upgrade)).toEqual(['installed', 'installed', 'installed'])
    expect(asked).toEqual(['n0', 'n1', 'n2'])
    expect(requests[0]).toMatchObject({
      version: '9.0.0',
      packages: [
        {
          name: 'roost-agent_9.0.0_amd64.deb',
          version: '9.0.0',
          arch: 'amd64',
          format: 'deb',
          signature: expect.any(String),
        },
      ],
    })
    const { objects } = (await get(`/api/v1/audit_events/?resource=agent_upgrades&resource_id=${body.id}`)).body
    expect(objects).toMatchObject([{ action: 'create', changes: { version: [null, '9.0.0'] } }])
  })

  it('end at a canary that returned to its former version, and leave the other nodes alone', async () => {
    labs = await nodes([returned, installed, installed])
    const { body } = await post(uri, { cluster })
    const upgrade = await ended(body.resource_uri)
    expect(upgrade).toMatchObject({
      state: 'COMPLETED_FAILED',
      message: expect.stringMatching(/^\S+: Version 9\.0\.0 did not report\. Not changed: 2 nodes\.$/),
    })
    expect(statesOf(upgrade)).toEqual(['returned', 'skipped', 'skipped'])
    expect(asked).toEqual(['n0'])
  })

  it('show the progress of the agent, and conflict with another upgrade of the cluster until they are canceled', async () => {
    let answer: AgentUpgradeProgress = { state: 'downloading', message: '40 %' }
    labs = [await node('n0', () => answer), await node('n1', installed)]
    const { body } = await post(uri, { cluster })
    await expect
      .poll(async () => (await get(body.resource_uri)).body.targets[0].message, { timeout: waitTimeoutMs })
      .toBe('downloading: 40 %')
    const second = await post(uri, { node: labs[1]?.uri })
    expect([second.status, second.body.error]).toEqual([
      409,
      `An upgrade of this cluster is not finished: see ${body.resource_uri}.`,
    ])
    expect(statesOf((await post(`${body.resource_uri}cancel/`, {})).body)).toEqual(['upgrading', 'skipped'])
    answer = installed()
    const upgrade = await ended(body.resource_uri)
    expect(upgrade).toMatchObject({ state: 'COMPLETED_FAILED', message: 'Canceled by admin.' })
    expect((await post(`${body.resource_uri}cancel/`, {})).status).toBe(409)
  })

  it('fail where the control plane does not have the version', async () => {
    labs = await nodes([installed])
    const { body } = await post(uri, { cluster, version: '8.0.0' })
    expect(await ended(body.resource_uri)).toMatchObject({
      state: 'COMPLETED_FAILED',
      message: 'The control plane has no signed package of roost-agent 8.0.0. Add it with: roost packages add FILE',
    })
    expect(asked).toEqual([])
  })

  it('refuse fields that are wrong', async () => {
    expect((await post(uri, {})).status).toBe(400)
    expect((await post(uri, { cluster, wave_percent: 0 })).status).toBe(400)
    expect((await post(uri, { cluster: 999_999 })).status).toBe(400)
    expect((await post(uri, { cluster, version: 'latest' })).status).toBe(400)
  })
})
