import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Job } from '@roost/api-types/rest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addLabNode, waitForJob, blockHalfway } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { startedGenerations, currentFiles, currentGeneration } from '../support/gateway/folder-applier.js'
import { shareApi } from '../support/http/shared-api.js'

const list = '/api/v1/gateway_deployments/'
const server = shareApi()
const { get, patch, post } = server

let clusterId = 0
let node: LabNode
let share = ''
beforeEach(async () => {
  clusterId = await addCluster(server.api.database)
  node = await addLabNode(server.api.controlPlane, server.api.database, clusterId)
  const body = { name: 'docs', node: node.uri, objectstore_container: 'documents', enabled: true }
  share = (await post('/api/v1/gateway_shares/', body)).body.resource_uri
  await node.start()
})
afterEach(() => node.remove())

const deploy = async (more: object = {}): Promise<Job> => {
  const answer = await post(list, { node: node.uri, ...more })
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  return answer.body
}
const deployed = async (more: object = {}) => waitForJob(get, await deploy(more))
const configState = async () => (await get(node.uri)).body.config_state
const drift = async () => (await get(`${node.uri}drift/`)).body

describe('a deployment to a gateway', () => {
  it('puts its shares in force, and says so', async () => {
    expect(await configState()).toBe('unknown')
    const job = await deploy()
    expect(job).toMatchObject({ state: 'QUEUED', node: node.uri, cluster: null, finished: null, progress: 0 })
    const end = await waitForJob(get, job)
    expect(end).toMatchObject({ state: 'COMPLETED_SUCCESS', progress: 100, message: '' })
    expect(end.targets).toEqual([{ node: node.uri, state: 'applied', message: '', generation: 1 }])
    expect([...(await currentFiles(node.dir)).values()]).toEqual(['docs\nrw\n'])
    expect(await configState()).toBe('synced')
  })

  it('shows how far a node is', async () => {
    const release = blockHalfway(node)
    const job = await deploy()
    await expect.poll(async () => (await get(job.resource_uri)).body.targets[0].state).toBe('staged')
    expect((await get(job.resource_uri)).body).toMatchObject({ state: 'IN_PROGRESS', progress: 60 })
    expect(await configState()).toBe('pending')
    release()
    expect((await waitForJob(get, job)).state).toBe('COMPLETED_SUCCESS')
  })

  it('fails with the words of the node that could not do it', async () => {
    node.behavior.outcome = 'failed'
    const end = await deployed()
    expect(end).toMatchObject({ state: 'COMPLETED_FAILED', message: 'The folder says failed.' })
    expect(end.targets[0]?.state).toBe('failed')
    expect(await configState()).toBe('pending')
  })

  it('fails when the node went back to what was in force', async () => {
    await deployed()
    node.behavior.outcome = 'rolled_back'
    await patch(share, { access_mode: 'ro' })
    const end = await deployed()
    expect(end).toMatchObject({ state: 'COMPLETED_FAILED', message: 'The folder says rolled_back.' })
    expect(end.targets[0]?.state).toBe('rolled_back')
    expect(await currentGeneration(node.dir)).toBe(1)
    expect((await drift()).kinds).toMatchObject([{ generation: 2, applied_generation: 1 }])
  })

  it('returns the node to an earlier generation, under a number of its own', async () => {
    await deployed()
    await patch(share, { access_mode: 'ro' })
    await deployed()
    expect([...(await currentFiles(node.dir)).values()]).toEqual(['docs\nro\n'])
    const end = await deployed({ generation: 1 })
    expect(end.targets[0]).toMatchObject({ state: 'applied', generation: 3 })
    expect([...(await currentFiles(node.dir)).values()]).toEqual(['docs\nrw\n'])
  })

  it('is refused when the generation to return to is not kept', async () => {
    const answer = await post(list, { node: node.uri, generation: 9 })
    expect(answer).toMatchObject({
      status: 400,
      body: {
        gateway_deployments: { generation: [expect.stringContaining('Generation 9 of this node is no longer stored')] },
      },
    })
  })

  it('is not done twice when the node comes back', async () => {
    await deployed()
    await node.stop()
    await node.start()
    const acknowledged = async () => (await deployed()).targets
    expect(await acknowledged()).toMatchObject([{ generation: 2 }])
    expect(await startedGenerations(node.dir)).toEqual([1, 2])
  })

  it('says when a node has no applier for it', async () => {
    await node.stop()
    await node.start({ appliers: {} })
    expect((await deployed()).message).toMatch('This agent cannot apply deployments of the kind gateway')
  })
})

