import type { DeploymentPlan, DesiredShare, DesiredState } from '@roost/api-types/agent'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { addLabNode, waitForJob } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { folderApplier, startedGenerations } from '../support/gateway/folder-applier.js'
import { shareApi, shareClient } from '../support/http/shared-api.js'

const server = shareApi()
const client = shareClient(server)
const { get, patch, post } = server
const preview = '/api/v1/gateway_shares/preview/'
const password = 'a-password-of-clients'

let cluster: number
let node: LabNode
/** The shares of each plan that the node was asked for. */
let asked: DesiredShare[][]
/** What each plan waits for. */
let halfway: () => Promise<void>
beforeEach(async () => {
  cluster = await addCluster(server.api.database)
  node = await addLabNode(server.api.controlPlane, server.api.database, cluster)
  ;[asked, halfway] = [[], async () => {}]
  const applier = folderApplier('gateway', node.dir, node.behavior)
  const plan = async (desired: DesiredState & { kind: 'gateway' }): Promise<DeploymentPlan> => {
    asked.push([...desired.shares])
    await halfway()
    return applier.plan(desired)
  }
  await node.start({ appliers: { gateway: { ...applier, plan } } })
  return () => node.remove()
})

const input = (name: string, more: object = {}) => ({
  name,
  node: node.uri,
  objectstore_container: name,
  enabled: true,
  ...more,
})
const addShare = async (name: string, more: object = {}): Promise<string> =>
  (await post('/api/v1/gateway_shares/', input(name, more))).body.resource_uri
const shares = async () => (await get(`/api/v1/gateway_shares/?node=${node.id}`)).body.objects
const counts = async () => [
  (await shares()).length,
  (await get('/api/v1/audit_events/?limit=1')).body.meta.total_count,
  (await startedGenerations(node.dir)).length,
]

describe('the preview of a new share', () => {
  it('is the plan of its gateway with the share, of which nothing is stored', async () => {
    await addShare('docs')
    await waitForJob(get, (await post('/api/v1/gateway_deployments/', { node: node.uri })).body)
    const before = await counts()
    const { status, body } = await post(preview, input('papers', { access_mode: 'ro' }))
    const daemons = [{ daemon: 'folder', action: 'reload', sessions_lost: [] }]
    expect([status, body]).toMatchObject([200, { node: node.uri, daemons, mounts: { started: [], stopped: [] } }])
    expect(body.files).toMatchObject([{ change: 'create', diff: expect.stringMatching(/\+papers\n\+ro/) }])
    expect(asked.at(-1)?.map(({ name }) => name)).toEqual(['docs', 'papers'])
    expect(await counts()).toEqual(before)
  })

  it('has the id that the share gets, also after other previews', async () => {
    for (const name of ['a', 'b', 'c']) await post(preview, input(name))
    const [[shown]] = asked.slice(-1) as [[DesiredShare]]
    const uri = await addShare('c')
    expect([shown.name, `/api/v1/gateway_shares/${shown.id}/`]).toEqual(['c', uri])
  })

  it('has the rules of the share, and no secret', async () => {
    await addShare('docs')
    const used = await post(preview, input('docs'))
    expect([used.status, used.body]).toEqual([
      400,
      { gateway_shares: { name: ['The node already has a share of protocol nfs with this name.'] } },
    ])
    expect((await post(preview, input('a/b', { access_mode: 'x' }))).body.gateway_shares).toMatchObject({
      name: [expect.any(String)],
      access_mode: [expect.any(String)],
    })
    expect(asked).toEqual([])
    const secret = await post(preview, input('smb', { protocol: 'cifs', password }))
    expect([secret.status, secret.text.includes(password)]).toEqual([200, false])
  })

  it('is the same by tRPC, and for operators who may write only', async () => {
    const { body } = await post(preview, input('papers'))
    const share = { name: 'papers', node: node.id, objectstore_container: 'papers', enabled: true }
    expect(await client.rpc.gatewayShares.preview.mutate({ share })).toEqual(body)
    const authorization = `apikey ${await server.api.addOperator({ role: 'read_only' })}`
    expect((await post(preview, input('papers'), { authorization })).status).toBe(403)
  })

  it('is 503 with the reason while the gateway is not connected', async () => {
    await node.stop()
    const error = 'The node is not connected. Check that its agent is running, and try again.'
    await expect.poll(async () => (await post(preview, input('papers'))).body).toEqual({ error })
    expect(await shares()).toEqual([])
  })

  it('waits in the queue of its gateway, which refuses more than may wait, and asks for none that is not awaited', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    halfway = () => released
    onTestFinished(() => release())
    const running = ['a', 'b', 'c', 'd'].map((name) => post(preview, input(name)))
    await expect.poll(() => asked.length).toBe(1)
    const typed = new AbortController()
    const share = { name: 'e', node: node.id, objectstore_container: 'e' }
    const abandoned = client.rpc.gatewayShares.preview.mutate({ share }, { signal: typed.signal }).catch(String)
    const refused = async () => (await post(preview, input('f'))).status
    await expect.poll(refused).toBe(503)
    typed.abort()
    await abandoned
    release()
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    await expect.poll(async () => (await post(preview, input('g'))).status).toBe(200)
    expect(asked.map((each) => each.map(({ name }) => name).join())).not.toContain('e')
  })
})

describe('the preview of a change', () => {
  it('is the plan with the change, which is not stored', async () => {
    const uri = await addShare('docs')
    await waitForJob(get, (await post('/api/v1/gateway_deployments/', { node: node.uri })).body)
    const before = await counts()
    const { status, body } = await post(`${uri}preview/`, { access_mode: 'ro' })
    expect(status).toBe(200)
    expect(body.files).toMatchObject([{ change: 'change', diff: expect.stringContaining('+ro') }])
    const id = Number(uri.split('/').at(-2))
    const change = { access_mode: 'ro' } as const
    expect(await client.rpc.gatewayShares.previewChange.mutate({ id, change })).toEqual(body)
    const off = await post(`${uri}preview/`, { enabled: false })
    expect(off.body.files).toMatchObject([{ change: 'remove' }])
    expect(await counts()).toEqual(before)
    expect((await shares())[0]).toMatchObject({ access_mode: 'rw', enabled: true })
  })

  it('is of the gateway to which the share moves', async () => {
    const uri = await addShare('docs')
    const other = await server.addGateway(cluster)
    const moved = await post(`${uri}preview/`, { node: other })
    expect([moved.status, moved.body.error]).toEqual([503, expect.stringContaining('not connected')])
    expect((await shares())[0]).toMatchObject({ node: node.uri })
    expect((await post('/api/v1/gateway_shares/999999/preview/', {})).status).toBe(404)
    await patch(uri, { name: 'papers' })
    expect((await post(`${uri}preview/`, { name: 'a/b' })).status).toBe(400)
  })
})
