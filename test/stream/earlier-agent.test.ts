import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Job } from '@roost/api-types/rest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { waitForJob } from '../support/gateway/deployment-lab.js'
import { unpackAgent } from '../support/database/earlier-release.js'
import { enrollmentArguments } from '../support/agents/enrollment.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { runToEnd } from '../support/programs/processes.js'

const deployments = '/api/v1/gateway_deployments/'

describe('an agent of 0.1.0', () => {
  let api: TestApi
  let home: string
  let agent: ChildProcess | undefined
  let node: string

  beforeAll(async () => {
    api = await startApi()
    home = await mkdtemp(join(tmpdir(), 'roost-earlier-agent-'))
    const program = await unpackAgent(join(home, 'agent'))
    const dataDir = join(home, 'state')
    const settings = { roles: { runs_gateway: true }, devices: [], gateway: { mounts: 'operator', nfs: 'kernel' } }
    const config = join(home, 'config.json')
    await writeFile(config, JSON.stringify(settings))
    const cluster = await addCluster(api.database)
    const flags = ['--data-dir', dataDir, '--config', config]
    const run = (args: readonly string[]) => runToEnd(process.execPath, [program, ...flags, ...args])
    const enrolled = await run(await enrollmentArguments(api, cluster))
    if (enrolled.code !== 0) throw new Error(`It could not enroll: ${enrolled.stderr}`)
    node = `/api/v1/nodes/${(await api.database.prisma.node.findFirstOrThrow({ where: { clusterId: cluster } })).id}/`
    agent = spawn(process.execPath, [program, ...flags, 'run'], { stdio: 'ignore' })
  })
  afterAll(async () => {
    agent?.kill()
    if (agent?.exitCode === null) await new Promise((resolve) => agent?.once('close', resolve))
    await api.stop()
    await rm(home, { recursive: true, force: true })
  })

  it('is online and reports its inventory', async () => {
    const shown = async () => (await api.get(node)).body
    await expect
      .poll(shown)
      .toMatchObject({ state: 'online', agent_version: '0.1.0', node_role: { runs_gateway: true } })
  })

  it('sends readings', async () => {
    const poll = async () => (await api.get(`${node}metrics/poll/?metrics=load.load.shortterm`)).body.metrics
    const reading = { metric_name: 'load.load.shortterm', timestamp: expect.any(Number), value: expect.any(Number) }
    await expect.poll(poll).toContainEqual(reading)
  })

  it('plans and applies a deployment', async () => {
    const deploy = async (more: object) => {
      const made = await api.call(deployments, { method: 'POST', body: { node, ...more } })
      return waitForJob((path) => api.get(path), made.body as Job)
    }
    expect(await deploy({ dry_run: true })).toMatchObject({ state: 'COMPLETED_SUCCESS' })
    expect(await deploy({})).toMatchObject({ state: 'COMPLETED_SUCCESS' })
    expect((await api.get(node)).body).toMatchObject({ config_state: 'synced' })
  })
})
