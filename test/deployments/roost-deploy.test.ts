import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Job } from '@roost/api-types/rest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { addLabNode, blockHalfway } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { currentFiles, startedGenerations } from '../support/gateway/folder-applier.js'
import { controlPlaneEnv, roostProgram } from '../support/http/control-plane.js'
import { shareApi } from '../support/http/shared-api.js'
import { runRoost, runToEnd } from '../support/programs/processes.js'

const server = shareApi()
let node: LabNode
let id = 0
let env: Record<string, string>
beforeEach(async () => {
  const { controlPlane, database, url, ca, key } = server.api
  node = await addLabNode(controlPlane, database, await addCluster(database))
  id = Number(/(\d+)\/$/.exec(node.uri)?.[1])
  const share = { name: `docs-${id}`, node: node.uri, objectstore_container: 'documents', enabled: true }
  await server.post('/api/v1/gateway_shares/', share)
  await node.start()
  const caFile = join(node.dir, '..', `ca-${id}.pem`)
  await writeFile(caFile, ca)
  env = { ...controlPlaneEnv(node.dir), ROOST_URL: url, ROOST_CA: caFile, ROOST_API_KEY: key }
})
afterEach(() => node.remove())
const cli = (...args: readonly string[]) => runRoost(args, env)
const deploy = (...args: readonly string[]) => cli('deploy', 'shares', '--node', String(id), ...args)
/** Runs the command line on a terminal, where a line is typed. */
const onTerminal = (command: string, input = '') => {
  const line = `printf '%s\\n' "${input}" | script -qec '"${process.execPath}" "${roostProgram}" ${command}' /dev/null`
  return runToEnd('bash', ['-c', line], { env: { ...env, TERM: 'xterm' } })
}

