import type { Job } from '@roost/api-types/rest'
import { systemClock } from '@roost/runtime'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { addLabNode, waitForJob } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { currentFiles, currentGeneration, startedGenerations } from '../support/gateway/folder-applier.js'
import { windowClock } from '../support/clock/window-clock.js'
import { shareApi, shareClient } from '../support/http/shared-api.js'

const list = '/api/v1/gateway_deployments/'
const server = shareApi()
const client = shareClient(server)
const { get, patch, post } = server
const withinS = 600

let clusterId = 0
let node: LabNode
let share = ''
const window = windowClock(withinS * 1000)
beforeEach(async () => {
  window.reset()
  clusterId = await addCluster(server.api.database)
  node = await addLabNode(server.api.controlPlane, server.api.database, clusterId)
  const body = { name: 'docs', node: node.uri, objectstore_container: 'documents', enabled: true }
  share = (await post('/api/v1/gateway_shares/', body)).body.resource_uri
  await node.start({ clock: window.clock })
})
afterEach(() => node.remove())

const confirmed = { confirm_within_s: withinS }
const deploy = async (more: object = {}): Promise<Job> => {
  const answer = await post(list, { node: node.uri, ...more })
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  return answer.body
}
const files = async () => [...(await currentFiles(node.dir)).values()]
const jobNow = async ({ resource_uri: uri }: Job) => (await get(uri)).body as Job
const confirm = ({ resource_uri: uri }: Job) => post(`${uri}confirm/`, {})

/** A job whose node has applied it, read-only instead of read-write, and waits for its confirmation. */
async function appliedJob(): Promise<Job> {
  await waitForJob(get, await deploy())
  await patch(share, { access_mode: 'ro' })
  const job = await deploy(confirmed)
  await expect.poll(async () => (await jobNow(job)).targets).toMatchObject([{ state: 'applied', generation: 2 }])
  expect(await files()).toEqual(['docs\nro\n'])
  return job
}

const returned = 'Not confirmed within 10 minutes: returned to generation 1.'
async function expectReturned(job: Job): Promise<void> {
  expect(await waitForJob(get, job)).toMatchObject({ state: 'COMPLETED_FAILED', message: returned })
  expect((await jobNow(job)).targets).toMatchObject([{ state: 'rolled_back', message: returned, generation: 2 }])
  expect(await files()).toEqual(['docs\nrw\n'])
  expect(await currentGeneration(node.dir)).toBe(1)
}

describe('a deployment with confirm_within_s', () => {
  it('stays in progress until it is confirmed, and blocks other jobs and drift of the node', async () => {
    const job = await appliedJob()
    expect(await jobNow(job)).toMatchObject({ state: 'IN_PROGRESS', progress: 99, ...confirmed, confirmed: null })
    expect((await post(list, { node: node.uri })).status).toBe(409)
    const answer = await confirm(job)
    expect([answer.status, answer.body.confirmed]).toEqual([202, expect.any(String)])
    expect(await waitForJob(get, job)).toMatchObject({ state: 'COMPLETED_SUCCESS', message: '' })
    expect((await get(node.uri)).body.config_state).toBe('synced')
    expect(window.waiting()).toBe(0)
    expect(await files()).toEqual(['docs\nro\n'])
    const audit = await get(`/api/v1/audit_events/?resource=gateway_deployments&resource_id=${job.id}`)
    expect(audit.body.objects).toMatchObject([
      { action: 'create', changes: { confirm_within_s: [null, withinS] } },
      { action: 'confirm' },
    ])
    expect((await confirm(job)).status).toBe(409)
  })

  it('returns to the generation before when it is not confirmed', async () => {
    const job = await appliedJob()
    window.end()
    await expectReturned(job)
    expect((await confirm(job)).body.error).toBe('This deployment has ended already.')
    expect((await get(`${node.uri}drift/`)).body.kinds).toMatchObject([{ generation: 2, applied_generation: 1 }])
    expect((await waitForJob(get, await deploy())).state).toBe('COMPLETED_SUCCESS')
    expect(await files()).toEqual(['docs\nro\n'])
  })

  it('waits on after a restart of the agent', async () => {
    const job = await appliedJob()
    await node.stop()
    window.advance(withinS * 500)
    await node.start({ clock: window.clock })
    expect(window.waiting()).toBe(1)
    expect((await confirm(job)).status).toBe(202)
    expect((await waitForJob(get, job)).state).toBe('COMPLETED_SUCCESS')
    expect(await startedGenerations(node.dir)).toEqual([1, 2])
  })

  it('returns when the confirmation comes too late, because the agent was stopped for longer', async () => {
    const job = await appliedJob()
    await node.stop()
    expect((await confirm(job)).status).toBe(202)
    expect((await jobNow(job)).state).toBe('IN_PROGRESS')
    window.advance(withinS * 1000)
    await node.start({ clock: window.clock })
    await expectReturned(job)
  })

  it('is confirmed over tRPC', async () => {
    const { id } = await appliedJob()
    expect((await client.rpc.gatewayDeployments.confirm.mutate({ id, validate_only: true })).confirmed).not.toBeNull()
    expect((await client.rpc.gatewayDeployments.get.query({ id })).confirmed).toBeNull()
    await client.rpc.gatewayDeployments.confirm.mutate({ id })
    const state = async () => (await client.rpc.gatewayDeployments.get.query({ id })).state
    await expect.poll(state).toBe('COMPLETED_SUCCESS')
  })

  it('that failed on the node returns nothing and needs no confirmation', async () => {
    await waitForJob(get, await deploy())
    node.behavior.outcome = 'rolled_back'
    const end = await waitForJob(get, await deploy(confirmed))
    expect(end).toMatchObject({ state: 'COMPLETED_FAILED', message: 'The folder says rolled_back.' })
    expect(window.waiting()).toBe(0)
  })

  it('does not resolve drift meanwhile', async () => {
    const job = await appliedJob()
    const { prisma } = server.api.database
    const drift = [{ subject: 'x', message: 'changed', diff: '' }]
    // The agent compares its files, too, and may report in between that there is no drift.
    const resolved = async () => {
      await prisma.nodeDeployment.updateMany({ where: { nodeId: node.id }, data: { drift } })
      const answer = await post(`${node.uri}drift/`, { action: 'reapply' })
      return [answer.status, answer.body.error]
    }
    await expect.poll(resolved).toEqual([409, expect.stringContaining('waits for its confirmation')])
    await confirm(job)
    await waitForJob(get, job)
  })
})

