import type { DeploymentPlan, DesiredState, LostSession } from '@roost/api-types/agent'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { addLabNode, waitForJob } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { folderApplier, startedGenerations } from '../support/gateway/folder-applier.js'
import { shareApi, shareClient, statuses } from '../support/http/shared-api.js'
import { runLabCli } from '../support/gateway/lab-cli.js'

const server = shareApi()
const client = shareClient(server)
const { get, patch, post } = server

let node: LabNode
/** The shares of each plan that the node was asked for. */
let asked: string[][]
/** What the servers of the node answer, by daemon. */
let lost: Readonly<Record<string, readonly LostSession[]>>
let failure: string | null
/** What each plan waits for. */
let halfway: () => Promise<void>
beforeEach(async () => {
  node = await addLabNode(server.api.controlPlane, server.api.database, await addCluster(server.api.database))
  ;[asked, lost, failure, halfway] = [[], {}, null, async () => {}]
  const applier = folderApplier('gateway', node.dir, node.behavior)
  await node.start({ appliers: { gateway: { ...applier, plan } } })
  return () => node.remove()
})

async function plan(desired: DesiredState): Promise<DeploymentPlan> {
  asked.push(desired.kind === 'gateway' ? desired.shares.map(({ protocol, name }) => `${protocol} ${name}`) : [])
  await halfway()
  if (failure !== null) throw new Error(failure)
  const daemons = Object.entries(lost).map(([daemon, sessions]) => ({
    daemon,
    action: 'close-share' as const,
    sessions_lost: [...sessions],
  }))
  return { files: [], daemons, mounts: { started: [], stopped: [] }, notes: [] }
}
const addShare = async (name: string, protocol: string): Promise<string> => {
  const body = { name, protocol, node: node.uri, objectstore_container: name, enabled: true }
  return (await post('/api/v1/gateway_shares/', body)).body.resource_uri
}
const deploy = async () => waitForJob(get, (await post('/api/v1/gateway_deployments/', { node: node.uri })).body)
const sessions = (share: string) => get(`${share}sessions/`)

describe('gateway_shares/<id>/sessions/', () => {
  it('has the clients that a plan without the share would end, and no other share of the same name', async () => {
    const [smb, nfs] = [await addShare('Docs', 'cifs'), await addShare('Docs', 'nfs')]
    await addShare('other', 'cifs')
    await deploy()
    lost = {
      smbd: [
        { share: 'DOCS', client: '10.0.0.7', user: 'share-1' },
        { share: 'other', client: '10.0.0.8', user: null },
      ],
      'nfs-kernel-server': [
        { share: 'Docs', client: '10.0.0.9', user: null },
        { share: 'docs', client: '10.0.0.10', user: null },
      ],
    }
    expect(await sessions(smb)).toMatchObject({
      status: 200,
      body: { share: smb, node: node.uri, is_in_force: true, sessions: [{ client: '10.0.0.7', user: 'share-1' }] },
    })
    expect((await sessions(nfs)).body.sessions).toEqual([{ client: '10.0.0.9', user: null }])
    expect(asked).toEqual([
      ['nfs Docs', 'cifs other'],
      ['cifs Docs', 'cifs other'],
    ])
    expect(await startedGenerations(node.dir)).toEqual([1])
  })

  it('is of the share as the node has it, and asks no node that does not have it', async () => {
    const share = await addShare('docs', 'cifs')
    expect((await sessions(share)).body).toEqual({ share, node: node.uri, is_in_force: false, sessions: [] })
    await deploy()
    await patch(share, { name: 'papers', enabled: false })
    lost = { smbd: [{ share: 'docs', client: '10.0.0.7', user: null }] }
    expect((await sessions(share)).body).toMatchObject({ is_in_force: true, sessions: [{ client: '10.0.0.7' }] })
    await deploy()
    expect((await sessions(share)).body).toMatchObject({ is_in_force: false, sessions: [] })
    expect(asked).toEqual([[]])
  })

  it('is 503 with the reason while the gateway has no answer, and 404 for an unknown share', async () => {
    const share = await addShare('docs', 'cifs')
    await deploy()
    failure = 'The sessions of Samba cannot be read: smbstatus is missing.'
    const refused = await sessions(share)
    expect([refused.status, refused.body, refused.headers['retry-after']]).toEqual([503, { error: failure }, '15'])
    await node.stop()
    const error = 'The node is not connected. Check that its agent is running, and try again.'
    await expect.poll(async () => (await sessions(share)).body).toEqual({ error })
    expect((await sessions('/api/v1/gateway_shares/999999/')).status).toBe(404)
  })

  it('asks the gateway once for all who ask meanwhile, and again afterwards', async () => {
    const share = await addShare('docs', 'cifs')
    await deploy()
    const id = Number(share.split('/').at(-2))
    // One request with three calls, which begin together.
    const answers = await Promise.all([1, 2, 3].map(() => client.rpc.gatewayShares.sessions.query({ id })))
    expect(answers.map((answer) => answer.is_in_force)).toEqual([true, true, true])
    expect(asked).toHaveLength(1)
    await sessions(share)
    expect(asked).toHaveLength(2)
  })

  it('gives the gateway one plan at a time, and refuses readers who ask for more shares than may wait', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const shares: string[] = []
    for (const name of names) shares.push(await addShare(name, 'cifs'))
    await deploy()
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    halfway = () => released
    onTestFinished(() => release())
    const authorization = `apikey ${await server.api.addOperator({ role: 'read_only' })}`
    const running = shares.map((share) => get(`${share}sessions/`, { authorization }))
    const refused = await Promise.race(running)
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '15'])
    expect(refused.body.error).toContain('plans for other shares')
    expect(asked).toHaveLength(1)
    release()
    const answers = await Promise.all(running)
    expect(statuses(answers)).toEqual([200, 200, 200, 200, 200, 503])
    expect(asked).toHaveLength(5)
  })

  it('is for readers, the same by tRPC, and rows of the command line', async () => {
    const share = await addShare('docs', 'cifs')
    await deploy()
    lost = { smbd: [{ share: 'docs', client: '10.0.0.7', user: 'share-1' }] }
    const authorization = `apikey ${await server.api.addOperator({ role: 'read_only' })}`
    const { status, body } = await get(`${share}sessions/`, { authorization })
    expect(status).toBe(200)
    const id = Number(share.split('/').at(-2))
    expect(await client.rpc.gatewayShares.sessions.query({ id })).toEqual(body)
    const cli = (...args: readonly string[]) => runLabCli(server.api, node, ['share', 'sessions', String(id), ...args])
    expect(await cli()).toEqual({ code: 0, stdout: 'CLIENT    USER\n10.0.0.7  share-1\n', stderr: '' })
    expect(JSON.parse((await cli('-o', 'json')).stdout)).toEqual(body)
  })
})
