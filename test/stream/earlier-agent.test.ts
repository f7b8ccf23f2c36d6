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
  let start: () => ChildProcess

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
    start = () => spawn(process.execPath, [program, ...flags, 'run'], { stdio: 'ignore' })
    agent = start()
  })
  const stop = async () => {
    agent?.kill()
    if (agent?.exitCode === null) await new Promise((resolve) => agent?.once('close', resolve))
  }
  afterAll(async () => {
    await stop()
    await api.stop()
    await rm(home, { recursive: true, force: true })
  })

  it('is online and reports its inventory', async () => {
    const shown = async () => (await api.get(node)).body
    await expect
      .poll(shown)
      .toMatchObject({ state: 'online', agent_version: '0.1.0', node_role: { runs_gateway: true } })
  })

  it('is sent no deployment that must be confirmed, because it could not return by itself', async () => {
    const answer = await api.call(deployments, { method: 'POST', body: { node, confirm_within_s: 600 } })
    const { message, targets } = await waitForJob((path) => api.get(path), answer.body as Job)
    expect(message).toMatch(/cannot return by itself from a deployment that is not confirmed: upgrade the agent of/)
    expect(targets).toMatchObject([{ state: 'failed', generation: null }])
  })

  it('sends readings', async () => {
    const poll = async () => (await api.get(`${node}metrics/poll/?metrics=load.load.shortterm`)).body.metrics
    const reading = { metric_name: 'load.load.shortterm', timestamp: expect.any(Number), value: expect.any(Number) }
    await expect.poll(poll).toContainEqual(reading)
  })

  const begin = async (more: object = {}) =>
    (await api.call(deployments, { method: 'POST', body: { node, ...more } })).body as Job
  const end = (job: Job) => waitForJob((path) => api.get(path), job)
  const deploy = async (more: object = {}) => end(await begin(more))

  it('plans and applies a deployment', async () => {
    expect(await deploy({ dry_run: true })).toMatchObject({ state: 'COMPLETED_SUCCESS' })
    expect(await deploy({})).toMatchObject({ state: 'COMPLETED_SUCCESS' })
    expect((await api.get(node)).body).toMatchObject({ config_state: 'synced' })
  })

  describe('with a share setting that it does not know', () => {
    const asked = () => api.database.prisma.nodeDeployment.findMany({ select: { desired: true, inForce: true } })
    let share: string
    let fault: string

    beforeAll(async () => {
      const body = { node, name: 'sized', objectstore_container: 'sized', enabled: true, cache_size_mb: 64 }
      share = (await api.call('/api/v1/gateway_shares/', { method: 'POST', body })).body.resource_uri
      const { hostname } = (await api.get(node)).body
      fault = `Share 'sized' sets cache_size_mb, which the agent of ${hostname} does not support: upgrade the agent of ${hostname}.`
    })

    it.each([{ dry_run: true }, {}])('fails before anything is sent: %j', async (more) => {
      const before = await asked()
      expect(await deploy(more)).toMatchObject({ state: 'COMPLETED_FAILED', message: fault })
      expect(await asked()).toEqual(before)
    })

    it('fails when it connects after the deployment was started', async () => {
      await stop()
      await expect
        .poll(async () => (await deploy({ dry_run: true })).message)
        .toBe('The node is not connected. Check that its agent is running, and try again.')
      const before = await asked()
      const job = await begin()
      await expect.poll(async () => (await api.get(job.resource_uri)).body.state).toBe('IN_PROGRESS')
      agent = start()
      expect(await end(job)).toMatchObject({ state: 'COMPLETED_FAILED', message: fault })
      expect(await asked()).toEqual(before.map(({ desired, inForce }) => ({ desired: desired + 1, inForce })))
    })

    it('is asked again when the setting is back at its default', async () => {
      await api.call(share, { method: 'PATCH', body: { cache_size_mb: null } })
      expect(await deploy({ dry_run: true })).toMatchObject({
        state: 'COMPLETED_FAILED',
        message: expect.stringContaining('nfs-kernel-server does not run'),
      })
    })

    it('fails before anything is sent with a storage login of Keystone', async () => {
      const { cluster, hostname } = (await api.get(node)).body
      const login = { auth_url: 'https://keystone.example:5000/v3', application_credential_id: '1f2e', key: 'secret' }
      expect((await api.call(`${cluster}storage/`, { method: 'POST', body: login })).status).toBe(202)
      const before = await asked()
      const named = 'auth_version, interface, application_credential_id'
      const message = `The storage login of the cluster sets ${named}, which the agent of ${hostname} does not support: upgrade the agent of ${hostname}.`
      for (const more of [{ dry_run: true }, {}])
        expect(await deploy(more)).toMatchObject({ state: 'COMPLETED_FAILED', message })
      expect(await asked()).toEqual(before)
    })
  })
})