describe('roost deploy', () => {
  it('shows the plan, changes nothing without a confirmation, and applies exactly that plan', async () => {
    const planned = await deploy('--plan-only')
    expect([planned.code, planned.stderr]).toEqual([0, ''])
    expect(planned.stdout).toContain(`docs-${id}`)
    const unasked = await deploy()
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('Pass --yes')])
    const declined = await onTerminal(`deploy shares --node ${id}`, 'n')
    expect([declined.code, declined.stdout]).toEqual([
      10,
      expect.stringContaining('No client loses a session. Apply this plan? [y/N]'),
    ])
    expect(await currentFiles(node.dir).catch(() => new Map())).toEqual(new Map())
    const done = await deploy('--yes')
    expect([done.code, done.stderr]).toEqual([0, ''])
    expect(done.stdout).toMatch(/TARGET +STATE +GENERATION +MESSAGE\n\S+ +applied +1 +-\n$/)
    expect([...(await currentFiles(node.dir)).values()]).toEqual([`docs-${id}\nrw\n`])
    const jobs = JSON.parse((await cli('job', 'list', '--all', '-o', 'json')).stdout) as readonly Job[]
    expect(jobs.map(({ state }) => state)).toContain('COMPLETED_SUCCESS')
  })

  it('has an exit code each for failed, refused and timed out', async () => {
    const release = blockHalfway(node)
    const late = await deploy('--yes', '--wait', '3s')
    expect([late.code, late.stderr]).toEqual([
      7,
      expect.stringMatching(/Job \d+ has not ended. It runs on: "roost job wait \d+"/),
    ])
    expect((await deploy('--yes')).code).toBe(4)
    const job = /Job (\d+)/.exec(late.stderr)?.[1] ?? ''
    const waiting = cli('job', 'wait', job, '-o', 'json')
    release()
    const ended = await waiting
    expect([ended.code, JSON.parse(ended.stdout)]).toMatchObject([0, { id: job, state: 'COMPLETED_SUCCESS' }])
    node.behavior.outcome = 'failed'
    const failed = await deploy('--yes')
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringMatching(/Job \d+ failed/)])
  })

  it('lists the clients that lose their session in the plan, and their number in the question', async () => {
    node.behavior.sessionsLost = [
      { share: `docs-${id}`, client: '10.0.0.7', user: 'bob' },
      { share: `docs-${id}`, client: '10.0.0.8', user: null },
    ]
    const { code, stdout } = await deploy('--plan-only')
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(
        `folder: reload, ends 2 sessions\n    10.0.0.7 (bob) on docs-${id}\n    10.0.0.8 on docs-${id}\n`,
      ),
    ])
    const asked = await onTerminal(`deploy shares --node ${id}`, 'n')
    expect([asked.code, asked.stdout]).toEqual([
      10,
      expect.stringContaining('2 clients will lose a session. Apply this plan? [y/N]'),
    ])
  })

  it('ends with code 5 where it reached some of its targets, also for job wait', async () => {
    const { controlPlane, database } = server.api
    const { clusterId } = await database.prisma.node.findUniqueOrThrow({ where: { id } })
    const other = await addLabNode(controlPlane, database, clusterId)
    try {
      const share = { name: 'other', node: other.uri, objectstore_container: 'other', enabled: true }
      expect((await server.post('/api/v1/gateway_shares/', share)).status).toBe(201)
      await other.start()
      other.behavior.outcome = 'failed'
      const { code, stdout, stderr } = await cli('deploy', 'shares', '--cluster', String(clusterId), '--yes')
      expect([code, stderr]).toEqual([5, expect.stringMatching(/^roost: Job \d+ failed: /m)])
      expect(stdout).toMatch(/ applied +1 +-\n/)
      const job = /Job (\d+) failed/.exec(stderr)?.[1] ?? ''
      const waited = await cli('job', 'wait', job, '-o', 'json')
      expect([waited.code, JSON.parse(waited.stdout)]).toMatchObject([5, { id: job, state: 'COMPLETED_FAILED' }])
    } finally {
      await other.remove()
    }
  })

  it('shows its progress on a terminal once it takes two seconds, and none in a pipe or with --quiet', async () => {
    const bar = /job \d+: 0 of 1 applied \[[#.]{20}\] \d+ %/
    const release = blockHalfway(node)
    const shown = onTerminal(`deploy shares --node ${id} --yes`)
    await expect.poll(() => startedGenerations(node.dir), { timeout: 60_000 }).toEqual([1])
    await sleep(3_000)
    release()
    expect(await shown).toMatchObject({ code: 0, stdout: expect.stringMatching(bar) })
    const again = blockHalfway(node)
    await server.patch((await server.get(`/api/v1/gateway_shares/?node=${id}`)).body.objects[0].resource_uri, {
      objectstore_container: 'archive',
    })
    const quiet = onTerminal(`--quiet deploy shares --node ${id} --yes`)
    await expect.poll(() => startedGenerations(node.dir), { timeout: 60_000 }).toEqual([1, 2])
    const piped = cli('job', 'wait', (await server.get('/api/v1/gateway_deployments/')).body.objects[0].id)
    await sleep(3_000)
    again()
    expect((await quiet).stdout).not.toMatch(bar)
    expect(await piped).toMatchObject({ code: 0, stderr: '' })
  })

  it('waits for a confirmation with --confirm-within, which another command sends', async () => {
    const first = await deploy('--yes', '--confirm-within', '10m')
    expect([first.code, first.stderr]).toEqual([1, expect.stringMatching(/Job \d+ failed/)])
    expect((await deploy('--yes')).code).toBe(0)
    const waiting = await deploy('--yes', '--confirm-within', '10m', '-o', 'json')
    const job = JSON.parse(waiting.stdout) as Job
    expect([waiting.code, waiting.stderr]).toEqual([0, expect.stringContaining(`roost job confirm ${job.id}`)])
    expect(job).toMatchObject({ state: 'IN_PROGRESS', confirm_within_s: 600, confirmed: null })
    expect((await cli('job', 'confirm', job.id)).code).toBe(0)
    const ended = await cli('job', 'wait', job.id, '-o', 'json')
    expect([ended.code, JSON.parse(ended.stdout)]).toMatchObject([0, { state: 'COMPLETED_SUCCESS' }])
    expect((await cli('job', 'confirm', job.id)).code).toBe(4)
  })

  it('shows drift with its diff, and puts back what was deployed', async () => {
    expect((await deploy('--yes')).code).toBe(0)
    const [file = ''] = (await currentFiles(node.dir)).keys()
    await writeFile(join(node.dir, 'current', file), 'by hand\n')
    await node.stop()
    await node.start()
    await expect.poll(async () => (await server.get(node.uri)).body.config_state).toBe('drifted')
    expect((await cli('drift', 'list', '--no-headers')).stdout).toMatch(/online +gateway +1 +0 +\d+ s ago\n$/)
    expect((await cli('drift', 'show', String(id))).stdout).toContain('+by hand')
    expect((await cli('drift', 'reapply', String(id))).code).toBe(2)
    expect((await cli('drift', 'reapply', String(id), '--yes')).code).toBe(0)
    await expect.poll(async () => [...(await currentFiles(node.dir)).values()]).toEqual([`docs-${id}\nrw\n`])
  })
})