describe('a deployment with confirm_within_s is refused', () => {
  const failure = async (more: object = {}) => (await waitForJob(get, await deploy({ ...confirmed, ...more }))).message

  it('on a node that has nothing to return to', async () => {
    expect(await failure()).toContain('has no generation in force to which it could return')
    expect(await startedGenerations(node.dir)).toEqual([])
  })

  it('on a node that is not connected, and is not sent later', async () => {
    const silent = `/api/v1/nodes/${await server.addGateway(clusterId)}/`
    const end = await waitForJob(get, await deploy({ ...confirmed, node: silent }))
    expect(end.targets).toMatchObject([{ generation: null, message: expect.stringContaining('not connected') }])
  })

  it('as a dry run, and with a time that is too short', async () => {
    const dry = await post(list, { node: node.uri, dry_run: true, ...confirmed })
    const short = await post(list, { node: node.uri, confirm_within_s: 9 })
    expect([dry.status, short.status]).toEqual([400, 400])
    expect(dry.body.gateway_deployments.confirm_within_s).toEqual([
      'A dry run changes nothing that could be confirmed.',
    ])
  })
})

describe('a confirmation is refused', () => {
  it('for a deployment that needs none', async () => {
    await node.stop()
    const job = await deploy()
    expect((await confirm(job)).body.error).toContain('needs no confirmation')
  })

  it('while a node has not ended', async () => {
    await waitForJob(get, await deploy())
    let release = () => {}
    node.behavior.halfway = () => new Promise((resolve) => (release = resolve))
    const job = await deploy(confirmed)
    await expect.poll(async () => (await jobNow(job)).targets[0]?.state).toBe('staged')
    expect((await confirm(job)).body.error).toContain('Not all nodes have ended this deployment yet')
    release()
    await expect.poll(async () => (await jobNow(job)).targets[0]?.state).toBe('applied')
    await confirm(job)
    expect((await waitForJob(get, job)).state).toBe('COMPLETED_SUCCESS')
  })
})

it('users on two proxies are confirmed together, and their tokens end after that', async () => {
  const cluster = await addCluster(server.api.database)
  const add = () => addLabNode(server.api.controlPlane, server.api.database, cluster, { runsProxy: true })
  const proxies = [await add(), await add()]
  const asked: number[] = []
  for (const proxy of proxies) {
    proxy.tokens.end = async ({ generation }) => (asked.push(generation), { ended: 0, notes: [] })
    await proxy.start({ clock: systemClock })
  }
  const users = '/api/v1/user_db_deployments/'
  const target = { cluster: `/api/v1/clusters/${cluster}/` }
  await waitForJob(get, (await post(users, target)).body)
  await post('/api/v1/users/', { ...target, user: 'bob', password: 'correct-horse-battery-staple' })
  const before = asked.length
  const job = (await post(users, { ...target, ...confirmed })).body as Job
  const applied = [{ state: 'applied' }, { state: 'applied' }]
  await expect.poll(async () => (await jobNow(job)).targets).toMatchObject(applied)
  expect([asked.length, (await jobNow(job)).state]).toEqual([before, 'IN_PROGRESS'])
  await confirm(job)
  expect((await waitForJob(get, job)).state).toBe('COMPLETED_SUCCESS')
  expect(asked.length).toBe(before + 2)
  for (const proxy of proxies) await proxy.remove()
})