describe('a dry run', () => {
  it('answers the plan of the node and changes nothing', async () => {
    const end = await deployed({ dry_run: true })
    expect(end).toMatchObject({ state: 'COMPLETED_SUCCESS', dry_run: true })
    expect(end.targets[0]?.state).toBe('planned')
    expect(end.plan?.plan_id).toMatch(/^p-[0-9a-f]{32}$/)
    expect(end.plan?.nodes).toMatchObject([
      { node: node.uri, files: [{ change: 'create', diff: '+docs\n+rw\n' }], daemons: [{ action: 'reload' }] },
    ])
    expect(await startedGenerations(node.dir)).toEqual([])
  })

  it('names a plan that is applied while it would still be the same', async () => {
    const { plan } = await deployed({ dry_run: true })
    expect((await deployed({ plan_id: plan?.plan_id })).state).toBe('COMPLETED_SUCCESS')
  })

  it('names a plan that is refused with 409 once a share has changed', async () => {
    const { plan } = await deployed({ dry_run: true })
    await patch(share, { access_mode: 'ro' })
    const answer = await post(list, { node: node.uri, plan_id: plan?.plan_id })
    expect([answer.status, answer.body.error]).toEqual([409, expect.stringContaining('dry_run')])
  })

  it('names a plan that is refused with 409 once the node has changed', async () => {
    await deployed()
    await patch(share, { access_mode: 'ro' })
    const { plan } = await deployed({ dry_run: true })
    const [name] = (await currentFiles(node.dir)).keys()
    await writeFile(join(node.dir, 'current', name ?? ''), 'by hand\n')
    expect((await post(list, { node: node.uri, plan_id: plan?.plan_id })).status).toBe(409)
  })

  it('names a plan that is refused with 409 once the cluster has another node', async () => {
    const cluster = `/api/v1/clusters/${clusterId}/`
    const { plan } = await waitForJob(get, (await post(list, { cluster, dry_run: true })).body)
    await server.addGateway(clusterId)
    expect((await post(list, { cluster, plan_id: plan?.plan_id })).status).toBe(409)
  })

  it('fails for a node that is not connected', async () => {
    await node.stop()
    const end = await deployed({ dry_run: true })
    const message = 'The node is not connected. Check that its agent is running, and try again.'
    expect(end).toMatchObject({ state: 'COMPLETED_FAILED', message, plan: null })
  })
})

