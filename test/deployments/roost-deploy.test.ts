import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Job } from '@roost/api-types/rest'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { addLabNode, blockHalfway } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { currentFiles } from '../support/gateway/folder-applier.js'
import { controlPlaneEnv, roostProgram } from '../support/http/control-plane.js'
import { shareApi } from '../support/http/shared-api.js'
import { runRoost, runToEnd } from '../support/programs/processes.js'

vi.setConfig({ testTimeout: 120_000 })
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

describe('roost deploy', () => {
  it('shows the plan, changes nothing without a confirmation, and applies exactly that plan', async () => {
    const planned = await deploy('--plan-only')
    expect([planned.code, planned.stderr]).toEqual([0, ''])
    expect(planned.stdout).toContain(`docs-${id}`)
    const unasked = await deploy()
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('Pass --yes')])
    const line = `printf 'n\\n' | script -qec '"${process.execPath}" "${roostProgram}" deploy shares --node ${id}' /dev/null`
    const declined = await runToEnd('bash', ['-c', line], { env: { ...env, TERM: 'xterm' } })
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
    expect((await cli('drift', 'list', '--no-headers')).stdout).toMatch(/drifted\n$/)
    expect((await cli('drift', 'show', String(id))).stdout).toContain('+by hand')
    expect((await cli('drift', 'reapply', String(id))).code).toBe(2)
    expect((await cli('drift', 'reapply', String(id), '--yes')).code).toBe(0)
    await expect.poll(async () => [...(await currentFiles(node.dir)).values()]).toEqual([`docs-${id}\nrw\n`])
  })
})
