import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { GenerationDiff, Generations, Job } from '@roost/api-types/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { addLabNode, waitForJob } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { currentFiles } from '../support/gateway/folder-applier.js'
import { shareApi, shareClient } from '../support/http/shared-api.js'

const server = shareApi()
const client = shareClient(server)
const { get, patch, post } = server
const secret = 'first-secret-of-the-share'

let cluster = 0
let node: LabNode
let share = ''
beforeEach(async () => {
  cluster = await addCluster(server.api.database)
  node = await addLabNode(server.api.controlPlane, server.api.database, cluster, { runsGateway: true, runsProxy: true })
  const body = { name: 'docs', protocol: 'cifs', node: node.uri, objectstore_container: 'documents', enabled: true }
  share = (await post('/api/v1/gateway_shares/', { ...body, password: secret })).body.resource_uri
  await node.start()
  return () => node.remove()
})

const deployed = async (more: object = {}, list = 'gateway_deployments'): Promise<Job> => {
  const target = list === 'gateway_deployments' ? { node: node.uri } : { cluster }
  return waitForJob(get, (await post(`/api/v1/${list}/`, { ...target, ...more })).body)
}
const listed = async (kind = 'gateway'): Promise<Generations> => {
  const { status, body } = await get(`${node.uri}generations/?kind=${kind}`)
  expect([status, body]).toEqual([200, expect.anything()])
  return body
}
const differences = async (a: number, b: number, kind = 'gateway'): Promise<GenerationDiff['differences']> =>
  (await get(`${node.uri}generations/diff/?kind=${kind}&a=${a}&b=${b}`)).body.differences

