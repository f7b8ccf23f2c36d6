import type { GenerationDiff, Generations, Job } from '@roost/api-types/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { addLabNode, waitForJob } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { runLabCli } from '../support/gateway/lab-cli.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()
const { get, patch, post } = server

let cluster = 0
let node: LabNode
let share = ''
beforeEach(async () => {
  cluster = await addCluster(server.api.database)
  node = await addLabNode(server.api.controlPlane, server.api.database, cluster, { runsGateway: true, runsProxy: true })
  const body = { name: 'docs', protocol: 'cifs', node: node.uri, objectstore_container: 'documents', enabled: true }
  const password = 'first-secret-of-the-share'
  share = (await post('/api/v1/gateway_shares/', { ...body, password })).body.resource_uri
  await node.start()
  return () => node.remove()
})

const deployed = async (): Promise<Job> =>
  waitForJob(get, (await post('/api/v1/gateway_deployments/', { node: node.uri })).body)

const roost = (...args: readonly string[]) => runLabCli(server.api, node, args)

describe('roost node generations', () => {
  const cli = (...args: readonly string[]) => roost('node', 'generations', ...args)

  it('lists them, and shows what differs', async () => {
    const { id } = await deployed()
    await patch(share, { access_mode: 'ro', password: 'other-secret-of-the-share' })
    const more = { name: 'video', node: node.uri, objectstore_container: 'video', enabled: true }
    await post('/api/v1/gateway_shares/', more)
    await deployed()
    const list = await cli(String(node.id))
    expect([list.code, list.stderr]).toEqual([0, ''])
    expect(list.stdout).toMatch(
      /^GENERATION +STATE +CREATED +OPERATOR +ACTION +JOB +RECORDS\n2 +in force +.* admin +deploy +\d+ +2\n/,
    )
    expect(list.stdout).toMatch(new RegExp(`\\n1 +- +.* admin +deploy +${id} +1\\n$`))
    const diff = await cli(String(node.id), '--diff', '1', '2')
    expect([diff.code, diff.stderr]).toEqual([0, ''])
    expect(diff.stdout.replaceAll(/ +/g, ' ').replaceAll(/ $/gm, '')).toBe(
      'TYPE NAME CHANGE FIELD BEFORE AFTER\nshare docs changed access_mode rw ro\nshare docs changed password *** ***\nshare video added - - -\n',
    )
    const json = JSON.parse((await cli(String(node.id), '--diff', '1', '2', '-o', 'json')).stdout) as GenerationDiff
    const diffUri = `${node.uri}generations/diff/?kind=gateway&a=1&b=2`
    expect(json).toEqual((await get(diffUri)).body)
    expect(JSON.parse((await cli(String(node.id), '-o', 'json')).stdout)).toEqual(
      (await get(`${node.uri}generations/?kind=gateway`)).body,
    )
  })

  it('is of shares, unless the node is only a proxy or another kind is named', async () => {
    const proxy = await addNode(server.api.database, cluster, { role: { create: { runsProxy: true } } })
    const kindOf = async (...args: readonly string[]) =>
      (JSON.parse((await cli(...args, '-o', 'json')).stdout) as Generations).kind
    expect(await kindOf(String(node.id))).toBe('gateway')
    expect(await kindOf(String(node.id), '--kind', 'users')).toBe('user_db')
    expect(await kindOf(String(proxy))).toBe('user_db')
  })

  it('refuses other than two numbers, before it calls', async () => {
    for (const numbers of [['1'], ['1', '2', '3'], ['1', 'x'], ['0', '1']]) {
      const { code, stderr } = await cli(String(node.id), '--diff', ...numbers)
      expect([numbers, code, stderr]).toEqual([numbers, 2, expect.stringContaining('Give two numbers of generations')])
    }
    const missing = await cli(String(node.id), '--diff', '8', '9')
    expect([missing.code, missing.stderr]).toEqual([3, expect.stringContaining('no longer stored')])
  })
})

describe('roost deploy pending', () => {
  const cli = (...args: readonly string[]) => roost('deploy', 'pending', '--cluster', String(cluster), ...args)
  const rows = (text: string) => text.replaceAll(/ +/g, ' ').replaceAll(/ $/gm, '')

  it('lists what is not deployed yet, with its nodes, and nothing after the deployment', async () => {
    await deployed()
    expect(rows((await cli()).stdout)).toBe('CLUSTER TYPE NAME CHANGE FIELDS NODES\n')
    await patch(share, { access_mode: 'ro', password: 'other-secret-of-the-share' })
    const more = { name: 'video', node: node.uri, objectstore_container: 'video', enabled: true }
    await post('/api/v1/gateway_shares/', more)
    const { code, stdout, stderr } = await cli()
    expect([code, stderr]).toEqual([0, ''])
    const { name } = await server.api.database.prisma.cluster.findUniqueOrThrow({ where: { id: cluster } })
    const { hostname } = (await get(node.uri)).body
    expect(rows(stdout)).toBe(
      `CLUSTER TYPE NAME CHANGE FIELDS NODES\n${name} share docs changed access_mode, password ${hostname}\n${name} share video added - ${hostname}\n`,
    )
    const { body } = await get(`/api/v1/clusters/${cluster}/pending/`)
    expect(JSON.parse((await cli('-o', 'json')).stdout)).toEqual([body])
    expect(JSON.parse((await roost('deploy', 'pending', '-o', 'json')).stdout)).toContainEqual(body)
    await deployed()
    expect(rows((await cli('--no-headers')).stdout)).toBe('')
  })

  it('counts the nodes that a change does not name, and no user twice', async () => {
    const password = 'correct-horse-battery-staple'
    const { body: bob } = await post('/api/v1/users/', { cluster, user: 'bob', password })
    await deployed()
    await waitForJob(get, (await post('/api/v1/user_db_deployments/', { cluster })).body)
    await patch(bob.resource_uri, { is_superuser: true })
    for (let i = 0; i < 21; i += 1)
      await addNode(server.api.database, cluster, { role: { create: { runsProxy: true } } })
    const { stdout } = await cli('--no-headers')
    expect(rows(stdout)).toMatch(/^\S+ user bob changed is_superuser \S+\n\S+ user bob added - (?:\S+, ){20}1 more\n$/)
  })

  it('names the nodes that cannot be compared', async () => {
    await deployed()
    await server.api.database.prisma.generation.deleteMany({ where: { nodeId: node.id } })
    expect((await cli()).stdout).toMatch(
      /\n\n\S+ \(gateway\) cannot be compared: Generation 1 of this node is no longer stored\.\n$/,
    )
  })
})