describe('a node that was changed by hand', () => {
  const changeByHand = async (text = 'docs\nrw\nby hand\n') => {
    await deployed()
    return writeAndReport(text)
  }
  const writeAndReport = async (text: string) => {
    const [name = ''] = (await currentFiles(node.dir)).keys()
    await writeFile(join(node.dir, 'current', name), text)
    await node.stop()
    await node.start()
    await expect.poll(configState).toBe('drifted')
    return name
  }

  it('is drifted with what differs, and stays so until an operator decides', async () => {
    const name = await changeByHand()
    expect((await drift()).kinds).toMatchObject([
      { kind: 'gateway', generation: 1, applied_generation: 1, items: [{ subject: name, diff: expect.any(String) }] },
    ])
    expect((await currentFiles(node.dir)).get(name)).toContain('by hand')
  })

  it('gets what was applied back by reapply', async () => {
    const name = await changeByHand()
    const reapply = () => post(`${node.uri}drift/`, { action: 'reapply' }, { 'idempotency-key': 'reapply' })
    const first = await reapply()
    expect([first.status, first.body.kinds]).toEqual([202, [expect.objectContaining({ generation: 2 })]])
    await expect.poll(configState).toBe('synced')
    expect((await currentFiles(node.dir)).get(name)).toBe('docs\nrw\n')
    expect((await drift()).kinds[0].items).toEqual([])
    // Nothing has drifted any more; the repetition gets the first answer.
    const again = await reapply()
    expect([again.status, again.body]).toEqual([202, first.body])
  })

  it('is adopted where what was changed maps back to fields: the records are then what the node has', async () => {
    const name = await changeByHand('papers\nro\n')
    expect((await drift()).kinds[0].items).toMatchObject([{ subject: name, adoptable: true }])
    // A change that was not deployed yet stays undeployed.
    await patch(share, { upload_delay: 7 })
    expect((await post(`${node.uri}drift/`, { action: 'adopt' })).status).toBe(202)
    await expect.poll(configState).toBe('synced')
    expect((await get(share)).body).toMatchObject({ name: 'papers', access_mode: 'ro', upload_delay: 7 })
    expect((await currentFiles(node.dir)).get(name)).toBe('papers\nro\n')
    expect((await drift()).kinds).toMatchObject([{ generation: 2, applied_generation: 2, items: [] }])
    const [{ action, changes }] = (await get('/api/v1/audit_events/?order_by=-id&limit=1')).body.objects
    const id = share.split('/').at(-2)
    expect([action, changes]).toEqual([
      'adopt',
      {
        adopt: [null, ['gateway']],
        [`gateway_shares/${id}.name`]: ['docs', 'papers'],
        [`gateway_shares/${id}.access_mode`]: ['rw', 'ro'],
        'gateway.generation': [1, 2],
      },
    ])
  })

  it('is not adopted where it maps to no field, or to one that a share may not have', async () => {
    await changeByHand()
    const refused = await post(`${node.uri}drift/`, { action: 'adopt' })
    expect([refused.status, refused.body.error]).toEqual([
      409,
      expect.stringContaining('cannot be stored in the fields'),
    ])
    await post(`${node.uri}drift/`, { action: 'reapply' })
    await expect.poll(configState).toBe('synced')
    await writeAndReport('global\nrw\n')
    expect((await post(`${node.uri}drift/`, { action: 'adopt' })).status).toBe(400)
    expect((await get(share)).body.name).toBe('docs')
    expect(await configState()).toBe('drifted')
  })

  it('has nothing to reapply when nothing has drifted', async () => {
    await deployed()
    expect((await post(`${node.uri}drift/`, { action: 'reapply' })).status).toBe(409)
  })

  it('has to be deployed again after a deployment that only one protocol applied', async () => {
    const name = await changeByHand()
    Object.assign(node.behavior, { outcome: 'failed', partly: true })
    expect(await deployed()).toMatchObject({ state: 'COMPLETED_FAILED', message: 'The folder says failed.' })
    expect(await configState()).toBe('drifted')
    for (const action of ['reapply', 'adopt']) {
      const refused = await post(`${node.uri}drift/`, { action })
      expect([refused.status, refused.body.error]).toEqual([409, expect.stringContaining('Deploy again')])
    }
    Object.assign(node.behavior, { outcome: 'applied', partly: false })
    await deployed()
    expect([await configState(), (await currentFiles(node.dir)).get(name)]).toEqual(['synced', 'docs\nrw\n'])
  })

  it('is synced once the agent has completed by itself what a deployment left out, whose job stays ended', async () => {
    await deployed()
    Object.assign(node.behavior, { outcome: 'failed', partly: true, isIncomplete: true })
    const job = await deployed()
    expect([job.state, await configState()]).toEqual(['COMPLETED_FAILED', 'pending'])
    Object.assign(node.behavior, { outcome: 'applied', partly: false, isIncomplete: false })
    // An agent that starts completes at once what it would within a minute.
    await node.stop()
    await node.start()
    await expect.poll(configState, { timeout: 60_000 }).toBe('synced')
    expect((await get(job.resource_uri)).body).toEqual(job)
  })

  it('is no longer drifted after a deployment', async () => {
    await changeByHand()
    await deployed()
    expect(await configState()).toBe('synced')
  })

  it('is shown as drifted also when its file is gone', async () => {
    await deployed()
    const [name = ''] = (await currentFiles(node.dir)).keys()
    await rm(join(node.dir, 'current', name))
    await node.stop()
    await node.start()
    await expect.poll(configState).toBe('drifted')
  })
})