describe('the generations of a node', () => {
  it('are none before the first deployment', async () => {
    expect(await listed()).toEqual({ node: node.uri, kind: 'gateway', desired: 0, in_force: 0, generations: [] })
  })

  it('have who made them by which deployment, and how many shares they have, the newest first', async () => {
    const first = await deployed()
    await patch(share, { enabled: false })
    const second = await deployed()
    const third = await deployed({ generation: 1 })
    const made = (job: Job) => ({
      operator: 'admin',
      job: job.resource_uri,
      created: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect(await listed()).toEqual({
      node: node.uri,
      kind: 'gateway',
      desired: 3,
      in_force: 3,
      generations: [
        {
          generation: 3,
          is_desired: true,
          is_in_force: true,
          action: 'return',
          returned_to: 1,
          records: 1,
          ...made(third),
        },
        {
          generation: 2,
          is_desired: false,
          is_in_force: false,
          action: 'deploy',
          returned_to: null,
          records: 0,
          ...made(second),
        },
        {
          generation: 1,
          is_desired: false,
          is_in_force: false,
          action: 'deploy',
          returned_to: null,
          records: 1,
          ...made(first),
        },
      ],
    })
  })

  it('tell what was deployed last from what is in force', async () => {
    await deployed()
    node.behavior.outcome = 'failed'
    await deployed()
    expect(await listed()).toMatchObject({
      desired: 2,
      in_force: 1,
      generations: [
        { generation: 2, is_desired: true, is_in_force: false },
        { generation: 1, is_desired: false, is_in_force: true },
      ],
    })
  })

  it('are the last 20 and the one in force', async () => {
    await deployed()
    node.behavior.outcome = 'failed'
    for (let i = 0; i < 21; i += 1) await deployed()
    const { generations } = await listed()
    const numbers = Array.from({ length: 20 }, (_, i) => 22 - i)
    expect(generations.map(({ generation }) => generation)).toEqual([...numbers, 1])
  })

  it('have the operator who resolved drift, without a deployment', async () => {
    await deployed()
    for (const [text, action] of [
      ['docs\nrw\nby hand\n', 'reapply'],
      ['papers\nrw\n', 'adopt'],
    ] as const) {
      const [name = ''] = (await currentFiles(node.dir)).keys()
      await writeFile(join(node.dir, 'current', name), text)
      await node.stop()
      await node.start()
      await expect.poll(async () => (await get(node.uri)).body.config_state).toBe('drifted')
      expect((await post(`${node.uri}drift/`, { action })).status).toBe(202)
      await expect.poll(async () => (await get(node.uri)).body.config_state).toBe('synced')
    }
    const drifted = { operator: 'admin', job: null, returned_to: null }
    expect((await listed()).generations).toMatchObject([
      { generation: 3, action: 'adopt', ...drifted },
      { generation: 2, action: 'reapply', ...drifted },
      { generation: 1, action: 'deploy' },
    ])
    expect(await differences(1, 2)).toEqual([])
    expect(await differences(2, 3)).toMatchObject([{ fields: [{ field: 'name', before: 'docs', after: 'papers' }] }])
  })

  it('are decrypted once to count their records', async () => {
    await deployed()
    const [counted] = (await listed()).generations
    const where = { nodeId: node.id, generation: 1 }
    await server.api.database.prisma.generation.updateMany({ where, data: { payload: new Uint8Array(64) } })
    await patch(share, { enabled: false })
    await deployed()
    expect((await listed()).generations).toMatchObject([
      { generation: 2, records: 0 },
      { ...counted, is_desired: false, is_in_force: false, records: 1 },
    ])
  })

  it('do not know who made them once their deployment is removed', async () => {
    const { id } = await deployed()
    await server.api.database.prisma.job.delete({ where: { id: Number(id) } })
    const unknown = { action: null, operator: null, job: null, returned_to: null }
    expect((await listed()).generations).toMatchObject([{ generation: 1, records: 1, ...unknown }])
  })

  it('are those of its kind', async () => {
    await deployed()
    await post('/api/v1/users/', { cluster, user: 'bob', password: 'correct-horse-battery-staple' })
    const { resource_uri: job } = await deployed({}, 'user_db_deployments')
    expect(await listed('user_db')).toMatchObject({ in_force: 1, generations: [{ generation: 1, records: 1, job }] })
    expect((await listed()).generations).toHaveLength(1)
  })
})

describe('the difference of two generations', () => {
  it('has the fields that changed, and of secrets only that they changed', async () => {
    await deployed()
    const changed = 'other-secret-of-the-share'
    await patch(share, { access_mode: 'ro', password: changed })
    const more = { name: 'video', node: node.uri, objectstore_container: 'video', enabled: true }
    const { body: video } = await post('/api/v1/gateway_shares/', more)
    await deployed()
    const answer = await get(`${node.uri}generations/diff/?kind=gateway&a=1&b=2`)
    expect(answer.body).toEqual({
      node: node.uri,
      kind: 'gateway',
      a: 1,
      b: 2,
      differences: [
        {
          type: 'share',
          id: Number(share.split('/').at(-2)),
          name: 'docs',
          change: 'changed',
          fields: [
            { field: 'access_mode', before: 'rw', after: 'ro' },
            { field: 'password', before: '***', after: '***' },
          ],
        },
        { type: 'share', id: video.id, name: 'video', change: 'added', fields: [] },
      ],
    })
    for (const one of [secret, changed]) expect(answer.text).not.toContain(one)
    expect(await differences(2, 1)).toMatchObject([
      { change: 'changed', fields: [{ before: 'ro', after: 'rw' }, {}] },
      { name: 'video', change: 'removed' },
    ])
    expect(await differences(2, 2)).toEqual([])
  })

  it('says that the storage login changed, and no part of it', async () => {
    const login = { auth_url: 'http://swift.example:8080/auth/v1.0', user: 'gateways:mount', key: 'first-storage-key' }
    await post(`/api/v1/clusters/${cluster}/storage/`, login)
    await deployed()
    await post(`/api/v1/clusters/${cluster}/storage/`, { ...login, key: 'other-storage-key' })
    await deployed()
    const { body, text } = await get(`${node.uri}generations/diff/?kind=gateway&a=1&b=2`)
    expect(body.differences).toEqual([{ type: 'storage_login', id: null, name: '', change: 'changed', fields: [] }])
    expect(text).not.toMatch(/storage-key|swift\.example|gateways:mount/)
  })

  it('is 404 for a generation that is not stored, and for an unknown node', async () => {
    await deployed()
    const { status, body } = await get(`${node.uri}generations/diff/?kind=gateway&a=1&b=9`)
    expect([status, body]).toEqual([404, { error: 'Generation 9 of this node is no longer stored.' }])
    // Also before a query that is not valid.
    for (const rest of ['?kind=gateway', '', 'diff/?kind=gateway&a=1&b=1', 'diff/', 'diff/?kind=gateway&a=x'])
      expect((await get(`/api/v1/nodes/999999/generations/${rest}`)).status).toBe(404)
  })

  it('needs a kind and two numbers', async () => {
    const sentence = async (rest: string) => {
      const { status, body } = await get(`${node.uri}generations/${rest}`)
      return [status, body.error]
    }
    const kind = (text: string) => [400, `Invalid kind '${text}' provided. Please provide gateway or user_db.`]
    expect(await sentence('')).toEqual(kind(''))
    expect(await sentence('?kind=shares')).toEqual(kind('shares'))
    const number = (field: string, text: string) => [
      400,
      `Invalid ${field} '${text}' provided. Please provide the number of a generation.`,
    ]
    expect(await sentence('diff/?kind=gateway&b=1')).toEqual(number('a', ''))
    expect(await sentence('diff/?kind=gateway&a=1&b=0')).toEqual(number('b', '0'))
    expect(await sentence('diff/?kind=gateway&a=-1&b=1')).toEqual(number('a', '-1'))
  })

  it('is 503 with the reason where a generation cannot be decrypted, which has no number of shares', async () => {
    await deployed()
    const payload = Uint8Array.from([1, 0xde, 0xad, 0xbe, 0xef, ...Array.from({ length: 60 }, () => 0)])
    await server.api.database.prisma.generation.updateMany({ where: { nodeId: node.id }, data: { payload } })
    expect((await listed()).generations).toMatchObject([{ generation: 1, records: null, operator: 'admin' }])
    const { status, body } = await get(`${node.uri}generations/diff/?kind=gateway&a=1&b=1`)
    expect([status, body.error]).toEqual([503, expect.stringContaining('deadbeef')])
  })
})

it('readers see them, and tRPC has the same', async () => {
  await deployed()
  await patch(share, { access_mode: 'ro' })
  await deployed()
  const authorization = `apikey ${await server.api.addOperator({ role: 'read_only' })}`
  const read = await get(`${node.uri}generations/?kind=gateway`, { authorization })
  expect(read.status).toBe(200)
  const { generations } = client.rpc
  expect(await generations.list.query({ node: node.id, kind: 'gateway' })).toEqual(read.body)
  const diff = await generations.diff.query({ node: node.id, kind: 'gateway', a: 1, b: 2 })
  expect(diff.differences).toEqual(await differences(1, 2))
  await expect(generations.list.query({ node: 999_999, kind: 'gateway' })).rejects.toMatchObject({
    data: { code: 'NOT_FOUND' },
  })
})
