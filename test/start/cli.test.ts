import type { CreatedToken } from '@roost/api-types/rpc'
import { describe, expect, it } from 'vitest'
import { controlPlaneEnv } from '../support/http/control-plane.js'
import { addCluster, addDevice, addNode } from '../support/agents/fleet-rows.js'
import { runRoost } from '../support/programs/processes.js'
import { useRoostCli } from '../support/programs/roost-cli.js'

const server = await useRoostCli()
const { database, cli } = server

describe('roost', () => {
  it('explains itself, and each of its commands', async () => {
    const commands = [
      [],
      ['cluster'],
      ['node'],
      ['token'],
      ['operator'],
      ['key'],
      ['doctor'],
      ['local'],
      ['local', 'serve'],
      ['device'],
      ['token', 'create'],
      ['packages'],
      ['packages', 'add'],
      ['token', 'list'],
      ['token', 'revoke'],
    ]
    const answers = await Promise.all(commands.map((args) => cli(...args, '--help')))
    for (const [i, { code, stdout }] of answers.entries()) {
      expect(code).toBe(0)
      expect(stdout).toContain(`Usage: ${['roost', ...(commands[i] ?? [])].join(' ')}`)
    }
  })

  it('ends with 2 when it is called wrongly', async () => {
    const calls = [['frob'], ['cluster', 'add'], ['cluster', 'list', '-o', 'xml'], ['token', 'create', '--ttl', 'soon']]
    for (const args of calls) expect(await cli(...args)).toMatchObject({ code: 2, stdout: '' })
  })

  it('makes, lists, renames and removes clusters', async () => {
    expect((await cli('cluster', 'add', 'prod')).code).toBe(0)
    expect((await cli('cluster', 'list')).stdout).toMatch(
      /^ID +NAME +UUID\n\d+ +default +[\da-f-]{36}\n\d+ +prod +[\da-f-]{36}\n$/,
    )
    expect(await cli('cluster', 'rename', 'prod', 'live')).toMatchObject({ code: 0 })
    const { stdout } = await cli('cluster', 'list', '-o', 'json')
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'default' }, { name: 'live' }])
    expect((await cli('cluster', 'remove', 'live')).code).toBe(0)
    expect(await cli('cluster', 'remove', 'live')).toMatchObject({
      code: 3,
      stderr: "roost: cluster 'live' not found.\n",
    })
  })

  it('says what the server refused, with a code to branch on', async () => {
    expect(await cli('cluster', 'add', 'default')).toMatchObject({
      code: 4,
      stderr: "roost: Cluster 'default' already exists.\n",
    })
    expect(await cli('help', 'nosuch')).toMatchObject({ code: 2 })
    expect(await cli('token', 'create', '--ttl', '30d')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Use a time from 1m to 7d.'),
    })
  })

  it('answers the two lines for a machine that has the agent, and that loopback answers this machine alone', async () => {
    const { code, stdout, stderr } = await cli('token', 'create', '-o', 'json')
    expect(code).toBe(0)
    const [enroll, run] = (JSON.parse(stdout) as CreatedToken).lines
    expect(enroll).toMatch(
      /^roost-agent enroll --server https:\/\/localhost:\d+ --token \w{32,} --ca-sha256 [\da-f]{64}$/,
    )
    expect(run).toBe('roost-agent run')
    expect(stderr).toMatch(/^warning: https:\/\/localhost:\d+ can be reached only from this machine/)
  })

  it('lists tokens, and revokes one', async () => {
    const { id } = JSON.parse((await cli('token', 'create', '--uses', '3', '-o', 'json')).stdout) as {
      readonly id: number
    }
    expect((await cli('token', 'list')).stdout).toMatch(new RegExp(`^${id} +default +3 `, 'm'))
    expect(await cli('token', 'revoke', String(id))).toMatchObject({
      code: 0,
      stdout: `token ${id} of cluster default revoked\n`,
    })
    expect((await cli('token', 'list')).stdout).not.toMatch(new RegExp(`^${id} `, 'm'))
    expect((await cli('token', 'revoke', String(id))).code).toBe(3)
    expect((await cli('token', 'revoke', 'x')).code).toBe(2)
  })

  it('shows the health of the clusters, and ends with a code of its own where one warns or is critical', async () => {
    const one = (await cli('status')).stdout
    expect(one).toMatch(/^CLUSTER +HEALTH +CRITICAL +PROBLEMS +RINGS AGREE\ndefault +ok +0 +0 +true\n$/)
    expect((await cli('status')).code).toBe(0)
    const cluster = await addCluster(database, 'sick')
    const problem = { code: 'mount_stuck', subject: '/srv/node/d1', message: 'It has not answered for 3 s.' }
    const node = await addNode(database, cluster, { hostname: 'ill', state: 'online', problems: [problem] })
    const warns = await cli('status', '--cluster', 'sick')
    expect([warns.code, warns.stderr.trim()]).toEqual([8, expect.stringMatching(/Warning: sick\.$/)])
    expect(warns.stdout).toMatch(/\nsick +warning +mount_stuck +ill +It has not answered for 3 s\.\n$/)
    await database.prisma.node.update({ where: { id: node }, data: { state: 'duplicate' } })
    const worse = await cli('status', '-o', 'json')
    expect(worse.code).toBe(9)
    const judged = JSON.parse(worse.stdout) as readonly { readonly cluster: string; readonly verdict: string }[]
    expect(judged.map(({ cluster: name, verdict }) => [name, verdict])).toEqual([
      ['default', 'ok'],
      ['sick', 'critical'],
    ])
    await database.prisma.node.delete({ where: { id: node } })
    await database.prisma.cluster.delete({ where: { id: cluster } })
  })

  it('lists devices, and removes the record of one that left all rings', async () => {
    const cluster = (await database.prisma.cluster.findFirstOrThrow()).id
    const node = await addNode(database, cluster, { hostname: 'disks', state: 'offline' })
    const [inUse, old] = [
      await addDevice(database, cluster, node, { name: 'd1' }),
      await addDevice(database, cluster, node, { name: 'd2', status: 'retired', agentKey: null }),
    ]
    expect((await cli('device', 'list', '--status-not', 'retired')).stdout).not.toContain('retired')
    expect((await cli('device', 'list', '--status', 'retired')).stdout.split('\n')).toEqual([
      expect.stringMatching(/^ID +NODE +NAME +STATUS +POLICIES +USED % +LAST SEEN$/),
      expect.stringMatching(new RegExp(`^${old} +disks +d2 +retired`)),
      '',
    ])
    expect(await cli('device', 'remove', String(inUse))).toMatchObject({ code: 4, stdout: '' })
    expect(await cli('device', 'remove', String(old))).toMatchObject({
      code: 0,
      stdout: `device d2 (${old}) removed\n`,
    })
    expect((await cli('device', 'remove', String(old))).code).toBe(3)
    expect((await cli('device', 'remove', 'd1')).code).toBe(4)
    await database.prisma.node.delete({ where: { id: node } })
  })

  it('lists nodes, shows one with its problems, and removes it by its name', async () => {
    const [cluster] = await database.prisma.cluster.findMany()
    await addNode(database, cluster?.id ?? 0, { hostname: 'storage-1', state: 'offline' })
    expect((await cli('node', 'list', '--cluster', 'default')).stdout).toMatch(/storage-1 +default +offline/)
    expect(await cli('cluster', 'remove', 'default')).toMatchObject({
      code: 4,
      stderr: "roost: The cluster 'default' still has 1 node. Remove its nodes first.\n",
    })
    const problem = { code: 'mount_stuck', subject: '/srv/node/d1', message: 'It has not answered for 3 s.' }
    await database.prisma.node.updateMany({ data: { problems: [problem] } })
    const shown = (await cli('node', 'show', 'storage-1')).stdout
    expect(shown).toMatch(/^HOSTNAME +storage-1\nCLUSTER +default\nSTATE +offline\n/m)
    expect(shown).toMatch(
      /\n\nPROBLEM +SUBJECT +MESSAGE\nmount_stuck +\/srv\/node\/d1 +It has not answered for 3 s\.\n$/,
    )
    const record = JSON.parse((await cli('node', 'show', 'storage-1', '-o', 'json')).stdout) as { readonly id: number }
    expect(record).toMatchObject({ problems: [problem] })
    expect((await cli('node', 'show', String(record.id))).stdout).toMatch(/^HOSTNAME +storage-1$/m)
    expect((await cli('node', 'remove', 'storage-1')).code).toBe(0)
    expect(JSON.parse((await cli('node', 'list', '-o', 'json')).stdout)).toEqual([])
    expect((await cli('node', 'remove', 'storage-1')).code).toBe(3)
  })

  it('approves and revokes roles of nodes, by a token or later', async () => {
    await cli('token', 'create', '--roles', 'proxy,gateway')
    const token = await database.prisma.enrollmentToken.findFirst({ orderBy: { id: 'desc' } })
    expect(token?.roles).toEqual(['runs_gateway', 'runs_proxy'])
    expect((await cli('token', 'create', '--roles', 'king')).code).toBe(2)
    const [cluster] = await database.prisma.cluster.findMany()
    const role = { create: { runsGateway: true, runsObject: true } }
    const id = await addNode(database, cluster?.id ?? 0, { hostname: 'gw-1', role, rolesGranted: [] })
    expect((await cli('node', 'list')).stdout).toMatch(/gw-1 .* gateway\?,object /)
    expect((await cli('node', 'show', 'gw-1')).stdout).toMatch(/DETAIL +Claims the role gateway,/)
    expect((await cli('node', 'approve', 'gw-1')).stdout).toBe(`node gw-1 (${id}) approved as gateway\n`)
    expect((await cli('node', 'approve', 'gw-1')).stdout).toContain('has no role that is waiting for approval')
    expect((await cli('node', 'list')).stdout).toMatch(/gw-1 .* gateway,object /)
    const revoked = await cli('node', 'revoke', 'gw-1', '--roles', 'gateway')
    expect(revoked.stdout).toBe(`node gw-1 (${id}) is no longer approved as gateway\n`)
    await database.prisma.node.delete({ where: { id } })
  })

  it('removes the usage that a node has reported, also by the id of one that was removed', async () => {
    const usage = { accountId: 1, halfHour: Date.parse('2026-06-01T10:00:00Z') / 1_800_000, nodeId: 77 }
    await database.prisma.transferUsage.create({ data: { ...usage, bytesIn: 1, bytesOut: 1, requests: 1 } })
    const range = ['--from', '2026-06-01T10:00:00Z', '--to', '2026-06-01T11:00:00Z']
    const removed = await cli('usage', 'remove', '--node', '77', ...range)
    expect(removed.stdout).toBe('1 row of usage of node 77 removed\n')
    expect((await cli('usage', 'remove', '--node', 'nobody', ...range)).code).toBe(3)
  })

  it('makes operators, and keys that are printed once', async () => {
    expect((await cli('operator', 'add', 'night shift', '--role', 'admin')).stdout).toMatch(
      /night shift +admin +true +0/,
    )
    const { code, stdout, stderr } = await cli('key', 'create', 'night shift', '--label', 'pager', '--ttl', '90d')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^night shift:[\w-]{32}\n$/)
    expect(stderr).toMatch(/^created key \d+ of night shift; the key is not shown again\n$/)
    const id = /key (\d+)/.exec(stderr)?.[1] ?? ''
    const theirs = controlPlaneEnv(server.roost.dataDir, { ROOST_API_KEY: stdout.trim() })
    const rotated = await runRoost(['key', 'rotate', id, '--overlap', '1h'], theirs)
    expect(rotated.stdout).toMatch(/^night shift:[\w-]{32}\n$/)
    expect((await cli('key', 'list', 'night shift')).stdout.match(/night shift +pager +active/g)).toHaveLength(2)
    expect(await cli('key', 'revoke', id)).toMatchObject({ code: 0, stdout: `key ${id} of night shift revoked\n` })
    expect(await runRoost(['cluster', 'list'], theirs)).toMatchObject({ code: 6 })
    for (const verb of ['revoke', 'rotate'])
      expect(await cli('key', verb, '999')).toMatchObject({ code: 3, stderr: "roost: key '999' not found.\n" })
    expect(await cli('key', 'revoke', 'pager')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not a key id'),
    })
  })

  it('disables, enables and removes operators, but not the last administrator', async () => {
    await cli('operator', 'add', 'night shift', '--role', 'admin') // where the test before has not
    await cli('operator', 'add', 'guest')
    expect((await cli('operator', 'role', 'guest', '--role', 'admin')).stdout).toBe('operator guest enabled, admin\n')
    expect((await cli('operator', 'disable', 'guest')).stdout).toBe('operator guest disabled\n')
    expect((await cli('operator', 'enable', 'guest')).code).toBe(0)
    expect((await cli('operator', 'remove', 'guest')).code).toBe(0)
    expect(await cli('operator', 'remove', 'night shift')).toMatchObject({ code: 0 })
    expect(await cli('operator', 'remove', 'admin')).toMatchObject({
      code: 4,
      stderr: "roost: 'admin' is the last administrator: create another one first.\n",
    })
    expect((await cli('operator', 'list')).stdout).toMatch(/^ID +NAME.*\n\d+ +admin +admin +true +1 .*\n$/)
  })

  it('finds nothing wrong with a control plane that runs', async () => {
    const { code, stdout } = await cli('doctor')
    expect(stdout).not.toContain('fail')
    expect(code).toBe(0)
  })

  it('ends with 6 without a key, and with a wrong one', async () => {
    const elsewhere = controlPlaneEnv('/nonexistent')
    expect(await runRoost(['cluster', 'list'], elsewhere)).toMatchObject({ code: 6 })
    const wrong = controlPlaneEnv(server.roost.dataDir, { ROOST_API_KEY: 'admin:wrong' })
    expect(await runRoost(['cluster', 'list'], wrong)).toMatchObject({ code: 6 })
  })

  it('says so when nothing answers', async () => {
    const url = 'https://127.0.0.1:2' // a port that nothing is given by chance, and that fetch does not block
    const env = controlPlaneEnv('/nonexistent', { ROOST_API_KEY: 'admin:key', ROOST_PUBLIC_URL: url })
    const { code, stderr } = await runRoost(['cluster', 'list'], env)
    expect(stderr).toBe(`roost: ${url} does not answer (ECONNREFUSED). Check that Roost runs there.\n`)
    expect(code).toBe(1)
  })
})
